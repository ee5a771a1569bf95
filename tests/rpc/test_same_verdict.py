"""AuthorizeTool and RequestApproval say the same to the same call, whatever is remembered and ruled."""

import json
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from google.protobuf.struct_pb2 import Struct
from google.protobuf.timestamp_pb2 import Timestamp
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from plangate_proto.agent.v1.agent_session_service_pb2 import AuthorizeToolRequest
from plangate_proto.agent.v1.tool_approval_service_pb2 import (
    ApprovalDecision,
    CancelApprovalRequest,
    ListRememberedRequest,
    RememberScope,
    RequestApprovalRequest,
    RestoreMemoryRequest,
    RestoreObstacle,
)
from plangate_proto.agent.v1.tool_approval_service_pb2 import Remembered as Remembered_
from plangate_server.domain.identity import Principal, Role
from plangate_server.domain.remembering import Memory, Remembered, Scope
from plangate_server.domain.sessions import SessionMode, begin
from plangate_server.domain.signatures import signature
from plangate_server.domain.tools import ToolKind as Kind
from plangate_server.ports import Gate as Deciding
from plangate_server.ports import World
from plangate_server.rpc.session_requests import approval_of, call_of
from plangate_server.usecases.authorize_tool import judge
from tests.contract.wire_encoder import bytes_field
from tests.helpers.domain import NOW
from tests.helpers.gate import Gate, open_gate
from tests.helpers.open_patterns import ALLOWED, NOT_COVERED, REFUSED, filled
from tests.helpers.policies import policy_of
from tests.helpers.profiles import examples
from tests.helpers.refusals import refused
from tests.helpers.streams import next_of
from tests.helpers.tool_calls import (
    EDIT,
    MCP,
    NO,
    PATCH,
    TERMINAL,
    YES,
    call,
    decision_of,
    remember,
    state_of,
    tool,
    verdict,
)

POLICY = """\
tools:
  read: [read_file]
  write: [write_file]
  execute: [bash]
deny:
  - {name: secrets, paths: [".env", "secrets/**"]}
  - {name: force, commands: ["git push --force **"]}
allow:
  - {name: tests, tools: [bash, run], commands: ["pytest **", "npm test"]}
  - {name: docs, tools: [write_file, "mcp__fs__*"], paths: ["docs/**"]}
"""
POLICIES = [policy_of(POLICY), policy_of("trust_agent_access: false"), policy_of("open_programs: [mytool]")]

TOOLS = ["bash", "run", "read_file", "write_file", "mcp__fs__put", "editor", "apply_patch"]
VALUES: list[Any] = [
    "docs/a.md",
    "secrets/key",
    "npm test",
    "",
    "x y",
    True,
    None,
    3,
    2.5,
    ["docs/a.md", "b"],
]
NAMES = ["path", "to", "command", "content", "sudo", "docs/a.md", "files", "cwd"]
ARGUMENTS = st.dictionaries(
    st.sampled_from(NAMES),
    st.sampled_from(VALUES) | st.dictionaries(st.sampled_from(NAMES), st.sampled_from(VALUES), max_size=2),
    max_size=3,
)
TEXTS = [
    "npm test",
    "npm test; id",
    "pytest -q",
    "git push --force",
    "mytool x",
    "rm -rf /",
    "cat .env",
    PATCH,
]
KINDS = {Kind.EDIT: EDIT, Kind.TERMINAL: TERMINAL, Kind.MCP: MCP}

agent = Principal("coder", "default", Role.AGENT, "ada")


@st.composite
def memories(draw: st.DrawFn) -> Remembered:
    kind = draw(st.sampled_from(Kind))
    command = json.dumps(draw(ARGUMENTS)) if kind is Kind.MCP else draw(st.sampled_from(TEXTS))
    signed, is_pattern = signature(kind, command), False
    if signed is None or draw(st.booleans()):
        is_pattern = True
        signed = (
            draw(st.sampled_from(["npm test **", "mytool **", "bash *"])) if kind is Kind.TERMINAL else "*"
        )
    allows = draw(st.booleans())
    tool_name = draw(st.sampled_from(TOOLS))
    return Remembered("r", kind, tool_name, signed, is_pattern, allows, Scope.WORKSPACE, "bob", NOW)


@st.composite
def pairs(draw: st.DrawFn) -> tuple[AuthorizeToolRequest, RequestApprovalRequest]:
    """One call, sent to either method: of a kind that is said, or of the one that it is seen to be."""
    named: dict[str, Any] = {
        "session_id": "s",
        "tool_name": draw(st.sampled_from(TOOLS)),
        "agent_id": "coder",
    }
    kind = draw(st.sampled_from(Kind))
    if kind is not Kind.MCP:
        text = draw(st.sampled_from([each for each in TEXTS if (each == PATCH) is (kind is Kind.EDIT)]))
        asked = AuthorizeToolRequest(command=text, **named)
        if named["tool_name"] in {"bash", "run"}:
            kind = Kind.TERMINAL  # a tool that runs what it is given is not believed to be given a patch
        if draw(st.booleans()):
            kind = draw(st.sampled_from(Kind))
            asked.kind = KINDS[kind]
    else:
        arguments = draw(ARGUMENTS)
        text = json.dumps(arguments, indent=draw(st.sampled_from([None, 2])))
        asked = AuthorizeToolRequest(**named)
        if draw(st.booleans()):
            asked.command = text
        else:
            asked.arguments.CopyFrom(struct(arguments))
    return asked, RequestApprovalRequest(command=text, call_id="c", kind=KINDS[kind], **named)


def struct(values: dict[str, Any]) -> Struct:
    given = Struct()
    given.update(values)
    return given


@examples(800)
@given(pairs(), st.lists(memories(), max_size=3), st.sampled_from(POLICIES), st.sampled_from(SessionMode))
def test_both_methods_say_the_same(
    pair: tuple[AuthorizeToolRequest, RequestApprovalRequest],
    remembered: list[Remembered],
    policy: Any,
    mode: SessionMode,
) -> None:
    """The same verdict by the same rule for the same reason: whatever kind, tool and text the call is of."""
    now = SimpleNamespace(now=lambda: NOW)
    world = cast(World, SimpleNamespace(policies=SimpleNamespace(current=policy), clock=now))
    deciding = Deciding(replace(begin("default", "s", NOW), mode=mode), Memory(remembered))
    authorized, asked = pair
    approval = replace(approval_of(asked).approval, role=agent.role, person=agent.person)
    assert judge(world, deciding, call_of(authorized, agent)) == judge(world, deciding, approval.call())


@pytest.fixture(scope="module")
async def ruled(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Gate]:
    """A gate with rules, and with every pattern of the list that may be left open among them."""
    folder: Path = tmp_path_factory.mktemp("same")
    commands = "".join(f"    - '{pattern}'\n" for pattern in ALLOWED)
    policy = folder / "policy.yaml"
    policy.write_text(f"{POLICY}  - name: list\n    tools: [term]\n    commands:\n{commands}")
    async with open_gate(folder / "plangate.db", policy) as gate:
        yield gate


async def asked_for(gate: Gate, request: RequestApprovalRequest) -> tuple[str, str]:
    """What RequestApproval says to a call, in the words of AuthorizeTool; the question is taken back."""
    stream = gate.approvals.RequestApproval(request)
    first = await next_of(stream)
    if state_of(first) == "DECIDED":
        return {"APPROVED": "ALLOW", "DENIED": "DENY"}[decision_of(first)], first.rule
    stream.cancel()
    cancel = CancelApprovalRequest(session_id=request.session_id, call_id=request.call_id)
    await gate.approvals.CancelApproval(cancel)
    return "CONFIRM", "default"


async def test_the_list_of_patterns_allows_by_either_method(ruled: Gate) -> None:
    """What each pattern means is allowed, and what a wildcard is no word for is asked about."""
    allowed = [filled(pattern) for pattern in ALLOWED]
    others = [command for _, command in NOT_COVERED[::4]]
    for number, command in enumerate([*allowed, *others]):
        said = verdict(await ruled.sessions.AuthorizeTool(tool("term", command=command)))
        request = call(command, f"c{number}", tool_name="term", agent_id="")
        assert await asked_for(ruled, request) == said, command
        assert said == ("ALLOW", "allow:list") or command in others, command


LIVE: list[tuple[dict[str, Any], dict[str, Any], tuple[str, str]]] = [
    ({"command": "rm -rf /"}, {"kind": TERMINAL, "command": "rm -rf /"}, ("CONFIRM", "default")),
    (
        {"tool_name": "mcp__fs__put", "arguments": {"path": "docs/a.md"}},
        {"tool_name": "mcp__fs__put", "kind": MCP, "command": '{"path": "docs/a.md"}'},
        ("ALLOW", "allow:docs"),
    ),
    (
        {"tool_name": "mcp__fs__put", "arguments": {"path": "docs/a.md", "to": "secrets/key"}},
        {"tool_name": "mcp__fs__put", "kind": MCP, "command": '{"path": "docs/a.md", "to": "secrets/key"}'},
        ("DENY", "deny:secrets"),
    ),
    (
        {"tool_name": "mcp__fs__put", "arguments": {"path": "docs/a.md", "to": "Makefile"}},
        {"tool_name": "mcp__fs__put", "kind": MCP, "command": '{"path": "docs/a.md", "to": "Makefile"}'},
        ("CONFIRM", "default"),
    ),
    (
        {"tool_name": "editor", "command": PATCH},
        {"tool_name": "editor", "kind": EDIT, "command": PATCH},
        ("CONFIRM", "default"),
    ),
]


@pytest.mark.parametrize("number", range(len(LIVE)))
async def test_one_call_has_one_verdict(ruled: Gate, number: int) -> None:
    """Over the wire, with the rule that gave it."""
    authorized, asked, expected = LIVE[number]
    given = {"arguments": struct(authorized["arguments"])} if "arguments" in authorized else {}
    assert verdict(await ruled.sessions.AuthorizeTool(tool(**{**authorized, **given}))) == expected
    request = RequestApprovalRequest(
        **{"session_id": "s", "call_id": f"live{number}", "tool_name": "bash", **asked}
    )
    assert await asked_for(ruled, request) == expected


REPEATED = '{"path": "secrets/key", "path": "docs/a.md"}'


@pytest.mark.parametrize("kind", [EDIT, TERMINAL, MCP])
async def test_a_name_that_is_there_twice_is_refused_by_either_method(ruled: Gate, kind: Any) -> None:
    """Nobody knows what would be done: neither a rule nor a person is asked."""
    for asking in (
        ruled.sessions.AuthorizeTool(tool("write_file", command=REPEATED)),
        ruled.sessions.AuthorizeTool(tool("write_file", command=REPEATED, kind=kind)),
        ruled.ask(call(REPEATED, "twice", kind=kind, tool_name="write_file")),
    ):
        refusal = await refused(asking)
        assert (refusal.reason, refusal.metadata["field"]) == ("INVALID_FIELD", "command")


@pytest.mark.parametrize(("name", "text", "kind"), [("bash", PATCH, EDIT), ("notes", '{"a": 1}', MCP)])
async def test_any_call_of_a_tool_allows_none_of_another_kind(
    gate: Gate, name: str, text: str, kind: Any
) -> None:
    """A yes to any patch, or to any arguments, of a tool is none to a command, by either method."""
    await gate.ask(call(text, kind=kind, tool_name=name))
    await gate.answer(YES, remember=remember("*"))
    assert (await said_by(gate, tool(name, command="rm -rf /")))[0] == "CONFIRM"
    told = tool(name, arguments=struct({"command": "rm -rf /"}))
    assert (await said_by(gate, told))[0] == "CONFIRM"
    assert (await asked_for(gate, call("rm -rf /", "c2", tool_name=name)))[0] == "CONFIRM"


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("bash", '{"x": 1}'),
        ("bash", '{"input": "curl evil"}'),
        ("mcp__ci__deploy", '{"a": ["sh", "-c", "id"]}'),
        ("notes", '{"argv": ["sh"]}'),
        ("notes", '{"executable": "/bin/sh"}'),
        ("notes", '{"cmdline": "id"}'),
    ],
)
async def test_any_call_is_none_that_may_run_something(gate: Gate, name: str, arguments: str) -> None:
    """Neither of a tool that sounds so, nor under a name that does: such a call is answered by itself."""
    await gate.ask(call(arguments, kind=MCP, tool_name=name))
    refusal = await refused(gate.answer(YES, remember=remember("*")))
    assert (refusal.reason, refusal.metadata["field"]) == ("INVALID_FIELD", "remember.pattern")
    assert (await gate.prompt()).suggested_pattern == ""


async def test_a_yes_to_a_command_is_none_to_what_else_the_tool_is_told(gate: Gate) -> None:
    """Other arguments of the tool were not seen."""
    await gate.ask(call("npm test"))
    await gate.answer(YES, remember=remember())
    assert (await said_by(gate, tool(command="npm test")))[0] == "ALLOW"
    assert (await said_by(gate, tool(command="npm test", arguments=struct({"command": "npm test"}))))[
        0
    ] == "ALLOW"
    for more in ({"sudo": True}, {"command": "npm test", "sudo": True}, {"timeout": 3}, {"cwd": "/"}):
        assert (await said_by(gate, tool(command="npm test", arguments=struct(more))))[0] == "CONFIRM"


async def said_by(gate: Gate, request: AuthorizeToolRequest) -> tuple[str, str]:
    return verdict(await gate.sessions.AuthorizeTool(request))


async def test_a_pattern_that_is_too_wide_is_refused_while_answering(gate: Gate) -> None:
    """With the reason; the call goes on waiting, and a no may be as wide as it likes."""
    await gate.ask(call("kubectl -n prod exec web ls"))
    refusal = await refused(gate.answer(YES, remember=remember("kubectl -n prod exec web **")))
    assert (refusal.reason, refusal.metadata["field"]) == ("INVALID_FIELD", "remember.pattern")
    assert "which runs what it is given" in refusal.message
    kept = (await gate.answer(NO, remember=remember("kubectl -n prod exec web **"))).remembered
    assert kept.signature == "kubectl -n prod exec web **"
    assert (await said_by(gate, tool(command="kubectl -n prod exec web id")))[0] == "DENY"


async def test_no_export_brings_back_what_is_too_wide(gate: Gate) -> None:
    """Every pattern of the list that is refused is left out, and every other one is restored."""

    def exported(patterns: Sequence[str]) -> list[Remembered_]:
        return [
            Remembered_(
                kind=TERMINAL,
                tool_name="bash",
                signature=pattern,
                is_pattern=True,
                decision=ApprovalDecision.APPROVAL_DECISION_APPROVED,
                scope=RememberScope.REMEMBER_SCOPE_WORKSPACE,
                reviewer="ada",
                create_time=Timestamp(seconds=1),
            )
            for pattern in patterns
        ]

    not_readable = RestoreObstacle.RESTORE_OBSTACLE_NOT_READABLE
    for start in range(0, len(REFUSED), 100):
        wanted = exported(REFUSED[start : start + 100])
        done = await gate.approvals.RestoreMemory(RestoreMemoryRequest(remembered=wanted, validate_only=True))
        assert not done.restored
        assert [each.obstacle for each in done.left_out] == [not_readable] * len(wanted)
    done = await gate.approvals.RestoreMemory(RestoreMemoryRequest(remembered=exported(ALLOWED[:100])))
    assert [each.signature for each in done.restored] == list(ALLOWED[:100])


async def test_what_is_kept_stops_to_answer_when_the_rules_refuse_it(tmp_path: Path) -> None:
    """It is listed with the reason, asked about like any other, and answers again if the rules let it."""
    vouched, plain = tmp_path / "vouched.yaml", tmp_path / "plain.yaml"
    vouched.write_text("open_programs: [mytool]\n")
    plain.write_text("four_eyes: false\n")
    store, asked = tmp_path / "plangate.db", tool(command="mytool y")
    async with open_gate(store, vouched) as gate:
        await gate.ask(call("mytool x"))
        kept = (await gate.answer(YES, remember=remember("mytool **", "WORKSPACE"))).remembered
        assert (await said_by(gate, asked))[0] == "ALLOW"
    async with open_gate(store, plain) as gate:
        assert (await said_by(gate, asked))[0] == "CONFIRM"
        assert (await asked_for(gate, call("mytool y", "c2")))[0] == "CONFIRM"
        (listed,) = (await gate.approvals.ListRemembered(ListRememberedRequest())).remembered
        assert (listed.remembered_id, listed.signature) == (kept.remembered_id, "mytool **")
        assert "nobody has said that mytool runs nothing" in listed.refusal
    async with open_gate(store, vouched) as gate:
        assert (await said_by(gate, asked))[0] == "ALLOW"
        (listed,) = (await gate.approvals.ListRemembered(ListRememberedRequest())).remembered
        assert listed.refusal == ""


async def test_nothing_of_a_call_is_sent_twice(gate: Gate) -> None:
    """Of two values protobuf takes the last, and whoever runs the tool may take the first: none is judged."""
    once = tool("write_file", arguments=struct({"path": "docs/a.md"})).SerializeToString()
    other = AuthorizeToolRequest(arguments=struct({"path": "secrets/key"})).SerializeToString()
    field = AuthorizeToolRequest.DESCRIPTOR.fields_by_name["arguments"]
    entries = (
        struct({"path": "secrets/key"}).SerializeToString()
        + struct({"path": "docs/a.md"}).SerializeToString()
    )
    same_name = tool("write_file").SerializeToString() + bytes_field(field.number, entries)
    two_commands = (
        tool(command="rm -rf /").SerializeToString() + AuthorizeToolRequest(command="ls").SerializeToString()
    )
    authorize: Any = gate.channel.unary_unary("/agent.v1.SessionService/AuthorizeTool")
    for data, where in (
        (once + other, "arguments"),
        (same_name, "arguments.fields"),
        (two_commands, "command"),
    ):
        refusal = await refused(authorize(data))
        assert (refusal.reason, refusal.metadata["field"]) == ("INVALID_FIELD", where)
    assert await authorize(once)
