"""Plan mode and full access: what they let through, what they tell, and how they end."""

import asyncio
from itertools import groupby
from typing import Any

import pytest

from plangate_proto.agent.v1.agent_session_service_pb2 import (
    ConfirmFullAccessRequest,
    ReportEventRequest,
    Session,
    SetModeRequest,
    SetModeResponse,
    ToolAccess,
    WatchSessionRequest,
)
from plangate_proto.agent.v1.review_event_pb2 import ReviewEvent
from plangate_proto.agent.v1.tool_approval_service_pb2 import ResetMemoryRequest
from plangate_proto.aiserver.v1.create_plan_tool_pb2 import CreatePlanParams
from plangate_proto.aiserver.v1.plan_service_pb2 import CreatePlanRequest as OtherRequest
from tests.helpers.gate import Gate, proposal
from tests.helpers.refusals import refused
from tests.helpers.resuming import log_of
from tests.helpers.streams import next_of, rest_of, types
from tests.helpers.tokens import ADMIN
from tests.helpers.tool_calls import (
    AGENT,
    FULL_ACCESS,
    OTHER_WORKSPACE,
    PLAN,
    RESTART,
    call,
    event,
    full_access_of,
    mode_of,
    outcome,
    patch,
    tool,
    verdict,
)
from tests.rpc.bad_requests import Bad
from tests.rpc.test_races import reason

CONFIRM = "/agent.v1.SessionService/ConfirmFullAccess"
SET = "/agent.v1.SessionService/SetMode"
READ, WRITE, EXECUTE = (
    ToolAccess.TOOL_ACCESS_READ,
    ToolAccess.TOOL_ACCESS_WRITE,
    ToolAccess.TOOL_ACCESS_EXECUTE,
)


async def set_mode(gate: Gate, mode: Any, session_id: str = "s", **fields: str) -> SetModeResponse:
    return await gate.sessions.SetMode(SetModeRequest(session_id=session_id, mode=mode, **fields))


async def confirm(gate: Gate, session_id: str = "s", *, yes: bool = True, **fields: str) -> Session:
    request = ConfirmFullAccessRequest(session_id=session_id, confirm=yes, **fields)
    return (await gate.sessions.ConfirmFullAccess(request)).session


async def with_full_access(gate: Gate, session_id: str = "s") -> None:
    await set_mode(gate, FULL_ACCESS, session_id)
    await confirm(gate, session_id)


async def fresh_start(gate: Gate, way: str) -> None:
    if way == "reset":
        await gate.sessions.ReportEvent(ReportEventRequest(session_id="s", event=event("RESET")))
    else:
        requests = {
            "restart": ResetMemoryRequest(kind=RESTART, session_id="s"),
            "workspace": ResetMemoryRequest(kind=OTHER_WORKSPACE),
        }
        await gate.approvals.ResetMemory(requests[way])


def brief(session: Session) -> tuple[str, str]:
    return mode_of(session), full_access_of(session)


async def told(gate: Gate) -> list[tuple[str, str]]:
    """The types of all events, each with its message."""
    return [(types([each])[0], each.message) for each in await log_of(gate)]


async def say(gate: Gate, request: Any) -> tuple[str, str]:
    return verdict(await gate.sessions.AuthorizeTool(request))


async def three_waiting(gate: Gate) -> list[Any]:
    """Streams of agents that wait for c0, c1 and c2, in this order."""
    streams: list[Any] = []
    for number in range(3):
        streams.append(gate.approvals.RequestApproval(call(f"make {number}", f"c{number}")))
        await next_of(streams[-1])
    return streams


async def test_plan_mode_is_read_only(gate: Gate) -> None:
    """Reading is allowed; writing, running and what nobody knows is denied, with the reason."""
    await set_mode(gate, PLAN)
    assert await say(gate, tool("read_file", access=READ)) == ("ALLOW", "read_only")
    for request in (tool("write_file", access=WRITE), tool("bash", access=EXECUTE), tool("anything")):
        answer = await gate.sessions.AuthorizeTool(request)
        assert verdict(answer) == ("DENY", "plan_mode")
        assert "plan mode" in answer.reason
        assert request.tool_name in answer.reason


async def test_plan_mode_does_not_believe_a_command(gate: Gate) -> None:
    """A tool that runs a command executes, whatever the agent says that it does."""
    await set_mode(gate, PLAN)
    assert await say(gate, tool("bash", access=READ, command="ls")) == ("DENY", "plan_mode")


async def test_a_call_in_plan_mode_is_denied_at_once(gate: Gate) -> None:
    """RequestApproval answers with the rule and its words, and nobody is shown a prompt."""
    await set_mode(gate, PLAN)
    answers = await rest_of(gate.approvals.RequestApproval(patch()))
    assert [outcome(each) for each in answers] == [("DECIDED", "DENIED", "AUTO", "plan_mode")]
    assert "plan mode" in answers[0].feedback_text
    assert not (await gate.prompts()).HasField("prompt")


async def test_what_waits_is_denied_when_plan_mode_comes(gate: Gate) -> None:
    """Calls asked for before do not slip through: they end with the rule, in their order."""
    streams = await three_waiting(gate)
    answer = await set_mode(gate, PLAN)
    ends = [(await rest_of(stream))[-1] for stream in streams]
    assert [outcome(end) for end in ends] == [("DECIDED", "DENIED", "AUTO", "plan_mode")] * 3
    assert (answer.session.queue_length, answer.session.can_send) == (0, True)
    assert answer.session.last_decision.call_id == "c2"


async def test_after_plan_mode_the_usual_rules_hold(gate: Gate) -> None:
    """A write is asked about again."""
    await set_mode(gate, PLAN)
    assert brief((await set_mode(gate, AGENT)).session) == ("AGENT", "HIDDEN")
    assert await say(gate, tool("write_file", access=WRITE)) == ("CONFIRM", "default")


async def test_a_mode_is_told_once(gate: Gate) -> None:
    """Each change is an event with the mode's name; setting the mode that is there tells nothing."""
    for mode in (PLAN, PLAN, AGENT, AGENT):
        await set_mode(gate, mode)
    assert await told(gate) == [("SESSION_MODE_CHANGED", "PLAN"), ("SESSION_MODE_CHANGED", "AGENT")]


async def test_an_approval_ends_plan_mode(gate: Gate) -> None:
    """Who watches the session sees it, the next write is asked about, and the log names plan and person."""
    await set_mode(gate, PLAN)
    plan = await gate.propose(proposal(session_id="s"))
    watch = gate.sessions.WatchSession(WatchSessionRequest(session_id="s"))
    await next_of(watch)
    assert await say(gate, tool("write_file", access=WRITE)) == ("DENY", "plan_mode")
    await gate.decide(plan, "approve")
    told = [await next_of(watch) for _ in range(2)]
    watch.cancel()
    assert (mode_of(told[-1].session), told[-1].actor) == ("AGENT", ADMIN)
    assert await say(gate, tool("write_file", access=WRITE)) == ("CONFIRM", "default")
    yes, left = (await log_of(gate))[-2:]
    assert types([yes, left]) == ["PLAN_APPROVED", "SESSION_MODE_CHANGED"]
    assert (left.message, left.actor, left.session.mode) == ("AGENT", ADMIN, AGENT)
    assert left.plan_uri == plan.plan_uri
    assert (left.approval_request_id, left.revision, left.digest) == (
        plan.review.approval_request_id,
        plan.revision,
        plan.digest,
    )


async def test_an_approval_ends_plan_mode_in_the_other_vocabulary(gate: Gate) -> None:
    """An agent that waits in aiserver.v1 may write when it is told yes."""
    await set_mode(gate, PLAN)
    asked = gate.aiserver.CreatePlan(OtherRequest(params=CreatePlanParams(plan="# Sort"), session_id="s"))
    await next_of(asked)
    (plan,) = await gate.plans()
    await gate.decide(plan, "approve")
    await rest_of(asked)
    assert await say(gate, tool("write_file", access=WRITE)) == ("CONFIRM", "default")


async def test_modes_are_of_one_session(gate: Gate) -> None:
    """Another session, known or not, goes on by the usual rules."""
    await set_mode(gate, PLAN)
    await set_mode(gate, AGENT, "other")
    for session_id in ("other", "unknown"):
        assert await say(gate, tool(session_id=session_id)) == ("CONFIRM", "default")


async def test_full_access_waits_for_a_person(gate: Gate) -> None:
    """Asked for, it is pending and nothing else is different."""
    answer = await set_mode(gate, FULL_ACCESS)
    assert brief(answer.session) == ("AGENT", "PENDING_CONFIRMATION")
    assert await say(gate, tool()) == ("CONFIRM", "default")
    assert await told(gate) == [("FULL_ACCESS_CHANGED", "PENDING_CONFIRMATION")]


async def test_confirmed_full_access_answers_without_a_prompt(gate: Gate) -> None:
    """Everything that no rule denies is approved at once, by the rule's name."""
    await set_mode(gate, FULL_ACCESS)
    assert brief(await confirm(gate)) == ("FULL_ACCESS", "ACTIVE")
    assert await say(gate, tool()) == ("ALLOW", "full_access")
    answers = await rest_of(gate.approvals.RequestApproval(call("make a; make b")))
    assert [outcome(each) for each in answers] == [("DECIDED", "APPROVED", "AUTO", "full_access")]


async def test_what_waits_is_approved_when_full_access_comes(gate: Gate) -> None:
    """The person who confirms it does not have to answer what was asked before."""
    streams = await three_waiting(gate)
    await set_mode(gate, FULL_ACCESS)
    session = await confirm(gate)
    ends = [(await rest_of(stream))[-1] for stream in streams]
    assert [outcome(end) for end in ends] == [("DECIDED", "APPROVED", "AUTO", "full_access")] * 3
    assert (session.queue_length, session.last_decision.call_id) == (0, "c2")


async def test_a_no_to_full_access_leaves_the_mode(gate: Gate) -> None:
    """The session stays as it was, in plan mode too, and can ask again."""
    await set_mode(gate, PLAN)
    await set_mode(gate, FULL_ACCESS)
    assert brief(await confirm(gate, yes=False)) == ("PLAN", "HIDDEN")
    assert await say(gate, tool()) == ("DENY", "plan_mode")
    assert brief((await set_mode(gate, FULL_ACCESS)).session) == ("PLAN", "PENDING_CONFIRMATION")
    assert (await told(gate))[1:] == [
        ("FULL_ACCESS_CHANGED", "PENDING_CONFIRMATION"),
        ("FULL_ACCESS_CHANGED", "HIDDEN"),
        ("FULL_ACCESS_CHANGED", "PENDING_CONFIRMATION"),
    ]


async def test_plan_mode_holds_while_full_access_is_pending(gate: Gate) -> None:
    """Asking for full access does not end plan mode."""
    await set_mode(gate, PLAN)
    await set_mode(gate, FULL_ACCESS)
    assert await say(gate, tool()) == ("DENY", "plan_mode")


async def test_a_person_is_asked_once_per_session(gate: Gate) -> None:
    """Confirmed once, full access comes back without a question; another session has to ask."""
    await with_full_access(gate)
    await set_mode(gate, AGENT)
    assert brief((await set_mode(gate, FULL_ACCESS)).session) == ("FULL_ACCESS", "ACTIVE")
    assert brief((await set_mode(gate, FULL_ACCESS, "other")).session) == ("AGENT", "PENDING_CONFIRMATION")


async def test_asking_twice_is_one_question(gate: Gate) -> None:
    """While a person has not answered, asking again changes and tells nothing."""
    first = await set_mode(gate, FULL_ACCESS)
    assert await set_mode(gate, FULL_ACCESS) == first
    assert len(await told(gate)) == 1


@pytest.mark.parametrize("mode", [AGENT, PLAN])
async def test_another_mode_ends_full_access(gate: Gate, mode: Any) -> None:
    """The session has the mode, full access is hidden, and both are told."""
    await with_full_access(gate)
    session = (await set_mode(gate, mode)).session
    assert brief(session) == (mode_of(session), "HIDDEN")
    assert (await told(gate))[-2:] == [
        ("FULL_ACCESS_CHANGED", "HIDDEN"),
        ("SESSION_MODE_CHANGED", mode_of(session)),
    ]
    assert (await say(gate, tool()))[0] == ("DENY" if mode == PLAN else "CONFIRM")


async def test_every_change_of_mode_is_told(gate: Gate) -> None:
    """Who follows SESSION_MODE_CHANGED knows the mode, also after full access came and went."""
    await with_full_access(gate)
    await gate.approvals.ResetMemory(ResetMemoryRequest(kind=RESTART, session_id="s"))
    modes = [mode for mode, _ in groupby(mode_of(each.session) for each in await log_of(gate))]
    changes = [message for kind, message in await told(gate) if kind == "SESSION_MODE_CHANGED"]
    assert modes == ["AGENT", "FULL_ACCESS", "AGENT"]
    assert changes == modes[1:]


@pytest.mark.parametrize("way", ["restart", "workspace", "reset"])
async def test_a_fresh_start_drops_full_access(gate: Gate, way: str) -> None:
    """After a reset the session is back in AGENT, and a person is asked anew."""
    await with_full_access(gate)
    await fresh_start(gate, way)
    assert brief(await gate.session()) == ("AGENT", "HIDDEN")
    assert ("FULL_ACCESS_CHANGED", "HIDDEN") in await told(gate)
    assert await say(gate, tool()) == ("CONFIRM", "default")
    assert brief((await set_mode(gate, FULL_ACCESS)).session) == ("AGENT", "PENDING_CONFIRMATION")


@pytest.mark.parametrize("way", ["restart", "workspace", "reset"])
async def test_a_fresh_start_forgets_that_it_was_confirmed(gate: Gate, way: str) -> None:
    """Also a session that is not in full access any more has to ask a person again."""
    await with_full_access(gate)
    await set_mode(gate, AGENT)
    await fresh_start(gate, way)
    assert brief((await set_mode(gate, FULL_ACCESS)).session) == ("AGENT", "PENDING_CONFIRMATION")


async def test_a_fresh_start_takes_the_question_back(gate: Gate) -> None:
    """What was pending cannot be confirmed after a restart of the session."""
    await set_mode(gate, FULL_ACCESS)
    await gate.approvals.ResetMemory(ResetMemoryRequest(kind=RESTART, session_id="s"))
    assert (await refused(confirm(gate))).reason == "FULL_ACCESS_NOT_PENDING"


async def test_plan_mode_survives_a_fresh_start(gate: Gate) -> None:
    """A reset makes nothing looser."""
    await set_mode(gate, PLAN)
    await gate.approvals.ResetMemory(ResetMemoryRequest(kind=RESTART, session_id="s"))
    await gate.approvals.ResetMemory(ResetMemoryRequest(kind=OTHER_WORKSPACE))
    assert brief(await gate.session()) == ("PLAN", "HIDDEN")


async def test_what_was_not_asked_cannot_be_confirmed(gate: Gate) -> None:
    """Neither before it was asked for, nor twice; the refusal says where it stands."""
    refusal = await refused(confirm(gate))
    Bad(CONFIRM, "SESSION_NOT_FOUND", b"", {"field": "session_id", "session_id": "s"}).check(refusal)
    await set_mode(gate, PLAN)
    for state in ("HIDDEN", "ACTIVE"):
        told = {"session_id": "s", "full_access_state": state}
        Bad(CONFIRM, "FULL_ACCESS_NOT_PENDING", b"", told).check(await refused(confirm(gate)))
        await set_mode(gate, FULL_ACCESS)
        if state == "HIDDEN":
            await confirm(gate)


async def test_of_many_answers_one_counts(gate: Gate) -> None:
    """Of fifty people who answer the question at once, one is heard and the others are told so."""
    await set_mode(gate, FULL_ACCESS)
    answers = await asyncio.gather(*(reason(confirm(gate, yes=bool(n % 2))) for n in range(50)))
    assert sorted(answers) == ["", *["FULL_ACCESS_NOT_PENDING"] * 49]
    yes = bool(answers.index("") % 2)
    assert brief(await gate.session()) == (("FULL_ACCESS", "ACTIVE") if yes else ("AGENT", "HIDDEN"))


async def test_a_repeated_mode_or_answer_is_one(gate: Gate) -> None:
    """The same request_id gives the first answer, whatever has changed since; another request is refused."""
    first = await set_mode(gate, FULL_ACCESS, request_id="r1")
    yes = await confirm(gate, request_id="r2")
    await set_mode(gate, AGENT)
    assert await set_mode(gate, FULL_ACCESS, request_id="r1") == first
    assert await confirm(gate, request_id="r2") == yes
    assert brief(await gate.session()) == ("AGENT", "HIDDEN")
    other_mode = await refused(set_mode(gate, PLAN, request_id="r1"))
    Bad(SET, "REQUEST_ID_REUSED", b"", {"request_id": "r1"}).check(other_mode)
    other_answer = await refused(confirm(gate, yes=False, request_id="r2"))
    Bad(CONFIRM, "REQUEST_ID_REUSED", b"", {"request_id": "r2"}).check(other_answer)


async def test_events_of_modes_carry_the_session(gate: Gate) -> None:
    """As it was right after the change, with who did it."""
    await with_full_access(gate)
    await set_mode(gate, PLAN)
    events: list[ReviewEvent] = await log_of(gate)
    assert [full_access_of(each.session) for each in events] == [
        "PENDING_CONFIRMATION",
        *["ACTIVE"] * 2,
        *["HIDDEN"] * 2,
    ]
    assert {(each.session_id, each.session.session_id, each.actor) for each in events} == {("s", "s", ADMIN)}
