"""Sessions, on a real gate and on the fake one alike."""

from __future__ import annotations

import asyncio
import uuid

import pytest

from plangate import errors
from tests.contract.sdk.steps import asking, outcome_of, shown
from tests.helpers.conditions import PATIENCE
from tests.helpers.either_client import Awaited, first_few_of, first_of
from tests.helpers.tool_calls import fsm_of, full_access_of, mode_of


@pytest.fixture
def session() -> str:
    return uuid.uuid4().hex


async def test_a_session_begins_with_its_first_call(gate: Awaited, session: str) -> None:
    """Before that there is none, also if somebody asked what a tool may do in it."""
    await gate.authorize_tool(session, "bash")
    with pytest.raises(errors.SessionNotFound):
        await gate.session(session)
    await gate.set_mode(session, "agent")
    found = await gate.session(session)
    assert (mode_of(found), full_access_of(found), fsm_of(found)) == ("AGENT", "HIDDEN", "IDLE")
    assert (found.queue_length, found.can_send, found.waiting_for_plan_approval) == (0, True, False)


async def test_what_an_agent_reports(gate: Awaited, session: str) -> None:
    """Each event leads where the state machine says; others are refused with those that are possible."""
    path = [
        ("receive_message", "CLASSIFY"),
        ("is_atomic_true", "IDLE"),
        ("receive_message", "CLASSIFY"),
        ("is_atomic_false", "PLAN_REQUIRED"),
        ("route_to_architect", "ARCHITECT_PLANNING"),
        ("reset", "IDLE"),
    ]
    for event, state in path:
        assert fsm_of(await gate.report_event(session, event)) == state
    with pytest.raises(errors.ForbiddenTransition) as caught:
        await gate.report_event(session, "route_to_architect")
    assert caught.value.metadata["allowed"] == "RECEIVE_MESSAGE, RESET"
    with pytest.raises(errors.ForbiddenTransition):
        await gate.report_event(session, "plan_approved")


async def test_what_was_refused_begins_nothing(gate: Awaited, session: str) -> None:
    """A session comes into being with what is done in it."""
    with pytest.raises(errors.ForbiddenTransition):
        await gate.report_event(session, "is_atomic_true")
    with pytest.raises(errors.SessionNotFound):
        await gate.session(session)


async def test_plans_drive_their_session(gate: Awaited, session: str) -> None:
    """It stands where its plan does."""

    async def stands() -> tuple[str, bool]:
        found = await gate.session(session)
        return fsm_of(found), found.waiting_for_plan_approval

    plan = await gate.create_plan("# Tidy the cellar", todos=["sweep"], session_id=session)
    assert (await gate.session(session)).plan_uri == plan.plan_uri
    assert await stands() == ("PLAN_REVIEW", True)
    await gate.decide(plan, "requestChanges", "smaller")
    assert await stands() == ("ARCHITECT_PLANNING", False)
    plan = await gate.update_plan(plan, "# Sweep the cellar")
    await gate.decide(plan, "approve")
    assert await stands() == ("PLAN_EXECUTION", False)
    build = await gate.build(await gate.wait(plan))
    await build.done("todo-1")
    await build.finish()
    assert await stands() == ("COMPLETED", False)
    other = await gate.create_plan("# Tidy the attic", session_id=session)
    assert (await gate.session(session)).plan_uri == other.plan_uri
    await gate.withdraw(other)
    assert await stands() == ("IDLE", False)


async def test_plan_mode(gate: Awaited, session: str) -> None:
    """It answers what writes or executes with no, also what waits already; what reads is allowed."""
    task = asking(gate, session, "c")
    await shown(gate, session, "c")
    assert mode_of(await gate.set_mode(session, "plan")) == "PLAN"
    outcome = await outcome_of(task)
    assert (outcome.outcome, outcome.rule) == ("DENIED", "plan_mode")
    may = await gate.authorize_tool(session, "save", access="write")
    assert (may.denied, may.rule) == (True, "plan_mode")
    assert (await gate.request_approval(session, "bash", "ls")).rule == "plan_mode"
    assert (await gate.authorize_tool(session, "look", access="read")).allowed


async def test_full_access(gate: Awaited, another_person: Awaited, session: str) -> None:
    """A person confirms it once; then everything is allowed, also what waits."""
    task = asking(gate, session, "c")
    await shown(gate, session, "c")
    asked = await another_person.set_mode(session, "full_access")
    assert (mode_of(asked), full_access_of(asked)) == ("AGENT", "PENDING_CONFIRMATION")
    assert (await gate.authorize_tool(session, "bash", command="ls")).must_ask
    active = await gate.confirm_full_access(session, True)
    assert (mode_of(active), full_access_of(active)) == ("FULL_ACCESS", "ACTIVE")
    assert (await outcome_of(task)).rule == "full_access"
    assert (await gate.authorize_tool(session, "bash", command="ls")).rule == "full_access"
    with pytest.raises(errors.FullAccessNotPending):
        await gate.confirm_full_access(session, True)
    assert full_access_of(await gate.set_mode(session, "plan")) == "HIDDEN"
    again = await another_person.set_mode(session, "full_access")
    assert (mode_of(again), full_access_of(again)) == ("FULL_ACCESS", "ACTIVE")
    assert mode_of(await gate.report_event(session, "reset")) == "AGENT"
    asked = await another_person.set_mode(session, "full_access")
    assert full_access_of(asked) == "PENDING_CONFIRMATION"


async def test_full_access_is_declined(gate: Awaited, another_person: Awaited, session: str) -> None:
    """The mode stays as it is; a session that nobody named has no such question."""
    await another_person.set_mode(session, "full_access")
    declined = await gate.confirm_full_access(session, False)
    assert (mode_of(declined), full_access_of(declined)) == ("AGENT", "HIDDEN")
    with pytest.raises(errors.SessionNotFound):
        await gate.confirm_full_access(uuid.uuid4().hex, True)


async def test_a_session_is_watched(gate: Awaited, session: str) -> None:
    """As it is, then after every change, once and in order; also from a cursor."""
    await gate.set_mode(session, "plan")
    first = await first_of(gate, "watch_session", session)
    assert mode_of(first.session) == "PLAN"
    await gate.set_mode(session, "plan")
    await gate.report_event(session, "receive_message")
    plan = await gate.create_plan("# Tidy the cellar", session_id=session)
    await gate.withdraw(plan)
    later = await first_few_of(gate, 3, "watch_session", session, cursor=first.cursor)
    assert [fsm_of(told.session) for told in later] == ["CLASSIFY", "PLAN_REVIEW", "IDLE"]


async def test_a_session_shows_its_queue(gate: Awaited, session: str) -> None:
    """While a call waits, a person's message must wait, too; then it shows the answer."""
    task = asking(gate, session, "c")
    prompt = await shown(gate, session, "c")
    found = await gate.session(session)
    assert (found.queue_length, found.can_send) == (1, False)
    await gate.answer(prompt, "denied", "no")
    async with asyncio.timeout(PATIENCE):
        await task
    found = await gate.session(session)
    assert (found.queue_length, found.can_send) == (0, True)
    assert (found.last_decision.call_id, found.last_decision.feedback_text) == ("c", "no")


async def test_watching_what_is_not_there(gate: Awaited, session: str) -> None:
    """Nobody watches a session that there is not; its prompts may be waited for."""
    with pytest.raises(errors.SessionNotFound):
        await first_of(gate, "watch_session", session)
    told = await first_of(gate, "prompts", session)
    assert (told.session_id, told.HasField("prompt")) == (session, False)
