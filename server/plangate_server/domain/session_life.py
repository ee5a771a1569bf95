"""What happens in a session: it is reported on, driven by its plans, and its mode changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final

from msgspec.structs import replace

from plangate_server.domain.errors import ForbiddenTransition, FullAccessNotPending
from plangate_server.domain.events import (
    Change,
    DecidedText,
    Event,
    EventType,
    SessionChange,
    SessionEvent,
)
from plangate_server.domain.limits import AUTHORS, DEFAULTS, Limits, check_count
from plangate_server.domain.plan import Plan, PlanState
from plangate_server.domain.remembering import Remembered
from plangate_server.domain.review import DecisionSource
from plangate_server.domain.sessions import (
    FSM,
    STATE_WITH,
    FsmEvent,
    FsmState,
    FullAccessState,
    Session,
    SessionMode,
)

MOVING: Final = frozenset(
    {
        EventType.DRAFT_UPDATED,
        EventType.PLAN_CREATED,
        EventType.PLAN_UPDATED,
        EventType.PLAN_APPROVED,
        EventType.PLAN_REJECTED,
        EventType.PLAN_MODIFICATION_REQUESTED,
        EventType.PLAN_EDITED,
        EventType.REVIEW_EXPIRED,
        EventType.PLAN_WITHDRAWN,
        EventType.BUILD_STARTED,
        EventType.EXECUTION_COMPLETED,
        EventType.EXECUTION_FAILED,
    }
)
"""The events of a plan that lead its session where the plan is."""


APPROVING: Final = frozenset({EventType.PLAN_APPROVED, EventType.PLAN_EDITED})


def moves(change: Change) -> bool:
    """Whether the change of a plan moves a session."""
    return bool(change.plan.session_id) and any(event.type in MOVING for event in change.events)


def drive(
    session: Session, change: Change, limits: Limits = DEFAULTS, *, keep_plan_mode: bool = False
) -> Change:
    """The change of a plan, with what it does to the plan's session.

    A person's approval ends plan mode, unless that is to be kept. Refuses one more review than may be open in
    a session. Fewer, or as many as before, is always fine.
    """
    events: list[Event] = []
    open_before = len(session.in_review)
    for told in change.events:
        if told.type in MOVING:
            session = _led(session, told.plan, told.time)
            events.append(replace(told, session=session))
        else:
            events.append(told)
    if len(session.in_review) > open_before:
        check_count("session_id", len(session.in_review), "open_reviews", limits.open_reviews)
    led = replace(change, events=tuple(events), session=session)
    return led if keep_plan_mode else _without_plan_mode(led, session)


def _without_plan_mode(change: Change, session: Session) -> Change:
    """A person's yes ends plan mode; a rule's does not, and nothing that happens to a plan brings it back."""
    yes = next((told for told in change.events if told.type in APPROVING), None)
    by_person = yes is not None and yes.plan.review.source is DecisionSource.MANUAL
    if yes is None or not by_person or session.mode is not SessionMode.PLAN:
        return change
    session = replace(session, mode=SessionMode.AGENT)
    told = SessionEvent(
        EventType.SESSION_MODE_CHANGED,
        yes.time,
        yes.actor,
        session.workspace,
        session,
        message=session.mode.name,
        request_id=yes.request_id,
        cause=DecidedText(
            yes.plan_id, yes.revision, yes.digest, approval_request_id=yes.plan.review.approval_request_id
        ),
    )
    return replace(change, session=session, session_events=(told,))


def _led(session: Session, plan: Plan, now: datetime) -> Session:
    others = tuple(id for id in session.in_review if id != plan.plan_id)
    plans, drafts = session.plans, session.drafts
    if plan.state is PlanState.DRAFT:
        drafts = _with_newest(drafts, plan)
    elif plan.state not in {PlanState.COMPLETED, PlanState.WITHDRAWN}:
        plans = _with_newest(plans, plan)
    return replace(
        session,
        plans=plans,
        drafts=drafts,
        fsm_state=STATE_WITH[plan.state],
        plan_id=max(session.plan_id, plan.plan_id),
        in_review=(*others, plan.plan_id) if plan.state is PlanState.IN_REVIEW else others,
        update_time=now,
    )


def _with_newest(known: Mapping[str, str], plan: Plan) -> Mapping[str, str]:
    """With the plan, unless its author has made a newer one; those whose plans are oldest are forgotten."""
    if plan.author is None:
        return known
    mark = plan.author.mark
    if known.get(mark, "") >= plan.plan_id:
        return known
    newest = sorted({**known, mark: plan.plan_id}.items(), key=lambda each: each[1])
    return dict(newest[-AUTHORS:])


def reportable(state: FsmState) -> tuple[FsmEvent, ...]:
    """What an agent can report in a state."""
    return tuple(each.event for each in FSM if each.led_by is None and state in each.sources)


def report(session: Session, event: FsmEvent, actor: str, now: datetime) -> SessionChange:
    """Something happened that only the agent knows."""
    allowed = reportable(session.fsm_state)
    if event not in allowed:
        names = [each.name for each in allowed]
        raise ForbiddenTransition(session.session_id, session.fsm_state.name, event.name, names)
    target = next(each.target for each in FSM if each.event is event)
    moved = replace(session, fsm_state=target, update_time=now)
    told = _told(EventType.SESSION_MOVED, moved, actor, now, event.name)
    if event is not FsmEvent.RESET:
        return SessionChange((moved,), (told,))
    reset, dropped = drop_full_access(moved, actor, now)
    return SessionChange((reset,), (told, *dropped))


def begin_in_mode(session: Session, mode: SessionMode, actor: str, now: datetime) -> SessionChange:
    """A session comes into being with its mode, which is told even if it is the usual one."""
    change = set_mode(session, mode, actor, now)
    if change.events:
        return change
    told = _told(EventType.SESSION_MODE_CHANGED, session, actor, now, session.mode.name)
    return SessionChange((session,), (told,))


def set_mode(session: Session, mode: SessionMode, actor: str, now: datetime) -> SessionChange:
    """The session gets a mode; full access only after a person has confirmed it, once per session."""
    if mode is SessionMode.FULL_ACCESS:
        if session.mode is mode or session.full_access is FullAccessState.PENDING_CONFIRMATION:
            return SessionChange((session,))
        confirmed = session.full_access_confirmed
        return _with_full_access(session, actor, now) if confirmed else _ask(session, actor, now)
    changed = replace(session, mode=mode, full_access=FullAccessState.HIDDEN, update_time=now)
    events = _access_told(session, changed, actor, now)
    return SessionChange((changed,), events) if events else SessionChange((session,))


def confirm_full_access(
    session: Session, *, confirm: bool, actor: str, person: str, now: datetime
) -> SessionChange:
    """A person has answered whether the session may have full access."""
    if session.full_access is not FullAccessState.PENDING_CONFIRMATION:
        raise FullAccessNotPending(session.session_id, session.full_access.name)
    if confirm:
        return _with_full_access(replace(session, full_access_by=person), actor, now)
    refused = replace(session, full_access=FullAccessState.HIDDEN, update_time=now)
    return SessionChange((refused,), _access_told(session, refused, actor, now))


def restart(session: Session, forgotten: Sequence[Remembered], actor: str, now: datetime) -> SessionChange:
    """The session begins anew: what was remembered for it and its full access are gone."""
    fresh, dropped = drop_full_access(replace(session, update_time=now), actor, now)
    reset = _told(EventType.MEMORY_RESET, fresh, actor, now, "SESSION_RESTART", cleared=len(forgotten))
    return SessionChange((fresh,), (*dropped, reset), forgotten=tuple(forgotten))


def change_workspace(
    workspace: str, sessions: Sequence[Session], forgotten: Sequence[Remembered], actor: str, now: datetime
) -> SessionChange:
    """The workspace is another one now: nothing that was remembered for it holds, nor any full access."""
    fresh: list[Session] = []
    events: list[SessionEvent] = []
    for session in sessions:
        reset, dropped = drop_full_access(replace(session, update_time=now), actor, now)
        fresh.append(reset)
        events += dropped
    told = SessionEvent(
        EventType.MEMORY_RESET, now, actor, workspace, cleared=len(forgotten), message="WORKSPACE_CHANGE"
    )
    return SessionChange(tuple(fresh), (*events, told), forgotten=tuple(forgotten))


def drop_full_access(session: Session, actor: str, now: datetime) -> tuple[Session, tuple[SessionEvent, ...]]:
    """The session without full access, which must be confirmed anew; with what there is to tell of it."""
    mode = SessionMode.AGENT if session.mode is SessionMode.FULL_ACCESS else session.mode
    fresh = replace(
        session,
        mode=mode,
        full_access=FullAccessState.HIDDEN,
        full_access_confirmed=False,
        full_access_by="",
    )
    return fresh, _access_told(session, fresh, actor, now)


def _ask(session: Session, actor: str, now: datetime) -> SessionChange:
    asked = replace(session, full_access=FullAccessState.PENDING_CONFIRMATION, update_time=now)
    return SessionChange((asked,), _access_told(session, asked, actor, now))


def _with_full_access(session: Session, actor: str, now: datetime) -> SessionChange:
    active = replace(
        session,
        mode=SessionMode.FULL_ACCESS,
        full_access=FullAccessState.ACTIVE,
        full_access_confirmed=True,
        update_time=now,
    )
    return SessionChange((active,), _access_told(session, active, actor, now))


def _access_told(before: Session, after: Session, actor: str, now: datetime) -> tuple[SessionEvent, ...]:
    """What there is to tell where full access or the mode have changed."""
    events = []
    if after.full_access is not before.full_access:
        events.append(_told(EventType.FULL_ACCESS_CHANGED, after, actor, now, after.full_access.name))
    if after.mode is not before.mode:
        events.append(_told(EventType.SESSION_MODE_CHANGED, after, actor, now, after.mode.name))
    return tuple(events)


def _told(
    type: EventType, session: Session, actor: str, now: datetime, message: str, *, cleared: int = 0
) -> SessionEvent:
    return SessionEvent(type, now, actor, session.workspace, session, message=message, cleared=cleared)
