"""Requests that are wrong before anyone looks at what they mean: encoding, NUL characters, size."""

from plangate_proto.agent.v1.create_plan_tool_pb2 import CreatePlanArgs, Phase
from plangate_proto.agent.v1.plan_resource_pb2 import TodoHint
from plangate_proto.agent.v1.plan_service_pb2 import (
    CreatePlanRequest,
    GetPlanRequest,
    ListPlansRequest,
    ReviewPlanRequest,
)
from plangate_proto.agent.v1.todo_tools_pb2 import TodoItem
from plangate_proto.aiserver.v1.create_plan_tool_pb2 import CreatePlanParams
from plangate_proto.aiserver.v1.human_review_pb2 import HumanReview
from plangate_proto.aiserver.v1.plan_review_service_pb2 import SubmitReviewRequest
from plangate_proto.aiserver.v1.todo_read_write_tools_pb2 import TodoItem as AiserverTodo
from tests.contract.wire_encoder import bytes_field
from tests.helpers.plans import filled_request
from tests.rpc.bad_requests import (
    AISERVER_CREATE,
    CREATE,
    GET,
    LIST,
    REVIEW,
    SUBMIT,
    Bad,
    bad_args,
    bad_params,
)

MEGABYTE = 1024 * 1024
MESSAGE_LIMIT = 4 * MEGABYTE
NOT_TEXT = b"caf\xe9"
A = TodoItem(id="a", content="A")


def args_bytes(*fields: bytes) -> bytes:
    """A CreatePlanRequest with a plan, the other fields of args put together by hand."""
    return bytes_field(1, bytes_field(1, b"# Plan") + b"".join(fields))


def sized(size: int) -> bytes:
    """A CreatePlanRequest of exactly so many bytes."""
    overhead = len(CreatePlanRequest(args=CreatePlanArgs(plan="x" * size)).SerializeToString()) - size
    return CreatePlanRequest(args=CreatePlanArgs(plan="x" * (size - overhead))).SerializeToString()


def too_large(size: int) -> Bad:
    limits = {"limit": "message_bytes", "maximum": str(MESSAGE_LIMIT), "actual": str(size)}
    return Bad(CREATE, "MESSAGE_TOO_LARGE", lambda: sized(size), limits)


def malformed(method: str, request: bytes, field: str = "") -> Bad:
    return Bad(method, "MALFORMED_REQUEST", request, {"field": field} if field else {})


NUL = "NUL_CHARACTER"
NUL_CHARACTERS = {
    "NUL in the plan": bad_args(NUL, CreatePlanArgs(plan="a\0b"), field="args.plan"),
    "NUL alone in the plan": bad_args(NUL, CreatePlanArgs(plan="\0"), field="args.plan"),
    "NUL in a todo": bad_args(
        NUL,
        CreatePlanArgs(plan="# Plan", todos=[A, TodoItem(content="b\0")]),
        field="args.todos[1].content",
    ),
    "NUL in a dependency": bad_args(
        NUL,
        CreatePlanArgs(plan="# Plan", todos=[TodoItem(content="A", dependencies=["b", "\0"])]),
        field="args.todos[0].dependencies[1]",
    ),
    "NUL in a phase": bad_args(
        NUL,
        CreatePlanArgs(plan="# Plan", phases=[Phase(name="p"), Phase(todos=[TodoItem(id="\0")])]),
        field="args.phases[1].todos[0].id",
    ),
    "NUL in a key": Bad(
        CREATE,
        NUL,
        CreatePlanRequest(args=CreatePlanArgs(plan="# Plan"), todo_hints={"a\0": TodoHint()}),
        {"field": "todo_hints key"},
    ),
    "NUL under a key": Bad(
        CREATE,
        NUL,
        CreatePlanRequest(args=CreatePlanArgs(plan="# Plan"), todo_hints={"a": TodoHint(agent="\0")}),
        {"field": "todo_hints['a'].agent"},
    ),
    "NUL in params": bad_params(
        NUL,
        CreatePlanParams(plan="# Plan", todos=[AiserverTodo(content="A"), AiserverTodo(content="\0")]),
        field="params.todos[1].content",
    ),
    "NUL in a filter": Bad(LIST, NUL, ListPlansRequest(session_id="\0"), {"field": "session_id"}),
    "NUL in a uri": Bad(GET, NUL, GetPlanRequest(plan_uri="plangate://plans/\0"), {"field": "plan_uri"}),
    "NUL in a cursor": Bad(REVIEW, NUL, ReviewPlanRequest(cursor="\0"), {"field": "cursor"}),
    "NUL in feedback": Bad(
        SUBMIT,
        NUL,
        SubmitReviewRequest(human_review=HumanReview(feedback_text="no\0")),
        {"field": "human_review.feedback_text"},
    ),
}

ENCODING = {
    "plan that is not UTF-8": malformed(CREATE, bytes_field(1, bytes_field(1, NOT_TEXT)), "args.plan"),
    "todo that is not UTF-8": malformed(
        CREATE,
        args_bytes(bytes_field(2, bytes_field(2, b"A")), bytes_field(2, bytes_field(2, NOT_TEXT))),
        "args.todos[1].content",
    ),
    "key that is not UTF-8": malformed(
        CREATE, args_bytes() + bytes_field(16, bytes_field(1, NOT_TEXT)), "todo_hints[0].key"
    ),
    "session that is not UTF-8": malformed(CREATE, args_bytes() + bytes_field(10, NOT_TEXT), "session_id"),
    "params that are not UTF-8": malformed(
        AISERVER_CREATE,
        bytes_field(1, bytes_field(1, b"# Plan") + bytes_field(8, bytes_field(1, NOT_TEXT))),
        "params.todos[0].content",
    ),
    "uri that is not UTF-8": malformed(REVIEW, bytes_field(1, NOT_TEXT), "plan_uri"),
    "lone surrogate": malformed(CREATE, bytes_field(1, bytes_field(1, b"\xed\xa0\x80")), "args.plan"),
    "random bytes": malformed(CREATE, bytes.fromhex("ff13a90c7bffd2660185f0aa3c77e95b")),
    "random bytes to a stream": malformed(REVIEW, b"\xff" * 40),
    "truncated message": malformed(CREATE, filled_request().SerializeToString()[:-3]),
    "length beyond the end": malformed(GET, b"\x0a\x7fplangate"),
}

SIZE = {
    "5 MiB": too_large(5 * MEGABYTE),
    "one byte more than 4 MiB": too_large(MESSAGE_LIMIT + 1),
    "4 MiB, read and found to be too long a plan": Bad(
        CREATE,
        "LIMIT_EXCEEDED",
        lambda: sized(MESSAGE_LIMIT),
        {
            "limit": "plan_bytes",
            "maximum": str(MEGABYTE),
            "actual": str(MESSAGE_LIMIT - 10),
            "field": "args.plan",
        },
    ),
}

BAD_BYTES = {**NUL_CHARACTERS, **ENCODING, **SIZE}
