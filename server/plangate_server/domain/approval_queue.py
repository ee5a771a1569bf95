"""The queue of a session's tool calls: first in, first out, and the first is the one that people see.

Every verb gives the calls and the session afterwards, with the events that tell of it. A call ends exactly
once: decided, cancelled or expired.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import Any, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from plangate_server.domain import limits
from plangate_server.domain.approvals import NEXT_STATES, Approval, ApprovalDecision, ApprovalState
from plangate_server.domain.errors import (
    CallAlreadyDecided,
    LimitExceeded,
    MissingField,
    OwnRequest,
    PromptNotActive,
)
from plangate_server.domain.events import EventType, SessionChange, SessionEvent
from plangate_server.domain.persons import same_person
from plangate_server.domain.review import SERVICE, DecisionSource
from plangate_server.domain.sessions import Session
from plangate_server.domain.tools import AuthorizationResult, Verdict

Find: TypeAlias = Callable[[str], Approval]
"""A waiting call of the session by its id."""

ENDED_BY = {
    ApprovalState.DECIDED: EventType.TOOL_CALL_DECIDED,
    ApprovalState.CANCELLED: EventType.TOOL_CALL_CANCELLED,
    ApprovalState.EXPIRED: EventType.TOOL_CALL_EXPIRED,
}


class Answer(Struct, frozen=True):
    """What a person said to the active prompt."""

    decision: ApprovalDecision
    authority_token: str
    reviewer: str
    feedback_text: str = ""
    person: str = ""
    break_glass: str = ""

    @property
    def is_yes(self) -> bool:
        return self.decision is not ApprovalDecision.DENIED


def ask(session: Session, approval: Approval, verdict: Verdict, token: str, now: datetime) -> SessionChange:
    """A call that was not asked for before: answered by a rule at once, or put at the end of the queue."""
    if verdict.result is not AuthorizationResult.CONFIRM:
        answered = by_rule(approval, verdict, now)
        asked = replace(session, update_time=now)
        requested = _told(EventType.TOOL_CALL_REQUESTED, asked, answered, approval.requested_by, now)
        return joined(SessionChange(events=(requested,)), leave(asked, [answered], _nobody, "", now))
    waiting = len(session.queue)
    if waiting >= limits.WAITING_CALLS:
        raise LimitExceeded("waiting_calls", limits.WAITING_CALLS, waiting + 1, "call_id")
    if not waiting:
        approval = _activated(approval, token, now)
    queued = replace(session, queue=(*session.queue, approval.call_id), update_time=now)
    told = _told(EventType.TOOL_CALL_REQUESTED, queued, approval, approval.requested_by, now)
    return SessionChange((queued,), (told,), (approval,))


def by_rule(approval: Approval, verdict: Verdict, now: datetime) -> Approval:
    """The call, answered without a prompt."""
    allowed = verdict.result is AuthorizationResult.ALLOW
    return _moved(
        approval,
        ApprovalState.DECIDED,
        decision=ApprovalDecision.APPROVED if allowed else ApprovalDecision.DENIED,
        source=DecisionSource.AUTO,
        rule=verdict.rule,
        feedback_text="" if allowed else verdict.reason,
        end_time=now,
    )


def by_person(approval: Approval, answer: Answer, now: datetime, *, four_eyes: bool = False) -> Approval:
    """The call, answered by a person who saw its prompt."""
    check_waits(approval, now)
    check_prompt(approval, answer.authority_token)
    own = not approval.person or same_person(answer.person, approval.person)
    if four_eyes and own and answer.is_yes and not answer.break_glass:
        raise OwnRequest(approval.approval_id, answer.person)
    limits.check_bytes("feedback_text", answer.feedback_text, "feedback_bytes", limits.FEEDBACK_BYTES)
    return _moved(
        approval,
        ApprovalState.DECIDED,
        decision=answer.decision,
        source=DecisionSource.MANUAL,
        reviewer=answer.reviewer,
        break_glass=answer.break_glass,
        feedback_text=answer.feedback_text,
        end_time=now,
    )


def cancelled(approval: Approval, now: datetime) -> Approval:
    """The call, taken back by the agent."""
    check_waits(approval, now)
    return _moved(approval, ApprovalState.CANCELLED, end_time=now)


def expired(approval: Approval, now: datetime) -> Approval | None:
    """The call, if nobody answered it in time."""
    if not approval.waits or not _is_overdue(approval, now):
        return None
    return _moved(approval, ApprovalState.EXPIRED, end_time=now)


def leave(
    session: Session, ended: Sequence[Approval], find: Find, token: str, now: datetime
) -> SessionChange:
    """Calls that have ended leave the queue together; whoever comes first then is shown to people."""
    shown = session.queue[:1]
    gone = {approval.call_id for approval in ended}
    rest = tuple(call for call in session.queue if call not in gone)
    events: list[SessionEvent] = []
    for approval in ended:
        answered = approval.state is ApprovalState.DECIDED
        last = approval.call_id if answered else session.last_call
        session = replace(session, queue=rest, last_call=last, update_time=now)
        actor = approval.reviewer or (
            approval.requested_by if approval.state is ApprovalState.CANCELLED else SERVICE
        )
        events.append(_told(ENDED_BY[approval.state], session, approval, actor, now))
    changed = [*ended]
    if session.queue[:1] != shown and session.queue:
        first = find(session.queue[0])
        # It is active already if another node was faster; then the commit finds that out.
        changed += [_activated(first, token, now)] if first.state is ApprovalState.QUEUED else []
    return SessionChange((session,), tuple(events), tuple(changed))


def settled(
    waiting: Iterable[Approval], judge: Callable[[Approval], Verdict], now: datetime
) -> list[Approval]:
    """Those of the calls that wait which a rule answers by now. For what is overdue it comes too late."""
    open_ones = (each for each in waiting if each.waits and not _is_overdue(each, now))
    verdicts = [(approval, judge(approval)) for approval in open_ones]
    return [
        by_rule(approval, verdict, now)
        for approval, verdict in verdicts
        if verdict.result is not AuthorizationResult.CONFIRM
    ]


def joined(first: SessionChange, then: SessionChange) -> SessionChange:
    """Two changes of one session as one; where both tell of a call, the later holds."""
    calls = {each.call_id: each for each in (*first.approvals, *then.approvals)}
    return replace(
        first,
        sessions=then.sessions or first.sessions,
        events=(*first.events, *then.events),
        approvals=tuple(calls.values()),
    )


def check_waits(approval: Approval, now: datetime) -> None:
    """Refuse what is over; also what is overdue, which is over in a moment."""
    if approval.waits and not _is_overdue(approval, now):
        return
    outcome = approval.decision or (ApprovalState.EXPIRED if approval.waits else approval.state)
    ended = approval.end_time or approval.expire_time
    assert ended
    decided_by = approval.reviewer or approval.rule or SERVICE
    raise CallAlreadyDecided(approval.call_id, outcome.name, decided_by, ended.isoformat())


def check_prompt(approval: Approval, authority_token: str) -> None:
    if not authority_token:
        raise MissingField("authority_token", "send the one that came with the prompt (WatchApprovals)")
    where = (approval.session_id, approval.call_id)
    if approval.state is not ApprovalState.ACTIVE:
        raise PromptNotActive(*where, "the call waits behind others: answer the active prompt first")
    if not hmac.compare_digest(approval.authority_token.encode(), authority_token.encode()):
        raise PromptNotActive(*where, "authority_token is not the active prompt's: look at the prompt again")


def _is_overdue(approval: Approval, now: datetime) -> bool:
    return approval.expire_time is not None and now >= approval.expire_time


def _activated(approval: Approval, token: str, now: datetime) -> Approval:
    return _moved(approval, ApprovalState.ACTIVE, active_time=now, authority_token=token)


def _moved(approval: Approval, state: ApprovalState, **changes: Any) -> Approval:
    assert state in NEXT_STATES[approval.state], f"a call that is {approval.state} cannot become {state}"
    return replace(approval, state=state, **changes)


def _nobody(call_id: str) -> Approval:
    raise AssertionError(f"{call_id} is not concerned")


def _told(type: EventType, session: Session, approval: Approval, actor: str, now: datetime) -> SessionEvent:
    return SessionEvent(type, now, actor, session.workspace, session, approval)
