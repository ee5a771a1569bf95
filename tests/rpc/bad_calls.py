"""Requests about sessions and tool calls that cannot be answered, whatever is stored."""

from collections.abc import Iterator
from typing import Any

from google.protobuf import descriptor_pool
from google.protobuf.descriptor import FieldDescriptor, MethodDescriptor
from google.protobuf.message import Message
from google.protobuf.struct_pb2 import Struct
from google.protobuf.timestamp_pb2 import Timestamp

from plangate_proto.agent.v1 import agent_session_service_pb2 as session_pb
from plangate_proto.agent.v1 import tool_approval_service_pb2 as approval_pb
from tests.contract.wire_encoder import bytes_field
from tests.helpers.raw_calls import path_of
from tests.helpers.tool_calls import call, event, remember, span, tool
from tests.rpc.bad_requests import Bad, over

UNKNOWN = "plangate://plans/" + "0" * 32
LONG_ID = "x" * 257
KIBIBYTE = 1024
NOT_TEXT = b"caf\xe9"
SERVICES = ("agent.v1.SessionService", "agent.v1.ApprovalService")


def methods() -> dict[str, MethodDescriptor]:
    """Every method of both services by its name."""
    pool = descriptor_pool.Default()
    found = [method for name in SERVICES for method in pool.FindServiceByName(name).methods]
    return {method.name: method for method in found}


def exported(**fields: Any) -> approval_pb.Remembered:
    """A decision as an export tells it, with other fields; one that is None is left out."""
    given: dict[str, Any] = {
        "kind": approval_pb.ToolKind.TOOL_KIND_TERMINAL,
        "tool_name": "bash",
        "signature": "make test",
        "decision": approval_pb.ApprovalDecision.APPROVAL_DECISION_APPROVED,
        "scope": approval_pb.RememberScope.REMEMBER_SCOPE_SESSION,
        "session_id": "s",
        "reviewer": "ada",
        "create_time": Timestamp(seconds=1),
    } | fields
    return approval_pb.Remembered(**{name: value for name, value in given.items() if value is not None})


GOOD: dict[str, Message] = {
    "GetSession": session_pb.GetSessionRequest(session_id="s"),
    "ListSessions": session_pb.ListSessionsRequest(),
    "WatchSession": session_pb.WatchSessionRequest(session_id="s"),
    "SetMode": session_pb.SetModeRequest(session_id="s", mode=1),  # type: ignore[arg-type]
    "ConfirmFullAccess": session_pb.ConfirmFullAccessRequest(session_id="s"),
    "AuthorizeTool": tool(),
    "ReportEvent": session_pb.ReportEventRequest(session_id="s", event=event("RESET")),
    "RequestApproval": call(),
    "CancelApproval": approval_pb.CancelApprovalRequest(session_id="s", call_id="c1"),
    "WatchApprovals": approval_pb.WatchApprovalsRequest(session_id="s"),
    "ResolveApproval": approval_pb.ResolveApprovalRequest(
        session_id="s",
        call_id="c1",
        authority_token="t",
        decision=1,  # type: ignore[arg-type]
        remember=remember(),
    ),
    "ListApprovals": approval_pb.ListApprovalsRequest(),
    "ListRemembered": approval_pb.ListRememberedRequest(),
    "ForgetRemembered": approval_pb.ForgetRememberedRequest(remembered_id="d"),
    "ResetMemory": approval_pb.ResetMemoryRequest(kind=1, session_id="s"),  # type: ignore[arg-type]
    "RestoreMemory": approval_pb.RestoreMemoryRequest(remembered=[exported()]),
}
"""For each method a request that has all that it needs."""


def bad(name: str, reason: str, told: dict[str, str], /, **fields: Any) -> Bad:
    """The good request of a method with other fields; one that is None is left out."""
    request = type(GOOD[name])()
    request.CopyFrom(GOOD[name])
    for field, value in fields.items():
        request.ClearField(field)
        if value is not None:
            request.MergeFrom(type(request)(**{field: value}))
    return Bad(path_of(methods()[name]), reason, request, told)


def missing(name: str, field: str) -> Bad:
    return bad(name, "MISSING_FIELD", {"field": field}, **{field: None})


def invalid(name: str, field: str, value: Any, path: str = "") -> Bad:
    return bad(name, "INVALID_FIELD", {"field": path or field}, **{field: value})


def too_long(name: str, field: str, limit: str, maximum: int, value: Any = None, *, path: str = "") -> Bad:
    text = "x" * (maximum + 1) if value is None else value
    return bad(name, "LIMIT_EXCEEDED", over(limit, maximum, path or field), **{field: text})


def arguments(**values: Any) -> Struct:
    made = Struct()
    made.update(values)
    return made


def sized_arguments(size: int) -> Struct:
    """Arguments of exactly so many bytes."""
    spare = arguments(text="x" * size).ByteSize() - size
    return arguments(text="x" * (size - spare))


EXPORTED = {
    f"restore with {field} = {value!r:.20}": bad(
        "RestoreMemory",
        reason,
        {"field": f"remembered[0].{field}"},
        remembered=[exported(**{field: value})],
    )
    for reason, field, value in (
        ("MISSING_FIELD", "tool_name", ""),
        ("MISSING_FIELD", "signature", " "),
        ("MISSING_FIELD", "reviewer", ""),
        ("MISSING_FIELD", "create_time", None),
        ("INVALID_FIELD", "create_time", Timestamp(seconds=4_000_000_000)),
        ("INVALID_FIELD", "create_time", Timestamp(seconds=2**62)),
        ("INVALID_FIELD", "expire_time", Timestamp(nanos=-1)),
        ("INVALID_FIELD", "kind", 0),
        ("INVALID_FIELD", "kind", 99),
        ("INVALID_FIELD", "decision", 0),
        ("INVALID_FIELD", "decision", 2),
        ("INVALID_FIELD", "scope", 0),
        ("INVALID_FIELD", "session_id", ""),
    )
} | {
    "restore a workspace's decision for a session": bad(
        "RestoreMemory",
        "INVALID_FIELD",
        {"field": "remembered[0].session_id"},
        remembered=[exported(scope=2)],
    ),
    "restore by nobody": bad(
        "RestoreMemory",
        "MISSING_FIELD",
        {"field": "remembered[0].restored_by[1]"},
        remembered=[exported(restored_by=["ada", ""])],
    ),
    "restore only to look, and once": bad(
        "RestoreMemory", "INVALID_FIELD", {"field": "request_id"}, validate_only=True, request_id="r"
    ),
    "restore 101": bad(
        "RestoreMemory",
        "LIMIT_EXCEEDED",
        over("restored", 100, "remembered"),
        remembered=[exported()] * 101,
    ),
    "restore for a long name": bad(
        "RestoreMemory",
        "LIMIT_EXCEEDED",
        over("id_bytes", 256, "remembered[0].tool_name"),
        remembered=[exported(tool_name=LONG_ID)],
    ),
}

MISSING = {
    f"{name} without {field}": missing(name, field)
    for name, fields in {
        "GetSession": ["session_id"],
        "WatchSession": ["session_id"],
        "SetMode": ["session_id", "mode"],
        "ConfirmFullAccess": ["session_id"],
        "AuthorizeTool": ["session_id", "tool_name"],
        "ReportEvent": ["session_id", "event"],
        "RequestApproval": ["session_id", "call_id", "kind", "tool_name", "command"],
        "CancelApproval": ["session_id", "call_id"],
        "ResolveApproval": ["session_id", "call_id", "decision"],
        "ForgetRemembered": ["remembered_id"],
        "ResetMemory": ["kind", "session_id"],
        "RestoreMemory": ["remembered"],
    }.items()
    for field in fields
} | {
    "command of white space": bad("RequestApproval", "MISSING_FIELD", {"field": "command"}, command=" \n\t"),
    "remember without scope": bad(
        "ResolveApproval",
        "MISSING_FIELD",
        {"field": "remember.scope"},
        remember=approval_pb.Remember(pattern="make *"),
    ),
}

ENUMS = {
    f"{name}.{field} = {number}": invalid(name, field, number)
    for name, field in {
        "SetMode": "mode",
        "ReportEvent": "event",
        "AuthorizeTool": "access",
        "RequestApproval": "kind",
        "ResolveApproval": "decision",
        "ResetMemory": "kind",
    }.items()
    for number in (99, -1)
} | {
    "unknown kind to authorize": invalid("AuthorizeTool", "kind", 99),
    "unknown mode": invalid("ListSessions", "modes", [1, 99], "modes[1]"),
    "mode that is not set": invalid("ListSessions", "modes", [0], "modes[0]"),
    "unknown state": invalid("ListApprovals", "states", [2, 99], "states[1]"),
    "state that is not set": invalid("ListApprovals", "states", [0], "states[0]"),
    "unknown scope": invalid(
        "ResolveApproval",
        "remember",
        approval_pb.Remember(scope=99),  # type: ignore[arg-type]
        "remember.scope",
    ),
}

TEN_YEARS = 3650 * 24 * 3600
NO_SPANS = (0, -1, TEN_YEARS + 1, 10**15, 2**62, -(2**62))
SPANS = {
    f"a call that waits {seconds} s": invalid("RequestApproval", "expires_after", span(seconds))
    for seconds in NO_SPANS
} | {
    f"remembered for {seconds} s": invalid(
        "ResolveApproval", "remember", remember(seconds=seconds), "remember.expires_after"
    )
    for seconds in NO_SPANS
}

LIMITS = {
    f"long {name}.{field}": too_long(name, field, "id_bytes", 256)
    for name, fields in {
        "SetMode": ["session_id", "request_id"],
        "ConfirmFullAccess": ["session_id", "request_id"],
        "AuthorizeTool": ["session_id", "tool_name", "agent_id"],
        "ReportEvent": ["session_id", "request_id"],
        "RequestApproval": ["session_id", "agent_id", "call_id", "tool_name", "build_id", "todo_id"],
        "CancelApproval": ["request_id"],
        "WatchApprovals": ["session_id"],
        "ListApprovals": ["session_id"],
        "ListRemembered": ["session_id"],
        "ResolveApproval": ["request_id"],
        "ForgetRemembered": ["request_id"],
        "ResetMemory": ["request_id"],
        "RestoreMemory": ["request_id"],
    }.items()
    for field in fields
} | {
    "command of 256 KiB and a byte": too_long("RequestApproval", "command", "command_bytes", 256 * KIBIBYTE),
    "command of 256 KiB and a byte, in umlauts": too_long(
        "RequestApproval", "command", "command_bytes", 256 * KIBIBYTE, "ü" * (128 * KIBIBYTE) + "x"
    ),
    "long signature": too_long("RequestApproval", "signature", "command_bytes", 256 * KIBIBYTE),
    "long prompt": too_long("RequestApproval", "prompt", "prompt_bytes", 64 * KIBIBYTE),
    "65 entries": too_long(
        "RequestApproval", "metadata", "metadata_entries", 64, {f"k{n}": "" for n in range(65)}
    ),
    "long key": too_long("RequestApproval", "metadata", "id_bytes", 256, {LONG_ID: ""}),
    "long value": too_long(
        "RequestApproval", "metadata", "metadata_bytes", 4096, {"k": "v" * 4097}, path="metadata['k']"
    ),
    "command to authorize": too_long("AuthorizeTool", "command", "command_bytes", 256 * KIBIBYTE),
    "arguments to authorize": too_long(
        "AuthorizeTool",
        "arguments",
        "command_bytes",
        256 * KIBIBYTE,
        sized_arguments(256 * KIBIBYTE + 1),
    ),
}

WORK = {
    f"{name} for {what}": bad(name, reason, metadata, **fields)
    for name in ("AuthorizeTool", "RequestApproval")
    for what, (reason, metadata, fields) in {
        "a malformed plan": ("MALFORMED_PLAN_URI", {"field": "plan_uri", "plan_uri": "x"}, {"plan_uri": "x"}),
        "an unknown plan": (
            "PLAN_NOT_FOUND",
            {"field": "plan_uri", "plan_uri": UNKNOWN},
            {"plan_uri": UNKNOWN},
        ),
        "an unknown build": (
            "BUILD_NOT_FOUND",
            {"field": "build_id", "build_id": "none"},
            {"build_id": "none"},
        ),
        "a todo of nothing": ("INVALID_FIELD", {"field": "todo_id"}, {"todo_id": "a"}),
    }.items()
}

UNKNOWN_CALL = {"field": "call_id", "session_id": "s", "call_id": "c1"}
NOT_THERE = {
    "unknown session": bad("GetSession", "SESSION_NOT_FOUND", {"field": "session_id", "session_id": "s"}),
    "unknown session to watch": bad(
        "WatchSession", "SESSION_NOT_FOUND", {"field": "session_id", "session_id": "s"}
    ),
    "unknown session to confirm": bad(
        "ConfirmFullAccess", "SESSION_NOT_FOUND", {"field": "session_id", "session_id": "s"}
    ),
    "unknown session to restart": bad(
        "ResetMemory", "SESSION_NOT_FOUND", {"field": "session_id", "session_id": "s"}
    ),
    "long unknown session": bad(
        "GetSession",
        "SESSION_NOT_FOUND",
        {"field": "session_id", "session_id": "x" * 200},
        session_id="x" * 100_000,
    ),
    "unknown call to cancel": bad("CancelApproval", "APPROVAL_NOT_FOUND", UNKNOWN_CALL),
    "unknown call to resolve": bad("ResolveApproval", "APPROVAL_NOT_FOUND", UNKNOWN_CALL),
    "unknown decision to forget": bad(
        "ForgetRemembered", "REMEMBERED_NOT_FOUND", {"field": "remembered_id", "remembered_id": "d"}
    ),
}

PLACES = {
    f"{name}.{field} = {value!r}": bad(name, reason, {"field": field}, **{field: value})
    for name, reason, field, values in (
        ("WatchSession", "INVALID_CURSOR", "cursor", ("nonsense", "für", "A" * 16)),
        ("WatchApprovals", "INVALID_CURSOR", "cursor", ("nonsense", "für", "A" * 16)),
        ("ListSessions", "INVALID_PAGE_TOKEN", "page_token", ("2", "für", "A" * 16)),
        ("ListApprovals", "INVALID_PAGE_TOKEN", "page_token", ("2", "für", "A" * 16)),
        ("ListRemembered", "INVALID_PAGE_TOKEN", "page_token", ("2", "für", "A" * 16)),
        ("ListSessions", "INVALID_FIELD", "page_size", (-1, -(2**31))),
        ("ListApprovals", "INVALID_FIELD", "page_size", (-1, -(2**31))),
        ("ListRemembered", "INVALID_FIELD", "page_size", (-1, -(2**31))),
    )
    for value in values
}


def texts(name: str) -> Iterator[FieldDescriptor]:
    """The fields of a request that are one text."""
    for field in methods()[name].input_type.fields:
        if field.type == FieldDescriptor.TYPE_STRING and not field.is_repeated:
            yield field


NUL = "NUL_CHARACTER"
NUL_CHARACTERS = {
    f"NUL in {name}.{field.name}": bad(name, NUL, {"field": field.name}, **{field.name: "a\0b"})
    for name in GOOD
    for field in texts(name)
} | {
    "NUL in a key": bad("RequestApproval", NUL, {"field": "metadata key"}, metadata={"a\0": ""}),
    "NUL under a key": bad("RequestApproval", NUL, {"field": "metadata['a']"}, metadata={"a": "\0"}),
    "NUL in a pattern": bad(
        "ResolveApproval", NUL, {"field": "remember.pattern"}, remember=remember("make \0")
    ),
    "NUL in an argument": bad(
        "AuthorizeTool",
        NUL,
        {"field": "arguments.fields['a'].string_value"},
        arguments=arguments(a="\0"),
    ),
    "NUL in the name of an argument": bad(
        "AuthorizeTool", NUL, {"field": "arguments.fields key"}, arguments=arguments(**{"a\0": 1})
    ),
    "NUL deep in the arguments": bad(
        "AuthorizeTool",
        NUL,
        {
            "field": "arguments.fields['a'].list_value.values[1].struct_value.fields['b'].string_value",
        },
        arguments=arguments(a=[1, {"b": "\0"}]),
    ),
}


def malformed(name: str, data: bytes, field: str = "") -> Bad:
    metadata = {"field": field} if field else {}
    return Bad(path_of(methods()[name]), "MALFORMED_REQUEST", data, metadata)


def nested(depth: int) -> bytes:
    """An AuthorizeToolRequest whose arguments hold lists within lists."""
    value = b""
    for _ in range(depth):
        value = bytes_field(6, bytes_field(1, value))
    entry = bytes_field(1, b"a") + bytes_field(2, value)
    return tool().SerializeToString() + bytes_field(5, bytes_field(1, entry))


ENCODING = {
    f"{name}.{field.name} that is not UTF-8": malformed(name, bytes_field(field.number, NOT_TEXT), field.name)
    for name in GOOD
    for field in texts(name)
} | {
    "random bytes": malformed("RequestApproval", bytes.fromhex("ff13a90c7bffd2660185f0aa3c77e95b")),
    "truncated message": malformed("AuthorizeTool", tool().SerializeToString()[:-1]),
    "arguments that are too deep": malformed("AuthorizeTool", nested(100)),
    "arguments that are far too deep": malformed("AuthorizeTool", nested(3000)),
    "more than a message may have": Bad(
        path_of(methods()["RequestApproval"]),
        "MESSAGE_TOO_LARGE",
        lambda: call("x" * (4 * KIBIBYTE * KIBIBYTE)).SerializeToString(),
        {
            "limit": "message_bytes",
            "maximum": str(4 * KIBIBYTE * KIBIBYTE),
            "actual": str(len(call("x" * (4 * KIBIBYTE * KIBIBYTE)).SerializeToString())),
        },
    ),
}

BAD_CALLS = {
    **MISSING,
    **EXPORTED,
    **ENUMS,
    **SPANS,
    **LIMITS,
    **WORK,
    **NOT_THERE,
    **PLACES,
    **NUL_CHARACTERS,
    **ENCODING,
}
