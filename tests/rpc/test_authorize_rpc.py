"""AuthorizeTool: every verdict with the rule that gave it, and what a call is tied to."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.struct_pb2 import Struct

from plangate_proto.agent.v1.agent_session_service_pb2 import SetModeRequest, ToolAccess
from plangate_proto.agent.v1.plan_resource_pb2 import BuildOutcome, Plan
from plangate_proto.agent.v1.plan_service_pb2 import FinishBuildRequest
from tests.helpers.gate import Gate, open_gate
from tests.helpers.refusals import refused
from tests.helpers.resuming import log_of
from tests.helpers.streams import rest_of
from tests.helpers.tokens import ADMIN
from tests.helpers.tool_calls import (
    EDIT,
    MCP,
    NO,
    PATCH,
    PLAN,
    YES,
    call,
    mcp,
    outcome,
    remember,
    tool,
    verdict,
)
from tests.rpc.bad_requests import Bad
from tests.rpc.steps import approved, build, updated, with_todos
from tests.rpc.test_races import reason

AUTHORIZE = "/agent.v1.SessionService/AuthorizeTool"
READ, WRITE, EXECUTE = (
    ToolAccess.TOOL_ACCESS_READ,
    ToolAccess.TOOL_ACCESS_WRITE,
    ToolAccess.TOOL_ACCESS_EXECUTE,
)

POLICY = """\
tools:
  read: [read_file, "list_*"]
  write: [write_file]
  execute: [bash]
deny:
  - name: no-secrets
    paths: [".env", "secrets/**"]
    reason: secrets stay where they are
  - name: no-force-push
    commands: ["git push --force **"]
  - name: no-rogues
    tools: ["*"]
    agents: ["rogue-*"]
allow:
  - name: tests
    tools: [bash]
    commands: ["pytest **"]
  - name: docs
    tools: [write_file]
    paths: ["docs/**"]
"""


@pytest.fixture(scope="module")
async def ruled(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Gate]:
    """A gate with an operator's rules; asking changes nothing in it."""
    folder: Path = tmp_path_factory.mktemp("ruled")
    policy = folder / "policy.yaml"
    policy.write_text(POLICY)
    async with open_gate(folder / "plangate.db", policy) as gate:
        yield gate


def arguments(**values: Any) -> Struct:
    given = Struct()
    given.update(values)
    return given


async def say(gate: Gate, request: Any) -> tuple[str, str]:
    return verdict(await gate.sessions.AuthorizeTool(request))


USUAL = {
    "a reader": (tool("look", access=READ), ("ALLOW", "read_only")),
    "a writer": (tool("edit", access=WRITE), ("CONFIRM", "default")),
    "a runner": (tool("run", access=EXECUTE), ("CONFIRM", "default")),
    "a tool that nobody knows": (tool("whatever"), ("CONFIRM", "default")),
    "a reader with a command": (tool("look", access=READ, command="ls"), ("CONFIRM", "default")),
    "a reader with arguments": (
        tool("look", access=READ, arguments=arguments(path="a.txt")),
        ("ALLOW", "read_only"),
    ),
}


@pytest.mark.parametrize("name", USUAL)
async def test_without_rules_only_reading_passes(empty_gate: Gate, name: str) -> None:
    """What the agent says about its tool is believed unless the tool is given a command."""
    request, expected = USUAL[name]
    assert await say(empty_gate, request) == expected


RULED = {
    "a known reader": (tool("read_file"), ("ALLOW", "read_only")),
    "a reader by pattern": (tool("list_files"), ("ALLOW", "read_only")),
    "a known writer that says it reads": (tool("write_file", access=READ), ("CONFIRM", "default")),
    "a known reader that says it runs": (tool("read_file", access=EXECUTE), ("CONFIRM", "default")),
    "an allowed command": (tool(command="pytest -q tests"), ("ALLOW", "allow:tests")),
    "an allowed command and another": (tool(command="pytest; rm -r x"), ("CONFIRM", "default")),
    "an allowed command of another tool": (tool("sh", command="pytest"), ("CONFIRM", "default")),
    "an allowed path": (
        tool("write_file", arguments=arguments(path="docs/a.md", text="hi")),
        ("ALLOW", "allow:docs"),
    ),
    "a path beside it": (tool("write_file", arguments=arguments(path="src/a.md")), ("CONFIRM", "default")),
    "a path that leads out": (
        tool("write_file", arguments=arguments(path="docs/../src/a.md")),
        ("CONFIRM", "default"),
    ),
    "one of two paths": (
        tool("write_file", arguments=arguments(paths=["docs/a.md", "src/a.md"])),
        ("CONFIRM", "default"),
    ),
    "a denied path": (tool("write_file", arguments=arguments(path=".env")), ("DENY", "deny:no-secrets")),
    "a denied path that is read": (
        tool("read_file", arguments=arguments(file_path="app/secrets/key")),
        ("DENY", "deny:no-secrets"),
    ),
    "a denied path in disguise": (
        tool("write_file", arguments=arguments(path="docs/../SECRETS/key")),
        ("DENY", "deny:no-secrets"),
    ),
    "a denied path deep inside": (
        tool("write_file", arguments=arguments(edits=[{"target": {"file": "secrets/key"}}])),
        ("DENY", "deny:no-secrets"),
    ),
    "a denied path in a patch": (
        tool("write_file", command=PATCH.replace("cellar.txt", "secrets/key")),
        ("DENY", "deny:no-secrets"),
    ),
    "a denied command": (tool(command="git push --force origin"), ("DENY", "deny:no-force-push")),
    "a denied command behind another": (
        tool(command="pytest && git  push -v --force origin"),
        ("DENY", "deny:no-force-push"),
    ),
    "a denied agent": (tool("read_file", agent_id="rogue-1"), ("DENY", "deny:no-rogues")),
    "a tool that nobody knows": (tool("whatever", agent_id="a"), ("CONFIRM", "default")),
}
for _request, _ in RULED.values():
    if not _request.agent_id:
        _request.agent_id = "builder"  # who does not say who they are may be any of those who are denied


@pytest.mark.parametrize("name", RULED)
async def test_the_operators_rules_are_asked_in_their_order(ruled: Gate, name: str) -> None:
    """Denies first, then what is allowed, each told by the name of its entry."""
    request, expected = RULED[name]
    assert await say(ruled, request) == expected


async def test_a_verdict_has_its_reason(ruled: Gate) -> None:
    """The operator's own words where there are any, and words in every case."""
    told = await ruled.sessions.AuthorizeTool(RULED["a denied path"][0])
    assert told.reason == "secrets stay where they are"
    for request, _ in RULED.values():
        assert len((await ruled.sessions.AuthorizeTool(request)).reason.split()) >= 3


async def test_plan_mode_comes_before_every_rule(ruled: Gate) -> None:
    """What the operator allows is denied in plan mode, and what is denied is so by plan mode first."""
    await ruled.sessions.SetMode(SetModeRequest(session_id="planning", mode=PLAN))
    for name in ("an allowed command", "an allowed path", "a denied path", "a denied command"):
        request = type(RULED[name][0])()
        request.CopyFrom(RULED[name][0])
        request.session_id = "planning"
        assert await say(ruled, request) == ("DENY", "plan_mode")
    reads = tool("read_file", session_id="planning", agent_id="builder")
    assert await say(ruled, reads) == ("ALLOW", "read_only")


@pytest.mark.parametrize(
    ("option", "said"), [(YES, ("ALLOW", "remembered")), (NO, ("DENY", "remembered_deny"))]
)
async def test_a_remembered_answer_is_a_verdict(gate: Gate, option: str, said: tuple[str, str]) -> None:
    """The rule is told with the id of what is remembered, and the reason says who decided what."""
    await gate.ask(call())
    kept = (await gate.answer(option, remember=remember())).remembered
    told = await gate.sessions.AuthorizeTool(tool(command="make test"))
    assert verdict(told) == (said[0], f"{said[1]}:{kept.remembered_id}")
    assert ADMIN in told.reason
    assert "make test" in told.reason
    assert await say(gate, tool(command="make")) == ("CONFIRM", "default")


async def test_a_remembered_yes_never_beats_a_deny(ruled: Gate) -> None:
    """A pattern that covers a forbidden call as well lets it through no more than before."""
    session = {"session_id": "pushing"}
    await ruled.ask(call("git push origin", **session))
    await ruled.answer(YES, remember=remember("git push **"), **session)
    allowed = tool(command="git push upstream", agent_id="builder", **session)
    assert (await say(ruled, allowed))[0] == "ALLOW"
    denied = tool(command="git push --force", agent_id="builder", **session)
    assert await say(ruled, denied) == ("DENY", "deny:no-force-push")


async def test_what_is_confirmed_can_be_asked_for(gate: Gate) -> None:
    """CONFIRM leads to a prompt, and ALLOW and DENY to an answer without one, by the same rule."""
    assert (await say(gate, tool(command="make test")))[0] == "CONFIRM"
    await gate.ask(call())
    assert (await gate.prompt()).command == "make test"
    await gate.sessions.SetMode(SetModeRequest(session_id="s", mode=PLAN))
    said, rule = await say(gate, tool(command="make test"))
    answers = await rest_of(gate.approvals.RequestApproval(call(call_id="c2")))
    assert said == "DENY"
    assert outcome(answers[0]) == ("DECIDED", "DENIED", "AUTO", rule)


async def test_asking_changes_nothing(gate: Gate) -> None:
    """However often, AuthorizeTool writes no event."""
    for _ in range(5):
        await gate.sessions.AuthorizeTool(tool(command="make test"))
    assert await log_of(gate) == []


async def test_a_subagent_has_what_its_parent_has(gate: Gate) -> None:
    """Mode and memory are those of the session that it names, whichever agent asks."""
    await gate.ask(call(agent_id="parent"))
    await gate.answer(YES, remember=remember())
    assert (await say(gate, tool(command="make test", agent_id="child")))[0] == "ALLOW"
    own = tool(command="make test", agent_id="child", session_id="childs")
    assert await say(gate, own) == ("CONFIRM", "default")
    await gate.sessions.SetMode(SetModeRequest(session_id="s", mode=PLAN))
    for agent_id in ("parent", "child", "grandchild", ""):
        assert await say(gate, tool(command="make test", agent_id=agent_id)) == ("DENY", "plan_mode")


async def test_a_subagent_waits_in_its_parents_queue(gate: Gate) -> None:
    """Calls of all agents of a session are shown one after the other, each with its agent."""
    for number, agent_id in enumerate(("parent", "child", "parent")):
        await gate.ask(call(f"make {number}", f"c{number}", agent_id=agent_id))
    seen: list[str] = []
    for _ in range(3):
        seen.append((await gate.prompt()).agent_id)
        await gate.answer(YES)
    assert seen == ["parent", "child", "parent"]


async def building(gate: Gate) -> tuple[Plan, str]:
    plan = await approved(gate, with_todos(session_id="s"))
    return plan, (await build(gate, plan, todo_ids=["a"])).build_id


async def test_a_call_is_tied_to_its_work(gate: Gate) -> None:
    """The correlation id is one for the same plan, build and todo, in both services, and no other's."""
    plan, build_id = await building(gate)
    works: list[dict[str, str]] = [
        {},
        {"plan_uri": plan.plan_uri},
        {"plan_uri": plan.plan_uri, "todo_id": "a"},
        {"build_id": build_id},
        {"build_id": build_id, "todo_id": "a"},
    ]
    ids: list[str] = []
    for number, work in enumerate(works):
        told = await gate.sessions.AuthorizeTool(tool(**work))
        again = await gate.sessions.AuthorizeTool(tool("other", access=READ, agent_id="other", **work))
        asked = await gate.ask(call(f"make {number}", f"c{number}", **work))
        assert told.correlation_id == again.correlation_id == asked.correlation_id
        ids.append(told.correlation_id)
    assert len(set(ids)) == len(works)
    whole = await gate.sessions.AuthorizeTool(tool(plan_uri=plan.plan_uri, build_id=build_id, todo_id="a"))
    assert whole.correlation_id == ids[-1], "the build says which plan it is of"


async def test_a_plan_that_is_approved_does_not_approve_calls(gate: Gate) -> None:
    """A call of a live build is asked about like any other."""
    _, build_id = await building(gate)
    assert await say(gate, tool(build_id=build_id, todo_id="a", command="make")) == ("CONFIRM", "default")


@pytest.mark.parametrize("end", ["finished", "revised"])
async def test_a_build_that_is_over_is_refused(gate: Gate, end: str) -> None:
    """Neither a finished build nor one whose plan was changed since lets a call be made for it."""
    plan, build_id = await building(gate)
    if end == "finished":
        failed = BuildOutcome.BUILD_OUTCOME_FAILED
        await gate.agent.FinishBuild(FinishBuildRequest(build_id=build_id, outcome=failed))
    else:
        await updated(gate, await gate.get(plan.plan_uri), "# Burn it")
    refusals = [
        await refused(gate.sessions.AuthorizeTool(tool(build_id=build_id))),
        await refused(gate.ask(call(build_id=build_id))),
    ]
    for refusal in refusals:
        assert (refusal.status, refusal.reason) in {
            ("FAILED_PRECONDITION", "BUILD_ENDED"),
            ("FAILED_PRECONDITION", "NOT_APPROVED"),
        }
    assert not (await gate.prompts()).HasField("prompt")


async def test_work_that_is_not_there_is_refused_by_its_field(gate: Gate) -> None:
    """A build of another plan, a todo of no build, and ids that nobody gave out."""
    plan, build_id = await building(gate)
    other = await gate.propose(with_todos(session_id="other"))
    unknown = "plangate://plans/" + "0" * 32
    table: dict[str, tuple[dict[str, str], dict[str, str]]] = {
        "PLAN_NOT_FOUND": ({"plan_uri": unknown}, {"field": "plan_uri", "plan_uri": unknown}),
        "MALFORMED_PLAN_URI": ({"plan_uri": "x"}, {"field": "plan_uri", "plan_uri": "x"}),
        "BUILD_NOT_FOUND": ({"build_id": "none"}, {"field": "build_id", "build_id": "none"}),
        "INVALID_FIELD": ({"build_id": build_id, "plan_uri": other.plan_uri}, {"field": "build_id"}),
        "TODO_NOT_FOUND": (
            {"build_id": build_id, "todo_id": "b"},
            {"field": "todo_id", "plan_uri": plan.plan_uri, "todo_id": "b"},
        ),
    }
    for why, (work, metadata) in table.items():
        refusal = await refused(gate.sessions.AuthorizeTool(tool(**work)))
        Bad(AUTHORIZE, why, b"", metadata).check(refusal)
        asked = await refused(gate.ask(call(**work)))
        assert (asked.reason, asked.metadata["field"]) == (why, metadata["field"])
    alone = await refused(gate.sessions.AuthorizeTool(tool(todo_id="a")))
    Bad(AUTHORIZE, "INVALID_FIELD", b"", {"field": "todo_id"}).check(alone)


async def test_an_mcp_call_is_known_by_its_arguments(gate: Gate) -> None:
    """What was remembered for arguments as JSON answers for the same ones in a Struct, and no others."""
    await gate.ask(mcp(arguments='{"to": "ada", "loud": true}'))
    await gate.answer(YES, remember=remember())
    same = tool("mcp__post__send", arguments=arguments(loud=True, to="ada"))
    assert (await say(gate, same))[0] == "ALLOW"
    for other in (arguments(to="ada"), arguments(to="bob", loud=True), arguments()):
        assert (await say(gate, tool("mcp__post__send", arguments=other)))[0] == "CONFIRM"


async def test_rules_look_into_a_call_that_is_asked_for(ruled: Gate) -> None:
    """Paths in a patch and in MCP arguments are denied in RequestApproval as in AuthorizeTool."""
    asked = [
        call(PATCH.replace("cellar.txt", ".env"), "c1", kind=EDIT, tool_name="write_file", session_id="deep"),
        call('{"path": "secrets/key"}', "c2", kind=MCP, tool_name="mcp__fs__put", session_id="deep"),
        call("cat secrets/key", "c3", session_id="deep"),
    ]
    for request in asked:
        answers = await rest_of(ruled.approvals.RequestApproval(request))
        assert outcome(answers[-1]) == ("DECIDED", "DENIED", "AUTO", "deny:no-secrets")
        assert answers[-1].feedback_text == "secrets stay where they are"


@pytest.mark.parametrize("number", [float("nan"), float("inf"), -float("inf")])
async def test_a_number_that_is_none_is_not_a_fault_of_the_service(gate: Gate, number: float) -> None:
    """Arguments may hold any number that a Struct can: the caller gets a verdict or a refusal by name."""
    request = tool("mcp__post__send", arguments=arguments(count=1))
    request.arguments.fields["count"].number_value = number
    assert await reason(gate.sessions.AuthorizeTool(request)) in {"", "INVALID_FIELD"}


async def test_an_argument_without_a_value_is_not_a_fault_of_the_service(gate: Gate) -> None:
    """A Value that says nothing counts as null."""
    request = tool("mcp__post__send")
    request.arguments.fields["empty"].Clear()
    assert (await say(gate, request))[0] == "CONFIRM"


async def test_plan_mode_does_not_take_an_agents_word(gate: Gate) -> None:
    """What has something to run, or a name that says so, does not only read because the agent says so."""
    await gate.sessions.SetMode(SetModeRequest(session_id="s", mode=PLAN))
    hidden = Struct()
    hidden.update({"command": "rm -rf /"})
    for request in (
        tool("inspect", access=READ, arguments=hidden),
        tool("bash", access=READ),
        tool("write_file", access=READ),
    ):
        assert verdict(await gate.sessions.AuthorizeTool(request)) == ("DENY", "plan_mode")
