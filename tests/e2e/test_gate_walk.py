"""The whole way of an agent through the gate, with people on the other side, over a server process."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from plangate_proto.agent.v1.agent_session_service_pb2 import (
    ConfirmFullAccessRequest,
    ReportEventRequest,
    Session,
    SetModeRequest,
    ToolAccess,
    WatchSessionRequest,
)
from plangate_proto.agent.v1.create_plan_tool_pb2 import CreatePlanArgs
from plangate_proto.agent.v1.plan_resource_pb2 import Plan
from plangate_proto.agent.v1.plan_service_pb2 import (
    BuildTodosRequest,
    CreatePlanRequest,
    ReviewPlanRequest,
    UpdatePlanRequest,
)
from plangate_proto.agent.v1.todo_tools_pb2 import TodoItem
from plangate_proto.agent.v1.tool_approval_service_pb2 import (
    CancelApprovalRequest,
    ResetMemoryRequest,
    WatchApprovalsRequest,
)
from plangate_proto.aiserver.v1.plan_review_service_pb2 import VerifyAuditRequest
from tests.e2e.processes import serving
from tests.helpers.gate import Gate, connected
from tests.helpers.refusals import refused
from tests.helpers.resuming import log_of
from tests.helpers.streams import next_of, rest_of, types
from tests.helpers.tokens import ADMIN
from tests.helpers.tool_calls import (
    FULL_ACCESS,
    NO,
    PLAN,
    RESTART,
    YES,
    call,
    decision_of,
    event,
    fsm_of,
    full_access_of,
    mode_of,
    outcome,
    patch,
    remember,
    resolution,
    standing,
    tool,
    verdict,
)

READ, WRITE = ToolAccess.TOOL_ACCESS_READ, ToolAccess.TOOL_ACCESS_WRITE
TODOS = [TodoItem(id="sort", content="Sort the boxes"), TodoItem(id="sweep", content="Sweep the floor")]


@asynccontextmanager
async def agent_and_person(database: Path) -> AsyncIterator[tuple[Gate, Gate]]:
    """Two clients of one server process, each with a connection of its own."""
    async with (
        serving(database) as server,
        connected(server.address) as agent,
        connected(server.address) as person,
    ):
        yield agent, person


async def say(agent: Gate, tool_name: str, **fields: Any) -> tuple[str, str]:
    return verdict(await agent.sessions.AuthorizeTool(tool(tool_name, **fields)))


async def set_mode(gate: Gate, mode: Any) -> Session:
    return (await gate.sessions.SetMode(SetModeRequest(session_id="s", mode=mode))).session


async def decided(agent: Gate, person: Gate, plan: Plan, option: str, feedback: str = "") -> tuple[str, str]:
    """The agent waits for the decision about its plan, the person makes it; gives what the agent is told."""
    stream = agent.agent.ReviewPlan(ReviewPlanRequest(plan_uri=plan.plan_uri))
    await next_of(stream)
    await person.decide(plan, option, feedback)
    told = [response.event for response in await rest_of(stream)]
    return types(told[:1])[0], told[0].message


async def revised(agent: Gate, plan: Plan, text: str) -> Plan:
    request = UpdatePlanRequest(
        plan_uri=plan.plan_uri, expected_revision=plan.revision, args=CreatePlanArgs(plan=text, todos=TODOS)
    )
    return (await agent.agent.UpdatePlan(request)).plan


async def explore_and_plan(agent: Gate, person: Gate) -> Plan:
    """Plan mode: look, be denied to write, propose, be refused and corrected, be approved, which ends it."""
    await agent.sessions.ReportEvent(ReportEventRequest(session_id="s", event=event("RECEIVE_MESSAGE")))
    assert mode_of(await set_mode(agent, PLAN)) == "PLAN"
    assert await say(agent, "read_file", access=READ) == ("ALLOW", "read_only")
    denied = await agent.sessions.AuthorizeTool(tool("write_file", access=WRITE))
    assert verdict(denied) == ("DENY", "plan_mode")
    assert "plan mode" in denied.reason
    (blocked,) = await rest_of(agent.approvals.RequestApproval(patch("too-early")))
    assert outcome(blocked) == ("DECIDED", "DENIED", "AUTO", "plan_mode")

    args = CreatePlanArgs(plan="# Burn the boxes", todos=TODOS)
    plan = await agent.propose(CreatePlanRequest(args=args, session_id="s", agent_id="builder"))
    session = await person.session()
    assert (fsm_of(session), session.waiting_for_plan_approval) == ("PLAN_REVIEW", True)
    assert await decided(agent, person, plan, "reject", "No fire") == ("PLAN_REJECTED", "No fire")
    assert fsm_of(await person.session()) == "IDLE"

    plan = await revised(agent, plan, "# Sort the boxes")
    told = await decided(agent, person, plan, "requestChanges", "And sweep")
    assert told == ("PLAN_MODIFICATION_REQUESTED", "And sweep")
    assert fsm_of(await person.session()) == "ARCHITECT_PLANNING"
    plan = await revised(agent, plan, "# Sort the boxes, then sweep")
    assert await decided(agent, person, plan, "approve") == ("PLAN_APPROVED", "")
    session = await person.session()
    assert (fsm_of(session), mode_of(session), session.waiting_for_plan_approval) == (
        "PLAN_EXECUTION",
        "AGENT",
        False,
    )
    assert await say(agent, "write_file", access=WRITE) == ("CONFIRM", "default"), "the yes ended plan mode"
    return plan


async def write_with_a_yes(agent: Gate, person: Gate, plan: Plan) -> None:
    """A write asks, waits for the person, is remembered; the next one passes without a prompt."""
    started = await agent.agent.BuildTodos(BuildTodosRequest(plan_uri=plan.plan_uri, agent_id="builder"))
    work = {"build_id": started.build_id, "todo_id": "sort"}
    assert await say(agent, "apply_patch", access=WRITE, **work) == ("CONFIRM", "default")
    watch = person.approvals.WatchApprovals(WatchApprovalsRequest(session_id="s"))
    assert not (await next_of(watch)).HasField("prompt")
    waiting = agent.approvals.RequestApproval(patch("write-1", **work))
    assert standing(await next_of(waiting)) == ("ACTIVE", 0)
    shown = (await next_of(watch)).prompt
    assert (shown.call_id, shown.command, shown.plan_uri) == ("write-1", patch().command, plan.plan_uri)
    assert not (await person.session()).can_send
    answer = await person.approvals.ResolveApproval(resolution(shown, YES, remember=remember("*")))
    (end,) = await rest_of(waiting)
    assert outcome(end) == ("DECIDED", "APPROVED", "MANUAL", ADMIN)
    assert end.digest == shown.digest
    assert (await person.session()).can_send

    (again,) = await rest_of(agent.approvals.RequestApproval(patch("write-2", **work)))
    rule = f"remembered:{answer.remembered.remembered_id}"
    assert outcome(again) == ("DECIDED", "APPROVED", "AUTO", rule)
    assert again.correlation_id == end.correlation_id
    seen = [await next_of(watch) for _ in range(3)]
    watch.cancel()
    assert [moment.HasField("prompt") for moment in seen] == [False] * 3, "nobody was asked a second time"


async def reject_a_patch(agent: Gate, person: Gate) -> None:
    """A patch that is refused is not applied, with the person's words; one taken back is not shown."""
    other = {"tool_name": "write_file"}
    first = agent.approvals.RequestApproval(patch("patch-1", **other))
    await next_of(first)
    second = agent.approvals.RequestApproval(patch("patch-2", "--- a/b\n+++ b/b\n", **other))
    assert standing(await next_of(second)) == ("QUEUED", 1)
    await person.answer(NO, feedback_text="Leave that file alone")
    (end,) = await rest_of(first)
    assert (decision_of(end), end.feedback_text) == ("DENIED", "Leave that file alone")
    assert standing(await next_of(second)) == ("ACTIVE", 0)
    prompt = await person.prompt()
    await agent.approvals.CancelApproval(CancelApprovalRequest(session_id="s", call_id="patch-2"))
    assert [standing(each) for each in await rest_of(second)] == [("CANCELLED", 0)]
    late = await refused(person.approvals.ResolveApproval(resolution(prompt, YES)))
    assert (late.reason, late.metadata["outcome"]) == ("ALREADY_DECIDED", "CANCELLED")
    assert not (await person.prompts()).HasField("prompt")


async def answer_in_order(agent: Gate, person: Gate) -> None:
    """Commands and patches that are asked for together are shown and answered in their order."""
    asked = [call(f"make {number}", f"order-{number}") for number in range(3)]
    asked.insert(1, patch("order-patch", tool_name="write_file"))
    streams: list[Any] = []
    for each in asked:
        streams.append(agent.approvals.RequestApproval(each))
        await next_of(streams[-1])
    ends: list[str] = []

    async def until_told(stream: Any, call_id: str) -> str:
        end = (await rest_of(stream))[-1]
        ends.append(call_id)
        return decision_of(end)

    told = [
        asyncio.create_task(until_told(stream, each.call_id))
        for stream, each in zip(streams, asked, strict=True)
    ]
    shown: list[str] = []
    for place, option in enumerate([YES, NO, YES, NO]):
        shown.append((await person.prompt()).call_id)
        await person.answer(option)
        await told[place]
    assert shown == ends == [each.call_id for each in asked]
    assert [task.result() for task in told] == [YES, NO, YES, NO]


async def full_access(agent: Gate, person: Gate) -> None:
    """Asked for by the agent, confirmed by the person, used without a prompt, and dropped on a reset."""
    session = await set_mode(agent, FULL_ACCESS)
    assert (mode_of(session), full_access_of(session)) == ("AGENT", "PENDING_CONFIRMATION")
    assert await say(agent, "bash", command="make all") == ("CONFIRM", "default")
    confirm = ConfirmFullAccessRequest(session_id="s", confirm=True)
    session = (await person.sessions.ConfirmFullAccess(confirm)).session
    assert (mode_of(session), full_access_of(session)) == ("FULL_ACCESS", "ACTIVE")
    (passed,) = await rest_of(agent.approvals.RequestApproval(call("make a && make b", "free")))
    assert outcome(passed) == ("DECIDED", "APPROVED", "AUTO", "full_access")
    reset = ResetMemoryRequest(kind=RESTART, session_id="s")
    assert (await person.approvals.ResetMemory(reset)).cleared == 1
    session = await person.session()
    assert (mode_of(session), full_access_of(session)) == ("AGENT", "HIDDEN")
    assert await say(agent, "bash", command="make all") == ("CONFIRM", "default")
    assert standing(await agent.ask(patch("write-3"))) == ("ACTIVE", 0), "what was remembered is gone, too"
    await person.answer(NO)


async def test_an_agent_walks_through_the_gate(tmp_path: Path) -> None:
    """Seeds 003 and 004 in one walk: plan mode, plan, tool calls, memory, patches, order, full access."""
    async with agent_and_person(tmp_path / "plangate.db") as (agent, person):
        plan = await explore_and_plan(agent, person)
        watch = person.sessions.WatchSession(WatchSessionRequest(session_id="s"))
        await next_of(watch)
        await write_with_a_yes(agent, person, plan)
        await reject_a_patch(agent, person)
        await answer_in_order(agent, person)
        await full_access(agent, person)
        now = await person.session()
        while (await next_of(watch)).session != now:
            pass
        watch.cancel()
        log = types(await log_of(person))
        assert log.count("TOOL_CALL_REQUESTED") == 11
        assert log.count("TOOL_CALL_DECIDED") == 10
        assert log.count("TOOL_CALL_CANCELLED") == 1
        audit = await person.reviews.VerifyAudit(VerifyAuditRequest())
        assert (audit.valid, audit.checked) == (True, len(log))
