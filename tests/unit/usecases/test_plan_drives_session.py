"""What happens to a plan moves its session in the same commit: nobody sees one without the other."""

from datetime import timedelta

import pytest

from plangate_server.domain.building import BuildOrder
from plangate_server.domain.builds import BuildOutcome
from plangate_server.domain.errors import SessionNotFound
from plangate_server.domain.events import EventType
from plangate_server.domain.lifecycle import Amendment
from plangate_server.domain.plan import Plan
from plangate_server.domain.policy import AutoRule
from plangate_server.domain.review import ReviewOptions
from plangate_server.domain.sessions import FsmEvent, FsmState, Session
from plangate_server.usecases.build_todos import build_todos, finish
from plangate_server.usecases.create_plan import CreatePlan, create_plan
from plangate_server.usecases.overdue import settle_overdue
from plangate_server.usecases.read_sessions import get_session
from plangate_server.usecases.session_modes import report_event
from plangate_server.usecases.update_plan import UpdatePlan, update_plan
from plangate_server.usecases.withdraw_plan import withdraw_plan
from tests.helpers.backends import events_in
from tests.helpers.domain import a_draft, a_todo
from tests.helpers.world import AGENT, STRANGER, Sandbox, make_world
from tests.unit.usecases.steps import decide

HOUR = timedelta(hours=1)


async def propose(sandbox: Sandbox, session_id: str = "s", *, multi_plan: bool = False) -> Plan:
    command = CreatePlan(
        a_draft(todos=[a_todo("a")]),
        session_id=session_id,
        multi_plan=multi_plan,
        options=ReviewOptions(expires_after=HOUR),
    )
    return await create_plan(sandbox.world, AGENT, command)


async def session_now(sandbox: Sandbox) -> Session:
    return (await get_session(sandbox.world, AGENT, "s")).session


async def state_now(sandbox: Sandbox) -> FsmState:
    return (await session_now(sandbox)).fsm_state


async def build(sandbox: Sandbox, plan: Plan, outcome: BuildOutcome | None = None) -> str:
    started = await build_todos(sandbox.world, AGENT, plan.uri, BuildOrder("coder"), None)
    build_id = started.build.build_id
    if outcome is not None:
        await finish(sandbox.world, AGENT, build_id, outcome=outcome, summary="", key=None)
    return build_id


async def test_a_proposal_brings_the_session_into_being(sandbox: Sandbox) -> None:
    """An agent that reports nothing and calls CreatePlan goes straight to PLAN_REVIEW."""
    plan = await propose(sandbox)
    session = await session_now(sandbox)
    assert session.fsm_state is FsmState.PLAN_REVIEW
    assert (session.plan_id, session.in_review) == (plan.plan_id, (plan.plan_id,))
    assert (session.create_time, session.update_time) == (plan.create_time, plan.update_time)
    with pytest.raises(SessionNotFound):
        await get_session(sandbox.world, STRANGER, "s")


async def test_a_plan_without_a_session_makes_none(sandbox: Sandbox) -> None:
    """There is nothing to lead."""
    plan = await propose(sandbox, session_id="")
    with pytest.raises(SessionNotFound):
        await session_now(sandbox)
    assert [event.session for event in await events_in(sandbox.store, plan)] == [None, None]


@pytest.mark.parametrize(
    ("word", "state"),
    [
        ("approve", FsmState.PLAN_EXECUTION),
        ("reject", FsmState.IDLE),
        ("requestChanges", FsmState.ARCHITECT_PLANNING),
    ],
)
async def test_a_decision_leads_the_session(sandbox: Sandbox, word: str, state: FsmState) -> None:
    """The event of the decision shows the session where it went, and no plan waits any more."""
    plan = await propose(sandbox)
    await decide(sandbox, plan, word)
    session = await session_now(sandbox)
    assert (session.fsm_state, session.in_review) == (state, ())
    assert (await events_in(sandbox.store, plan))[-1].session == session.in_short


@pytest.mark.parametrize(
    ("outcome", "state"),
    [
        (None, FsmState.PLAN_EXECUTION),
        (BuildOutcome.COMPLETED, FsmState.COMPLETED),
        (BuildOutcome.FAILED, FsmState.ERROR_HANDLING),
    ],
)
async def test_a_build_leads_the_session(
    sandbox: Sandbox, outcome: BuildOutcome | None, state: FsmState
) -> None:
    """While it lasts the session executes, and its end leads where it ended."""
    plan = await decide(sandbox, await propose(sandbox))
    await build(sandbox, plan, outcome)
    assert await state_now(sandbox) is state


async def test_a_failed_plan_that_is_built_again_is_executed(sandbox: Sandbox) -> None:
    """A build that begins leads the session out of its error, as the plan is BUILDING."""
    plan = await decide(sandbox, await propose(sandbox))
    await build(sandbox, plan, BuildOutcome.FAILED)
    await build(sandbox, plan)
    assert await state_now(sandbox) is FsmState.PLAN_EXECUTION


async def test_a_review_that_expires_frees_the_session(sandbox: Sandbox) -> None:
    """Nobody waits for a plan any more, and the session is IDLE."""
    await propose(sandbox)
    sandbox.clock.advance(HOUR)
    await settle_overdue(sandbox.world)
    session = await session_now(sandbox)
    assert (session.fsm_state, session.in_review) == (FsmState.IDLE, ())
    assert session.update_time == sandbox.clock.now()


async def test_a_plan_that_is_taken_back_frees_the_session(sandbox: Sandbox) -> None:
    """As if it had been refused."""
    plan = await propose(sandbox)
    await withdraw_plan(sandbox.world, AGENT, plan.uri, reason="", agent_id="", key=None)
    session = await session_now(sandbox)
    assert (session.fsm_state, session.in_review) == (FsmState.IDLE, ())


async def test_new_words_lead_back_into_the_review(sandbox: Sandbox) -> None:
    """Also after a yes to the old ones."""
    plan = await decide(sandbox, await propose(sandbox))
    await update_plan(sandbox.world, AGENT, UpdatePlan(plan.uri, 1, Amendment(a_draft("# Other words"))))
    session = await session_now(sandbox)
    assert (session.fsm_state, session.in_review) == (FsmState.PLAN_REVIEW, (plan.plan_id,))


async def test_a_rule_that_approves_leads_on_at_once() -> None:
    """Both steps are told: into the review, and out of it."""
    sandbox = make_world(AutoRule("small", max_todos=3))
    plan = await propose(sandbox)
    session = await session_now(sandbox)
    assert (session.fsm_state, session.in_review) == (FsmState.PLAN_EXECUTION, ())
    told = {
        event.type: event.session.fsm_state for event in await events_in(sandbox.store, plan) if event.session
    }
    assert told == {
        EventType.PLAN_CREATED: FsmState.PLAN_REVIEW,
        EventType.PLAN_APPROVED: FsmState.PLAN_EXECUTION,
    }


async def test_a_session_waits_for_each_of_its_plans(sandbox: Sandbox) -> None:
    """Whichever is decided first, the other still waits, and the newest is the session's plan."""
    first = await propose(sandbox)
    second = await propose(sandbox, multi_plan=True)
    assert (await session_now(sandbox)).in_review == (first.plan_id, second.plan_id)
    await decide(sandbox, first, "reject")
    session = await session_now(sandbox)
    assert (session.in_review, session.plan_id) == ((second.plan_id,), second.plan_id)


async def test_reports_and_plans_take_turns(sandbox: Sandbox) -> None:
    """The whole way of the machine, from a message to the finished work and back."""
    for event in (FsmEvent.RECEIVE_MESSAGE, FsmEvent.IS_ATOMIC_FALSE, FsmEvent.ROUTE_TO_ARCHITECT):
        await report_event(sandbox.world, AGENT, "s", event, None)
    assert await state_now(sandbox) is FsmState.ARCHITECT_PLANNING
    plan = await propose(sandbox)
    assert await state_now(sandbox) is FsmState.PLAN_REVIEW
    await build(sandbox, await decide(sandbox, plan), BuildOutcome.COMPLETED)
    assert await state_now(sandbox) is FsmState.COMPLETED
    await report_event(sandbox.world, AGENT, "s", FsmEvent.RECEIVE_MESSAGE, None)
    assert await state_now(sandbox) is FsmState.CLASSIFY


async def test_a_reset_leaves_the_plan_in_review(sandbox: Sandbox) -> None:
    """The session begins anew, but people are still asked, and their answer leads it on."""
    plan = await propose(sandbox)
    await report_event(sandbox.world, AGENT, "s", FsmEvent.RESET, None)
    session = await session_now(sandbox)
    assert (session.fsm_state, session.in_review) == (FsmState.IDLE, (plan.plan_id,))
    await decide(sandbox, plan)
    assert await state_now(sandbox) is FsmState.PLAN_EXECUTION
