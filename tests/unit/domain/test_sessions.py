"""Where a session stands: led by what the agent reports and by what happens to its plans."""

from datetime import datetime
from itertools import product

import pytest
from msgspec.structs import replace

from plangate_server.domain.errors import ForbiddenTransition, Reason
from plangate_server.domain.events import Change, Event, EventType
from plangate_server.domain.plan import Plan, PlanState
from plangate_server.domain.session_life import MOVING, drive, moves, report, reportable
from plangate_server.domain.sessions import FSM, FsmEvent, FsmState, Session, begin
from tests.helpers.domain import LATER, NOW, a_plan, a_proposal

AT_REST = (FsmState.IDLE, FsmState.COMPLETED, FsmState.ERROR_HANDLING)
LEADS: dict[tuple[FsmState, FsmEvent], FsmState] = {
    **{(state, FsmEvent.RECEIVE_MESSAGE): FsmState.CLASSIFY for state in AT_REST},
    (FsmState.CLASSIFY, FsmEvent.IS_ATOMIC_TRUE): FsmState.IDLE,
    (FsmState.CLASSIFY, FsmEvent.IS_ATOMIC_FALSE): FsmState.PLAN_REQUIRED,
    (FsmState.PLAN_REQUIRED, FsmEvent.ROUTE_TO_ARCHITECT): FsmState.ARCHITECT_PLANNING,
    **{(state, FsmEvent.RESET): FsmState.IDLE for state in FsmState},
}
"""Everything that an agent can report, written down once more."""

EVERY_PAIR = list(product(FsmState, FsmEvent))

DRIVEN_BY = {
    FsmEvent.PLAN_CREATED: PlanState.IN_REVIEW,
    FsmEvent.PLAN_APPROVED: PlanState.APPROVED,
    FsmEvent.PLAN_REJECTED: PlanState.REJECTED,
    FsmEvent.PLAN_MODIFICATION_REQUESTED: PlanState.CHANGES_REQUESTED,
    FsmEvent.PLAN_EXECUTION_COMPLETED: PlanState.COMPLETED,
    FsmEvent.PLAN_EXECUTION_FAILED: PlanState.FAILED,
}

LED_TO = {
    PlanState.DRAFT: FsmState.ARCHITECT_PLANNING,
    PlanState.IN_REVIEW: FsmState.PLAN_REVIEW,
    PlanState.CHANGES_REQUESTED: FsmState.ARCHITECT_PLANNING,
    PlanState.APPROVED: FsmState.PLAN_EXECUTION,
    PlanState.REJECTED: FsmState.IDLE,
    PlanState.EXPIRED: FsmState.IDLE,
    PlanState.BUILDING: FsmState.PLAN_EXECUTION,
    PlanState.COMPLETED: FsmState.COMPLETED,
    PlanState.FAILED: FsmState.ERROR_HANDLING,
    PlanState.WITHDRAWN: FsmState.IDLE,
}

UNMOVED = {
    EventType.PLAN_APPROVAL_REQUIRED,
    EventType.COMMENT_ADDED,
    EventType.COMMENT_RESOLVED,
    EventType.APPROVAL_RECORDED,
    EventType.DECISION_DELIVERED,
    EventType.DECISION_ACKNOWLEDGED,
    EventType.TODOS_CHANGED,
    EventType.PLAN_REFERENCED,
}
"""What is told of a plan that leaves the session where it is."""


def a_session(state: FsmState = FsmState.IDLE) -> Session:
    return replace(begin("acme", "s", NOW), fsm_state=state)


def happened(plan: Plan, *types: EventType, now: datetime = LATER) -> Change:
    """Something that was told of a plan, which is as it is."""
    return Change(plan, tuple(Event(each, now, "ada", plan) for each in types))


def in_state(state: PlanState, number: int = 1) -> Change:
    return happened(replace(a_plan(number, session_id="s"), state=state), EventType.PLAN_UPDATED)


def driven(session: Session, change: Change) -> Session:
    after = drive(session, change).session
    assert after is not None
    return after


def test_a_session_begins_idle() -> None:
    """Nothing waits in it, nothing was asked, and the next message can go to the agent."""
    session = begin("acme", "s", NOW)
    assert session.fsm_state is FsmState.IDLE
    assert (session.create_time, session.update_time) == (NOW, NOW)
    assert (session.queue, session.in_review, session.plan_id, session.last_call) == ((), (), "", "")
    assert session.can_send


def test_a_message_waits_while_a_call_does() -> None:
    """can_send is false exactly while a tool call waits for an answer."""
    assert not replace(a_session(), queue=("c",)).can_send


@pytest.mark.parametrize(("state", "event"), LEADS)
def test_a_report_leads_where_the_table_says(state: FsmState, event: FsmEvent) -> None:
    """The session moves, its time with it, and one event tells who reported what."""
    change = report(a_session(state), event, "bot", LATER)
    moved = replace(a_session(LEADS[state, event]), update_time=LATER)
    assert change.sessions == (moved,)
    (told,) = change.events
    assert (told.type, told.actor, told.time) == (EventType.SESSION_MOVED, "bot", LATER)
    assert (told.session, told.message) == (moved, event.name)


@pytest.mark.parametrize(
    ("state", "event"), [pair for pair in product(FsmState, FsmEvent) if pair not in LEADS]
)
def test_any_other_report_is_refused(state: FsmState, event: FsmEvent) -> None:
    """The refusal names the state, the event, and all that could be reported instead."""
    with pytest.raises(ForbiddenTransition) as refused:
        report(a_session(state), event, "bot", LATER)
    assert refused.value.reason is Reason.FORBIDDEN_TRANSITION
    assert refused.value.metadata == {
        "session_id": "s",
        "fsm_state": state.name,
        "event": event.name,
        "allowed": ", ".join(allowed.name for allowed in FsmEvent if (state, allowed) in LEADS),
    }


@pytest.mark.parametrize("state", FsmState)
def test_what_plans_drive_is_never_reportable(state: FsmState) -> None:
    """An agent cannot claim an approval, nor anything else that the service sees for itself."""
    assert DRIVEN_BY.keys().isdisjoint(reportable(state))


def test_the_machine_names_every_event_once() -> None:
    """Whatever can happen has its line, and those that plans drive say by which state."""
    assert [each.event for each in FSM] == list(FsmEvent)
    assert {each.event: each.led_by for each in FSM if each.led_by} == DRIVEN_BY
    assert all(each.target is LED_TO[each.led_by] for each in FSM if each.led_by)


@pytest.mark.parametrize(("before", "state"), list(product(FsmState, PlanState)))
def test_a_plan_leads_its_session(before: FsmState, state: PlanState) -> None:
    """From wherever the session is, it goes where the plan is, and the event shows it there."""
    change = drive(a_session(before), in_state(state))
    assert change.session is not None
    assert (change.session.fsm_state, change.session.update_time) == (LED_TO[state], LATER)
    assert [event.session for event in change.events] == [change.session]


def test_a_change_keeps_all_else_that_it_says() -> None:
    """The plan, and what moved with it, pass through as they are."""
    change = a_proposal(session_id="s")
    led = drive(a_session(), change)
    bare = tuple(replace(event, session=None) for event in led.events)
    assert replace(led, session=None, events=bare) == change


@pytest.mark.parametrize("type", sorted(MOVING))
def test_what_moves_a_session(type: EventType) -> None:
    """A plan of a session moves it with these; one without a session moves none."""
    assert moves(happened(a_plan(session_id="s"), type))
    assert not moves(happened(a_plan(), type))


@pytest.mark.parametrize("type", sorted(UNMOVED))
def test_what_leaves_a_session_where_it_is(type: EventType) -> None:
    """Words, votes and receipts are told without the session, which stays as it was."""
    change = happened(a_plan(session_id="s"), type)
    assert not moves(change)
    led = drive(a_session(FsmState.CLASSIFY), change)
    assert led.session == a_session(FsmState.CLASSIFY)
    assert led.events == change.events


def test_of_a_change_only_what_moves_shows_the_session() -> None:
    """PLAN_CREATED leads the session into the review; what follows needs not tell it again."""
    change = drive(a_session(), a_proposal(session_id="s"))
    assert [event.type for event in change.events if event.session] == [EventType.PLAN_CREATED]


@pytest.mark.parametrize("state", PlanState)
def test_plans_in_review_are_known(state: PlanState) -> None:
    """A plan is among them exactly while people are asked about it, once, and others stay."""
    session = replace(a_session(), in_review=("other", a_plan().plan_id))
    asked = (a_plan().plan_id,) if state is PlanState.IN_REVIEW else ()
    assert driven(session, in_state(state)).in_review == ("other", *asked)


def test_several_plans_can_be_in_review() -> None:
    """The session waits for plan approval until the last of them is decided."""
    session = driven(driven(a_session(), in_state(PlanState.IN_REVIEW)), in_state(PlanState.IN_REVIEW, 2))
    assert len(session.in_review) == 2
    session = driven(session, in_state(PlanState.REJECTED))
    assert session.in_review == (a_plan(2).plan_id,)
    assert driven(session, in_state(PlanState.APPROVED, 2)).in_review == ()


def test_the_newest_plan_is_the_sessions() -> None:
    """What happens to an older plan moves the session, but the newest stays its plan."""
    session = driven(driven(a_session(), in_state(PlanState.IN_REVIEW, 2)), in_state(PlanState.APPROVED, 1))
    assert session.plan_id == a_plan(2).plan_id
    assert session.fsm_state is FsmState.PLAN_EXECUTION
    assert driven(session, in_state(PlanState.DRAFT, 3)).plan_id == a_plan(3).plan_id
