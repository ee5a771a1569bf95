"""What a session may do: full access only by a person's word, once per session until it begins anew."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

import pytest
from msgspec.structs import replace

from plangate_server.domain.errors import FullAccessNotPending, Reason
from plangate_server.domain.events import EventType, SessionChange
from plangate_server.domain.remembering import Remembered, Scope
from plangate_server.domain.session_life import (
    change_workspace,
    confirm_full_access,
    report,
    restart,
    set_mode,
)
from plangate_server.domain.sessions import FsmEvent, FsmState, FullAccessState, Session, SessionMode, begin
from plangate_server.domain.tools import ToolKind
from tests.helpers.domain import LATER, NOW

HIDDEN, PENDING, ACTIVE = FullAccessState
AGENT, PLAN, FULL_ACCESS = SessionMode

Anew: TypeAlias = Callable[[Session], SessionChange]

FRESH = begin("acme", "s", NOW)


def asked(session: Session = FRESH) -> Session:
    return set_mode(session, FULL_ACCESS, "bot", LATER).session


def answered(session: Session, *, confirm: bool = True) -> Session:
    return answer(session, confirm=confirm).session


def answer(session: Session, *, confirm: bool) -> SessionChange:
    return confirm_full_access(session, confirm=confirm, actor="ada", person="ada", now=LATER)


def confirmed(session: Session = FRESH) -> Session:
    return answered(asked(session))


def a_memory(number: int) -> Remembered:
    return Remembered(
        f"{number:032x}",
        ToolKind.TERMINAL,
        "bash",
        "make",
        is_pattern=False,
        allows=True,
        scope=Scope.SESSION,
        reviewer="ada",
        create_time=NOW,
        session_id="s",
    )


def told(change: SessionChange) -> Sequence[tuple[EventType, str]]:
    return [(event.type, event.message) for event in change.events]


def assert_nothing_happened(change: SessionChange, session: Session) -> None:
    assert change == SessionChange((session,))


@pytest.mark.parametrize(("before", "mode"), [(AGENT, PLAN), (PLAN, AGENT)])
def test_a_mode_takes_effect_at_once(before: SessionMode, mode: SessionMode) -> None:
    """The session has it, its time moves, and one event tells who set it."""
    change = set_mode(replace(FRESH, mode=before), mode, "ada", LATER)
    after = replace(FRESH, mode=mode, update_time=LATER)
    assert change.sessions == (after,)
    (event,) = change.events
    assert (event.type, event.message, event.actor) == (EventType.SESSION_MODE_CHANGED, mode.name, "ada")
    assert (event.session, event.time, event.workspace) == (after, LATER, "acme")


@pytest.mark.parametrize(
    "session", [FRESH, replace(FRESH, mode=PLAN), confirmed()], ids=["agent", "plan", "full access"]
)
def test_the_mode_it_has_changes_nothing(session: Session) -> None:
    """There is nothing to tell, and no time moves."""
    assert_nothing_happened(set_mode(session, session.mode, "bot", LATER), session)


@pytest.mark.parametrize("mode", [AGENT, PLAN])
def test_full_access_is_asked_for_first(mode: SessionMode) -> None:
    """HIDDEN becomes PENDING_CONFIRMATION, and the session keeps the mode that it has."""
    change = set_mode(replace(FRESH, mode=mode), FULL_ACCESS, "bot", LATER)
    assert change.session == replace(FRESH, mode=mode, full_access=PENDING, update_time=LATER)
    assert told(change) == [(EventType.FULL_ACCESS_CHANGED, PENDING.name)]
    assert change.events[0].session == change.session


def test_asking_twice_is_asking_once() -> None:
    """While a person has not answered, another question changes nothing."""
    assert_nothing_happened(set_mode(asked(), FULL_ACCESS, "bot", LATER), asked())


GIVEN = [(EventType.FULL_ACCESS_CHANGED, ACTIVE.name), (EventType.SESSION_MODE_CHANGED, FULL_ACCESS.name)]


@pytest.mark.parametrize("mode", [AGENT, PLAN])
def test_a_yes_gives_full_access(mode: SessionMode) -> None:
    """PENDING_CONFIRMATION becomes ACTIVE, the mode is FULL_ACCESS, and the event names the person."""
    change = confirm_full_access(
        asked(replace(FRESH, mode=mode)), confirm=True, actor="ada", person="ada", now=LATER
    )
    assert (change.session.mode, change.session.full_access) == (FULL_ACCESS, ACTIVE)
    assert change.session.full_access_confirmed
    assert told(change) == GIVEN
    assert (change.events[0].actor, change.events[0].session) == ("ada", change.session)


@pytest.mark.parametrize("mode", [AGENT, PLAN])
def test_a_no_leaves_the_mode(mode: SessionMode) -> None:
    """The question is gone, the session stays in its mode, and it can be asked again."""
    change = confirm_full_access(
        asked(replace(FRESH, mode=mode)), confirm=False, actor="ada", person="ada", now=LATER
    )
    assert change.session == replace(FRESH, mode=mode, update_time=LATER)
    assert told(change) == [(EventType.FULL_ACCESS_CHANGED, HIDDEN.name)]
    assert asked(change.session).full_access is PENDING


@pytest.mark.parametrize("confirm", [True, False])
@pytest.mark.parametrize("session", [FRESH, confirmed(), answered(asked(), confirm=False)])
def test_what_was_not_asked_cannot_be_answered(session: Session, confirm: bool) -> None:
    """Neither before the question nor a second time; the refusal says how full access stands."""
    with pytest.raises(FullAccessNotPending) as refused:
        answer(session, confirm=confirm)
    assert refused.value.reason is Reason.FULL_ACCESS_NOT_PENDING
    assert refused.value.metadata == {"session_id": "s", "full_access_state": session.full_access.name}


@pytest.mark.parametrize("mode", [AGENT, PLAN])
def test_another_mode_ends_full_access(mode: SessionMode) -> None:
    """It is HIDDEN again, and both changes are told."""
    change = set_mode(confirmed(), mode, "ada", LATER)
    assert (change.session.mode, change.session.full_access) == (mode, HIDDEN)
    assert told(change) == [
        (EventType.FULL_ACCESS_CHANGED, HIDDEN.name),
        (EventType.SESSION_MODE_CHANGED, mode.name),
    ]
    assert change.events[-1].session == change.session


@pytest.mark.parametrize("mode", [AGENT, PLAN])
def test_another_mode_takes_the_question_back(mode: SessionMode) -> None:
    """Nobody can confirm afterwards what is no longer wanted."""
    change = set_mode(asked(), mode, "bot", LATER)
    assert (change.session.mode, change.session.full_access) == (mode, HIDDEN)
    assert told(change)[0] == (EventType.FULL_ACCESS_CHANGED, HIDDEN.name)
    with pytest.raises(FullAccessNotPending):
        answered(change.session)


def test_a_person_is_asked_once_per_session() -> None:
    """After a yes, the session gets full access back without another question."""
    back = set_mode(set_mode(confirmed(), PLAN, "ada", LATER).session, FULL_ACCESS, "ada", LATER)
    assert (back.session.mode, back.session.full_access) == (FULL_ACCESS, ACTIVE)
    assert told(back) == GIVEN


def a_reset(session: Session) -> SessionChange:
    return report(session, FsmEvent.RESET, "bot", LATER)


def a_restart(session: Session) -> SessionChange:
    return restart(session, [], "bot", LATER)


def a_workspace_change(session: Session) -> SessionChange:
    return change_workspace("acme", [session], [], "bot", LATER)


fresh_starts = pytest.mark.parametrize("anew", [a_reset, a_restart, a_workspace_change])
TOLD_BY: dict[Anew, tuple[EventType, str]] = {
    a_reset: (EventType.SESSION_MOVED, "RESET"),
    a_restart: (EventType.MEMORY_RESET, "SESSION_RESTART"),
    a_workspace_change: (EventType.MEMORY_RESET, "WORKSPACE_CHANGE"),
}


@fresh_starts
@pytest.mark.parametrize("session", [asked(), confirmed()], ids=["pending", "active"])
def test_a_fresh_start_drops_full_access(anew: Anew, session: Session) -> None:
    """The mode is AGENT, the question is open again, and an event tells that full access is HIDDEN."""
    change = anew(session)
    assert change.session == replace(FRESH, update_time=LATER)
    mode = [(EventType.SESSION_MODE_CHANGED, AGENT.name)] if session.mode is FULL_ACCESS else []
    dropped_and_why = [(EventType.FULL_ACCESS_CHANGED, HIDDEN.name), *mode, TOLD_BY[anew]]
    assert sorted(told(change)) == sorted(dropped_and_why)
    (dropped,) = [event for event in change.events if event.type is EventType.FULL_ACCESS_CHANGED]
    assert (dropped.session, dropped.actor, dropped.time) == (change.session, "bot", LATER)
    assert asked(change.session).full_access is PENDING


@fresh_starts
def test_a_fresh_start_forgets_the_yes(anew: Anew) -> None:
    """Also where full access was not in use: whoever wants it back must ask a person."""
    unused = set_mode(confirmed(), PLAN, "ada", LATER).session
    change = anew(unused)
    assert change.session == replace(FRESH, mode=PLAN, update_time=LATER)
    assert told(change) == [TOLD_BY[anew]]
    assert asked(change.session).full_access is PENDING


@fresh_starts
def test_a_fresh_start_keeps_plan_mode(anew: Anew) -> None:
    """Beginning anew makes nothing looser."""
    session = replace(FRESH, mode=PLAN)
    assert anew(session).session.mode is PLAN


def test_only_a_reset_moves_the_session() -> None:
    """To forget is not to begin the work anew."""
    working = replace(FRESH, fsm_state=FsmState.PLAN_EXECUTION)
    assert a_reset(working).session.fsm_state is FsmState.IDLE
    for change in (a_restart(working), a_workspace_change(working)):
        assert change.session.fsm_state is FsmState.PLAN_EXECUTION


def test_a_restart_tells_how_much_is_forgotten() -> None:
    """The event counts what was remembered for the session, and the change carries it."""
    memory = [a_memory(1), a_memory(2)]
    change = restart(FRESH, memory, "ada", LATER)
    assert change.forgotten == tuple(memory)
    assert [(event.cleared, event.session) for event in change.events] == [(2, change.session)]


def test_a_workspace_change_is_told_of_the_workspace() -> None:
    """One event counts everything forgotten and names no session; each session tells of itself."""
    sessions = [confirmed(), asked(begin("acme", "t", NOW))]
    change = change_workspace("acme", sessions, [a_memory(1)], "ada", LATER)
    assert [session.session_id for session in change.sessions] == ["s", "t"]
    assert [event.session_id for event in change.events] == ["s", "s", "t", ""]
    last = change.events[-1]
    assert (last.workspace, last.cleared, last.session) == ("acme", 1, None)
    assert change.forgotten == (a_memory(1),)


def test_a_workspace_change_without_sessions_is_told() -> None:
    """Also when there was nothing to forget."""
    change = change_workspace("acme", [], [], "ada", LATER)
    assert change.sessions == ()
    assert told(change) == [(EventType.MEMORY_RESET, "WORKSPACE_CHANGE")]
