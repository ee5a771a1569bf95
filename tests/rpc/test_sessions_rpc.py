"""Sessions: they come into being when they are named, and say where they stand and what waits."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from plangate_proto.agent.v1.agent_session_service_pb2 import (
    GetSessionRequest,
    ReportEventRequest,
    ReportEventResponse,
    SetModeRequest,
)
from plangate_proto.agent.v1.plan_resource_pb2 import BuildOutcome
from plangate_proto.agent.v1.plan_service_pb2 import FinishBuildRequest
from plangate_proto.agent.v1.tool_approval_service_pb2 import CancelApprovalRequest
from tests.helpers.gate import Gate, proposal
from tests.helpers.refusals import refused
from tests.helpers.tool_calls import (
    AGENT,
    NO,
    PLAN,
    YES,
    call,
    event,
    fsm_of,
    full_access_of,
    mode_of,
    tool,
)
from tests.rpc.bad_requests import Bad
from tests.rpc.steps import COMPLETED, build, now, updated, with_todos, write

GET = "/agent.v1.SessionService/GetSession"
REPORT = "/agent.v1.SessionService/ReportEvent"


async def report(gate: Gate, name: str, **fields: str) -> ReportEventResponse:
    request = ReportEventRequest(session_id=fields.pop("session_id", "s"), event=event(name), **fields)
    return await gate.sessions.ReportEvent(request)


async def test_a_session_that_nobody_named_is_not_there(gate: Gate) -> None:
    """GetSession refuses by the field and the id, as documented."""
    refusal = await refused(gate.session("s"))
    Bad(GET, "SESSION_NOT_FOUND", b"", {"field": "session_id", "session_id": "s"}).check(refusal)


async def test_asking_what_is_allowed_names_no_session(gate: Gate) -> None:
    """AuthorizeTool brings no session into being."""
    await gate.sessions.AuthorizeTool(tool())
    assert (await refused(gate.session("s"))).reason == "SESSION_NOT_FOUND"


@pytest.mark.parametrize("way", ["plan", "mode", "event", "call"])
async def test_a_session_comes_into_being_when_it_is_named(gate: Gate, way: str) -> None:
    """By a plan, a mode, a reported event or a tool call; and it is then the only one of its name."""
    ways: dict[str, Callable[[], Awaitable[object]]] = {
        "plan": lambda: gate.propose(proposal(session_id="s")),
        "mode": lambda: gate.sessions.SetMode(SetModeRequest(session_id="s", mode=PLAN)),
        "event": lambda: report(gate, "RECEIVE_MESSAGE"),
        "call": lambda: gate.ask(call()),
    }
    await ways[way]()
    session = await gate.session("s")
    assert session.session_id == "s"
    assert session.create_time == session.update_time
    assert (await refused(gate.session("S"))).reason == "SESSION_NOT_FOUND"


async def test_a_new_session_has_nothing_behind_it(gate: Gate) -> None:
    """The usual rules, no full access, idle, nothing that waits, and messages can be sent."""
    await gate.sessions.SetMode(SetModeRequest(session_id="s", mode=PLAN))
    await gate.sessions.SetMode(SetModeRequest(session_id="s", mode=AGENT))
    session = await gate.session("s")
    assert (mode_of(session), full_access_of(session), fsm_of(session)) == ("AGENT", "HIDDEN", "IDLE")
    assert (session.queue_length, session.can_send, session.waiting_for_plan_approval) == (0, True, False)
    assert (session.plan_uri, session.HasField("last_decision")) == ("", False)


async def test_a_session_shows_what_waits_and_what_was_answered(gate: Gate) -> None:
    """The queue with the active call in it, no sending while something waits, and the last answer."""
    await gate.ask(call("make one", "c1"))
    await gate.ask(call("make two", "c2"))
    session = await gate.session("s")
    assert (session.queue_length, session.can_send, session.HasField("last_decision")) == (2, False, False)
    first = (await gate.answer(NO, feedback_text="Not one")).approval
    session = await gate.session("s")
    assert (session.queue_length, session.can_send, session.last_decision) == (1, False, first)
    second = (await gate.answer(YES)).approval
    session = await gate.session("s")
    assert (session.queue_length, session.can_send, session.last_decision) == (0, True, second)
    assert session.update_time.ToDatetime() == second.decide_time.ToDatetime()


async def test_what_was_taken_back_is_no_decision(gate: Gate) -> None:
    """A cancelled call leaves the queue and does not become the last answer."""
    await gate.ask(call())
    answered = (await gate.answer(YES)).approval
    await gate.ask(call("make two", "c2"))
    await gate.approvals.CancelApproval(CancelApprovalRequest(session_id="s", call_id="c2"))
    session = await gate.session("s")
    assert (session.queue_length, session.can_send, session.last_decision) == (0, True, answered)


async def test_plans_drive_their_session(gate: Gate) -> None:
    """Proposed, changed on request, approved, built and finished: the session is where the plan is."""
    plan = await gate.propose(with_todos(session_id="s"))
    session = await gate.session("s")
    assert (fsm_of(session), session.waiting_for_plan_approval) == ("PLAN_REVIEW", True)
    assert session.plan_uri == plan.plan_uri
    await gate.decide(plan, "requestChanges", "Sweep twice")
    session = await gate.session("s")
    assert (fsm_of(session), session.waiting_for_plan_approval) == ("ARCHITECT_PLANNING", False)
    plan = await updated(gate, plan, "# Sweep twice")
    assert fsm_of(await gate.session("s")) == "PLAN_REVIEW"
    await gate.decide(plan, "approve")
    session = await gate.session("s")
    assert (fsm_of(session), session.waiting_for_plan_approval) == ("PLAN_EXECUTION", False)


@pytest.mark.parametrize(("outcome", "leads_to"), [("COMPLETED", "COMPLETED"), ("FAILED", "ERROR_HANDLING")])
async def test_the_end_of_a_build_drives_the_session(gate: Gate, outcome: str, leads_to: str) -> None:
    """FinishBuild leads to where the seed says, and the next message begins anew."""
    plan = await gate.propose(with_todos(session_id="s"))
    await gate.decide(plan, "approve")
    started = await build(gate, plan)
    finish = FinishBuildRequest(
        build_id=started.build_id, outcome=BuildOutcome.Value(f"BUILD_OUTCOME_{outcome}")
    )
    if outcome == "COMPLETED":
        await write(gate, plan, *(now(id, COMPLETED) for id in "abc"), build_id=started.build_id)
    await gate.agent.FinishBuild(finish)
    assert fsm_of(await gate.session("s")) == leads_to
    assert fsm_of((await report(gate, "RECEIVE_MESSAGE")).session) == "CLASSIFY"


async def test_a_rejected_plan_leaves_the_session_idle(gate: Gate) -> None:
    """A no ends the review, and nothing is going on."""
    await gate.decide(await gate.propose(proposal(session_id="s")), "reject", "Not in winter")
    session = await gate.session("s")
    assert (fsm_of(session), session.waiting_for_plan_approval) == ("IDLE", False)


async def test_several_plans_wait_until_the_last_is_decided(gate: Gate) -> None:
    """The session waits as long as any of its plans is in review, and names the newest."""
    plans = [
        await gate.propose(proposal(f"# {number}", session_id="s", multi_plan=True)) for number in range(2)
    ]
    await gate.decide(plans[1], "approve")
    session = await gate.session("s")
    assert (session.waiting_for_plan_approval, session.plan_uri) == (True, plans[1].plan_uri)
    await gate.decide(plans[0], "reject")
    session = await gate.session("s")
    assert (session.waiting_for_plan_approval, session.plan_uri) == (False, plans[1].plan_uri)


async def test_a_plan_without_a_session_drives_none(gate: Gate) -> None:
    """There is no session without a name."""
    await gate.propose()
    refusal = await refused(gate.session(""))
    Bad(GET, "MISSING_FIELD", b"", {"field": "session_id"}).check(refusal)


async def test_an_agent_reports_what_only_it_knows(gate: Gate) -> None:
    """From the message to the planner, each event leads where the seed says."""
    told = [
        fsm_of((await report(gate, name)).session)
        for name in (
            "RECEIVE_MESSAGE",
            "IS_ATOMIC_TRUE",
            "RECEIVE_MESSAGE",
            "IS_ATOMIC_FALSE",
            "ROUTE_TO_ARCHITECT",
            "RESET",
        )
    ]
    assert told == ["CLASSIFY", "IDLE", "CLASSIFY", "PLAN_REQUIRED", "ARCHITECT_PLANNING", "IDLE"]


@pytest.mark.parametrize(
    ("before", "name", "allowed"),
    [
        ([], "IS_ATOMIC_TRUE", "RECEIVE_MESSAGE, RESET"),
        ([], "ROUTE_TO_ARCHITECT", "RECEIVE_MESSAGE, RESET"),
        (["RECEIVE_MESSAGE"], "RECEIVE_MESSAGE", "IS_ATOMIC_TRUE, IS_ATOMIC_FALSE, RESET"),
        (["RECEIVE_MESSAGE", "IS_ATOMIC_FALSE"], "IS_ATOMIC_TRUE", "ROUTE_TO_ARCHITECT, RESET"),
        (["RECEIVE_MESSAGE", "IS_ATOMIC_FALSE", "ROUTE_TO_ARCHITECT"], "ROUTE_TO_ARCHITECT", "RESET"),
    ],
)
async def test_a_forbidden_event_is_refused(gate: Gate, before: list[str], name: str, allowed: str) -> None:
    """The refusal names the state, the event and the events that are allowed; the session stays."""
    for earlier in ["RESET", *before]:
        await report(gate, earlier)
    session = await gate.session("s")
    refusal = await refused(report(gate, name))
    told = {"session_id": "s", "fsm_state": fsm_of(session), "event": name, "allowed": allowed}
    Bad(REPORT, "FORBIDDEN_TRANSITION", b"", told).check(refusal)
    assert await gate.session("s") == session


@pytest.mark.parametrize(
    "name",
    [
        "PLAN_CREATED",
        "PLAN_APPROVED",
        "PLAN_REJECTED",
        "PLAN_MODIFICATION_REQUESTED",
        "PLAN_EXECUTION_COMPLETED",
        "PLAN_EXECUTION_FAILED",
    ],
)
async def test_what_plans_drive_cannot_be_reported(gate: Gate, name: str) -> None:
    """Not even where the event would fit: an agent cannot say that its plan was approved."""
    await gate.propose(proposal(session_id="s"))
    refusal = await refused(report(gate, name))
    told = {"session_id": "s", "fsm_state": "PLAN_REVIEW", "event": name, "allowed": "RESET"}
    Bad(REPORT, "FORBIDDEN_TRANSITION", b"", told).check(refusal)


async def test_a_refused_event_names_no_session(gate: Gate) -> None:
    """A report that is refused leaves no session behind."""
    await refused(report(gate, "IS_ATOMIC_TRUE"))
    assert (await refused(gate.session("s"))).reason == "SESSION_NOT_FOUND"


async def test_a_repeated_report_is_one_event(gate: Gate) -> None:
    """The same request_id gives the first answer, though the event would be forbidden by now."""
    first = await report(gate, "RECEIVE_MESSAGE", request_id="r1")
    await report(gate, "IS_ATOMIC_FALSE")
    assert await report(gate, "RECEIVE_MESSAGE", request_id="r1") == first
    assert fsm_of(await gate.session("s")) == "PLAN_REQUIRED"
    refusal = await refused(report(gate, "RESET", request_id="r1"))
    Bad(REPORT, "REQUEST_ID_REUSED", b"", {"request_id": "r1"}).check(refusal)


async def test_sessions_are_apart(gate: Gate) -> None:
    """What happens in one, twenty at once, changes nothing in another."""
    names = [f"s{number}" for number in range(20)]
    await asyncio.gather(*(report(gate, "RECEIVE_MESSAGE", session_id=name) for name in names))
    await gate.ask(call(session_id="s0"))
    await report(gate, "IS_ATOMIC_FALSE", session_id="s1")
    found = [await gate.session(name) for name in names]
    assert [session.queue_length for session in found] == [1, *[0] * 19]
    assert [fsm_of(session) for session in found] == ["CLASSIFY", "PLAN_REQUIRED", *["CLASSIFY"] * 18]


async def test_a_session_is_read_as_it_was_answered(gate: Gate) -> None:
    """GetSession gives what the write gave: nobody reads behind their own write."""
    for name in ("RECEIVE_MESSAGE", "IS_ATOMIC_FALSE"):
        answered = (await report(gate, name)).session
        read = await gate.sessions.GetSession(GetSessionRequest(session_id="s"))
        assert read.session == answered
