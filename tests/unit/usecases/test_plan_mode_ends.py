"""A person's approval of a plan of the session ends plan mode in the same commit; nothing else of it does."""

from collections.abc import Sequence
from datetime import timedelta

import pytest
from msgspec.structs import replace

from plangate_server.domain.events import DecidedText, Event, EventType, SessionEvent
from plangate_server.domain.identity import Principal, Role
from plangate_server.domain.lifecycle import Amendment
from plangate_server.domain.plan import Plan, PlanState
from plangate_server.domain.policy import AutoRule, PlanRules, Policy
from plangate_server.domain.review import ReviewOptions
from plangate_server.domain.sessions import FsmState, FullAccessState, Session, SessionMode
from plangate_server.ports import EventFilter
from plangate_server.usecases.create_plan import CreatePlan, create_plan
from plangate_server.usecases.overdue import settle_overdue
from plangate_server.usecases.read_sessions import get_session
from plangate_server.usecases.session_modes import change_mode, confirm
from plangate_server.usecases.submit_review import submit_review
from plangate_server.usecases.update_plan import UpdatePlan, update_plan
from plangate_server.usecases.withdraw_plan import withdraw_plan
from tests.helpers.backends import ALL
from tests.helpers.domain import a_draft, a_todo
from tests.helpers.world import AGENT, PERSON, Sandbox, make_world
from tests.unit.usecases.persons import admin, log, reviewer, switch
from tests.unit.usecases.steps import about, decide

HOUR = timedelta(hours=1)
EDIT = Amendment(a_draft("# As a person wants it"))
CHANGED = EventType.SESSION_MODE_CHANGED
OTHER_AGENT = Principal("painter-bot", "acme", Role.AGENT, "eve")


async def enter(sandbox: Sandbox, mode: SessionMode = SessionMode.PLAN) -> None:
    await change_mode(sandbox.world, PERSON, "s", mode, None)


async def propose(
    sandbox: Sandbox, approvals: int = 1, session_id: str = "s", by: Principal = AGENT, text: str = "# Sort"
) -> Plan:
    command = CreatePlan(
        a_draft(text, todos=[a_todo("a")]),
        session_id=session_id,
        options=ReviewOptions(expires_after=HOUR, required_approvals=approvals),
    )
    return await create_plan(sandbox.world, by, command)


async def session_now(sandbox: Sandbox) -> Session:
    return (await get_session(sandbox.world, AGENT, "s")).session


async def mode_now(sandbox: Sandbox) -> SessionMode:
    return (await session_now(sandbox)).mode


async def modes_told(sandbox: Sandbox) -> list[tuple[str, str]]:
    """Every change of a mode, with who brought it about."""
    return [(event.message, event.actor) for event in await mode_events(sandbox)]


async def mode_events(sandbox: Sandbox) -> Sequence[SessionEvent]:
    return [each for each in await log(sandbox) if isinstance(each, SessionEvent) and each.type is CHANGED]


async def test_an_approval_ends_plan_mode(sandbox: Sandbox) -> None:
    """The agent that is told yes may begin."""
    await enter(sandbox)
    plan = await decide(sandbox, await propose(sandbox))
    session = await session_now(sandbox)
    assert (session.mode, session.fsm_state) == (SessionMode.AGENT, FsmState.PLAN_EXECUTION)
    assert session.update_time == plan.review.decide_time


async def test_an_approval_with_edits_ends_plan_mode(sandbox: Sandbox) -> None:
    """It is a yes to what the person wrote, which the event names."""
    await enter(sandbox)
    edit = replace(about(await propose(sandbox), "edit"), edited=EDIT)
    plan = await submit_review(sandbox.world, PERSON, edit)
    assert await mode_now(sandbox) is SessionMode.AGENT
    (_, left) = await mode_events(sandbox)
    assert (left.revision, left.digest) == (2, plan.revision.digest)


async def test_the_log_says_who_ended_plan_mode_and_by_what(sandbox: Sandbox) -> None:
    """The event follows that of the decision in the same commit, and names the text that was approved."""
    await enter(sandbox)
    plan = await decide(sandbox, await propose(sandbox))
    yes, told = (await log(sandbox))[-2:]
    assert isinstance(yes, Event)
    assert isinstance(told, SessionEvent)
    assert (yes.type, told.type, told.sequence) == (EventType.PLAN_APPROVED, CHANGED, yes.sequence + 1)
    assert (told.message, told.actor, told.time) == ("AGENT", PERSON.name, yes.time)
    head, asked = plan.revision, plan.review.approval_request_id
    assert told.cause == DecidedText(plan.plan_id, head.number, head.digest, asked)
    assert (told.plan_id, told.approval_request_id) == (plan.plan_id, asked)
    assert told.session == (await session_now(sandbox)).in_short


async def test_whoever_follows_the_plan_sees_what_it_did_to_its_session(sandbox: Sandbox) -> None:
    """Asked for by plan, the log has it; asked for nothing but plans, it has not."""
    await enter(sandbox)
    plan = await decide(sandbox, await propose(sandbox))

    async def types(which: EventFilter) -> list[EventType]:
        found = await sandbox.store.read("acme", lambda each: each.events(which, after=0, limit=ALL))
        return [event.type for event in found]

    assert (await types(EventFilter(plan_id=plan.plan_id)))[-1] is CHANGED
    assert (await types(EventFilter(plan_id=plan.plan_id, only_plans=True)))[-1] is EventType.PLAN_APPROVED
    assert (await types(EventFilter(session_id="s", types=frozenset({CHANGED})))) == [CHANGED, CHANGED]


async def test_the_last_of_several_approvals_ends_plan_mode(sandbox: Sandbox) -> None:
    """Those before it change nothing yet."""
    await enter(sandbox)
    plan = await propose(sandbox, approvals=2)
    await submit_review(sandbox.world, reviewer("ada"), about(plan))
    assert await mode_now(sandbox) is SessionMode.PLAN
    await submit_review(sandbox.world, reviewer("bob"), about(plan))
    assert await mode_now(sandbox) is SessionMode.AGENT
    assert (await modes_told(sandbox))[-1] == ("AGENT", "bob-desk")


async def test_an_admin_who_breaks_the_glass_ends_plan_mode(sandbox: Sandbox) -> None:
    """That is a person's yes like any other."""
    await enter(sandbox)
    plan = await propose(sandbox, approvals=2)
    await submit_review(sandbox.world, admin("ada"), replace(about(plan), break_glass="the shop burns"))
    assert await mode_now(sandbox) is SessionMode.AGENT


@pytest.mark.parametrize("word", ["reject", "requestChanges"])
async def test_a_no_leaves_plan_mode_on(sandbox: Sandbox, word: str) -> None:
    """The agent goes on reading."""
    await enter(sandbox)
    await decide(sandbox, await propose(sandbox), word)
    assert await mode_now(sandbox) is SessionMode.PLAN


async def test_an_end_without_a_decision_leaves_plan_mode_on(sandbox: Sandbox) -> None:
    """Nobody decided in time, or the agent took its plan back."""
    await enter(sandbox)
    plan = await propose(sandbox)
    sandbox.clock.advance(HOUR)
    await settle_overdue(sandbox.world)
    assert await mode_now(sandbox) is SessionMode.PLAN
    await withdraw_plan(sandbox.world, AGENT, plan.uri, reason="", agent_id="", key=None)
    assert await modes_told(sandbox) == [("PLAN", PERSON.name)]


async def test_a_rule_never_ends_plan_mode() -> None:
    """What nobody saw lets nobody write: the plan is approved, and the session stays read only."""
    sandbox = make_world(AutoRule("small", max_todos=3))
    await enter(sandbox)
    plan = await propose(sandbox)
    session = await session_now(sandbox)
    assert (plan.state, session.mode) == (PlanState.APPROVED, SessionMode.PLAN)
    assert await modes_told(sandbox) == [("PLAN", PERSON.name)]


async def test_a_policy_can_keep_plan_mode() -> None:
    """Then a person ends it by a call of their own; the policy that holds at the decision counts."""
    sandbox = make_world(policy=Policy(plans=PlanRules(keep_plan_mode=True)))
    await enter(sandbox)
    plan = await decide(sandbox, await propose(sandbox))
    assert (plan.state, await mode_now(sandbox)) == (PlanState.APPROVED, SessionMode.PLAN)
    again = await update_plan(sandbox.world, AGENT, UpdatePlan(plan.uri, 1, Amendment(a_draft("# Other"))))
    switch(sandbox, Policy())
    await decide(sandbox, again)
    assert await mode_now(sandbox) is SessionMode.AGENT


async def test_nothing_of_a_plan_brings_plan_mode_back(sandbox: Sandbox) -> None:
    """A revision, another plan, a no and a withdrawal come after the yes: the mode stays."""
    await enter(sandbox)
    plan = await decide(sandbox, await propose(sandbox))
    revised = await update_plan(sandbox.world, AGENT, UpdatePlan(plan.uri, 1, Amendment(a_draft("# Other"))))
    await decide(sandbox, revised, "reject")
    await propose(sandbox, by=OTHER_AGENT, text="# Paint")
    await withdraw_plan(sandbox.world, AGENT, plan.uri, reason="", agent_id="", key=None)
    assert await mode_now(sandbox) is SessionMode.AGENT
    assert await modes_told(sandbox) == [("PLAN", PERSON.name), ("AGENT", PERSON.name)]


async def test_plan_mode_that_a_person_sets_again_holds(sandbox: Sandbox) -> None:
    """The approval of before does not count against it, nor does its build."""
    await enter(sandbox)
    plan = await decide(sandbox, await propose(sandbox))
    await enter(sandbox)
    await update_plan(sandbox.world, AGENT, UpdatePlan(plan.uri, 1, Amendment(a_draft("# Other"))))
    assert await mode_now(sandbox) is SessionMode.PLAN


async def test_each_plan_of_a_session_can_end_plan_mode(sandbox: Sandbox) -> None:
    """Two agents share the session's mode: the first yes to either ends it, the second finds it ended."""
    await enter(sandbox)
    first = await propose(sandbox)
    second = await propose(sandbox, by=OTHER_AGENT, text="# Paint")
    await decide(sandbox, second)
    assert await mode_now(sandbox) is SessionMode.AGENT
    await decide(sandbox, first)
    assert [message for message, _ in await modes_told(sandbox)] == ["PLAN", "AGENT"]
    assert (await mode_events(sandbox))[-1].plan_id == second.plan_id


async def test_only_the_plans_own_session_is_meant(sandbox: Sandbox) -> None:
    """A plan of another session, or of none, ends nothing here."""
    await enter(sandbox)
    await decide(sandbox, await propose(sandbox, session_id="t"))
    await decide(sandbox, await propose(sandbox, session_id=""))
    assert await mode_now(sandbox) is SessionMode.PLAN


async def test_other_modes_are_not_touched(sandbox: Sandbox) -> None:
    """Neither the usual one nor full access, which stays as a person confirmed it."""
    plan = await decide(sandbox, await propose(sandbox))
    assert await modes_told(sandbox) == []
    await enter(sandbox, SessionMode.FULL_ACCESS)
    await confirm(sandbox.world, PERSON, "s", confirm=True, key=None)
    again = await update_plan(sandbox.world, AGENT, UpdatePlan(plan.uri, 1, Amendment(a_draft("# Other"))))
    await decide(sandbox, again)
    session = await session_now(sandbox)
    assert (session.mode, session.full_access) == (SessionMode.FULL_ACCESS, FullAccessState.ACTIVE)


async def test_a_question_of_full_access_goes_on(sandbox: Sandbox) -> None:
    """A yes to a plan is no answer to it, in either direction."""
    await enter(sandbox)
    await enter(sandbox, SessionMode.FULL_ACCESS)
    await decide(sandbox, await propose(sandbox))
    session = await session_now(sandbox)
    asked = FullAccessState.PENDING_CONFIRMATION
    assert (session.mode, session.full_access) == (SessionMode.AGENT, asked)


async def test_an_agent_proposes_in_any_mode(sandbox: Sandbox) -> None:
    """Plan mode is no condition of a plan."""
    for mode in (SessionMode.AGENT, SessionMode.PLAN):
        await enter(sandbox, mode)
        assert (await propose(sandbox, text=f"# In {mode}")).state is PlanState.IN_REVIEW
