"""The queue of a session's tool calls: first in, first out, and the first is the one that people see."""

from __future__ import annotations

from datetime import UTC
from typing import Any, Final

from plangate.testing._fake.memory import signature
from plangate.testing._fake.messages import copy_of, moment, new_id, word
from plangate.testing._fake.refusals import Refused
from plangate.testing._fake.rules import EXECUTE, WRITE, Question, Verdict, verdict
from plangate.testing._fake.sessions import SessionRecord
from plangate.testing._fake.state import AUTHOR, SERVICE, State, Type
from plangate_proto.agent.v1.agent_session_service_pb2 import AuthorizationResult
from plangate_proto.agent.v1.review_resource_pb2 import DecisionSource
from plangate_proto.agent.v1.tool_approval_service_pb2 import (
    Approval,
    ApprovalDecision,
    ApprovalPrompt,
    ApprovalState,
    PlanChoice,
    Remembered,
    ToolKind,
    WatchApprovalsResponse,
)

WAITING: Final = frozenset({ApprovalState.APPROVAL_STATE_QUEUED, ApprovalState.APPROVAL_STATE_ACTIVE})
ENDED_BY: Final = {
    ApprovalState.APPROVAL_STATE_DECIDED: Type.REVIEW_EVENT_TYPE_TOOL_CALL_DECIDED,
    ApprovalState.APPROVAL_STATE_CANCELLED: Type.REVIEW_EVENT_TYPE_TOOL_CALL_CANCELLED,
    ApprovalState.APPROVAL_STATE_EXPIRED: Type.REVIEW_EVENT_TYPE_TOOL_CALL_EXPIRED,
}
ONCE: Final = PlanChoice(label="Yes, this once", sublabel="Enter", value="APPROVED")
FOR_SESSION: Final = PlanChoice(
    label="Yes, and the same for the rest of the session", sublabel="s", value="APPROVED_FOR_SESSION"
)
NO: Final = PlanChoice(label="No", sublabel="Esc", value="DENIED")
ALLOW: Final = AuthorizationResult.AUTHORIZATION_RESULT_ALLOW
CONFIRM: Final = AuthorizationResult.AUTHORIZATION_RESULT_CONFIRM


def put(state: State, session: SessionRecord, call: Approval) -> None:
    """A new call: answered by a rule at once, or put at the end of the queue."""
    session.calls[call.call_id] = call
    found = judged(state, session, call)
    if found.result == CONFIRM:
        session.queue.append(call.call_id)
        _show_first(state, session)
    else:
        answer_by_rule(call, found)
    actor = call.agent_id or AUTHOR
    _tell(state, session, Type.REVIEW_EVENT_TYPE_TOOL_CALL_REQUESTED, call, actor)
    if found.result != CONFIRM:
        leave(state, session, [call])


def leave(
    state: State, session: SessionRecord, ended: list[Approval], kept: Remembered | None = None
) -> None:
    """Calls that have ended leave the queue together; then people see whoever comes first.

    ``kept`` is what is remembered of the answer to the first of them.
    """
    gone = {call.call_id for call in ended}
    session.queue[:] = [call_id for call_id in session.queue if call_id not in gone]
    _show_first(state, session)
    for call in ended:
        call.position = 0
        call.decide_time.CopyFrom(moment())
        call.latency.FromTimedelta(call.decide_time.ToDatetime() - call.request_time.ToDatetime())
        if call.state == ApprovalState.APPROVAL_STATE_DECIDED:
            session.session.last_decision.CopyFrom(call)
        is_cancelled = call.state == ApprovalState.APPROVAL_STATE_CANCELLED
        actor = (call.agent_id or AUTHOR) if is_cancelled else call.reviewer or SERVICE
        _tell(state, session, ENDED_BY[call.state], call, actor)
        if kept is not None and call is ended[0]:
            kind = Type.REVIEW_EVENT_TYPE_DECISION_REMEMBERED
            state.tell_of_session(session, kind, kept.reviewer, remembered=kept)


def settle(state: State, session: SessionRecord) -> list[Approval]:
    """Answer those that wait which a rule answers by now."""
    waiting = (session.calls[call_id] for call_id in session.queue)
    verdicts = [(call, judged(state, session, call)) for call in waiting if call.state in WAITING]
    ended = [(call, found) for call, found in verdicts if found.result != CONFIRM]
    for call, found in ended:
        answer_by_rule(call, found)
    return [call for call, _ in ended]


def expire(state: State, call: Approval) -> None:
    """Nobody answered in time."""
    session = state.session(call.session_id)
    found = session.calls[call.call_id]
    found.state = ApprovalState.APPROVAL_STATE_EXPIRED
    leave(state, session, [found])


def check_waits(call: Approval) -> None:
    if call.state in WAITING:
        return
    is_decided = call.state == ApprovalState.APPROVAL_STATE_DECIDED
    outcome = word(ApprovalDecision, call.decision) if is_decided else word(ApprovalState, call.state)
    by = call.reviewer or call.rule or SERVICE
    when = call.decide_time.ToDatetime(tzinfo=UTC).isoformat()
    words = f"the tool call is over: {outcome} by {by} at {when}"
    facts = {"call_id": call.call_id, "outcome": outcome, "decided_by": by, "decide_time": when}
    raise Refused("ALREADY_DECIDED", words, **facts)


def prompts_of(session: SessionRecord) -> WatchApprovalsResponse:
    """What people see of the queue."""
    shown = session.shown()
    return WatchApprovalsResponse(
        prompt=prompt_of(session) if session.queue else None,
        queue_length=shown.queue_length,
        last_decision=shown.last_decision if shown.HasField("last_decision") else None,
        session_id=shown.session_id,
    )


def prompt_of(session: SessionRecord) -> ApprovalPrompt:
    """The first call, as people see it."""
    call = session.calls[session.queue[0]]
    can_remember = signature(call.kind, call.command) is not None
    copied: dict[str, Any] = {
        name: getattr(call, name)
        for name in (
            *("call_id", "session_id", "kind", "tool_name", "command", "agent_id", "request_time"),
            *("plan_uri", "build_id", "digest", "todo_id", "metadata"),
        )
    }
    return ApprovalPrompt(
        **copied,
        message=call.prompt,
        can_remember=can_remember,
        options=[ONCE, FOR_SESSION, NO] if can_remember else [ONCE, NO],
        authority_token=session.tokens[call.call_id],
        expire_time=call.expire_time if call.HasField("expire_time") else None,
    )


def judged(state: State, session: SessionRecord, call: Approval) -> Verdict:
    """What the rules say to a call; nothing that is asked for only reads."""
    access = WRITE if call.kind == ToolKind.TOOL_KIND_EDIT else EXECUTE
    shown = session.session
    return verdict(shown.mode, state.memory, shown.session_id, Question(call, access))


def answer_by_rule(call: Approval, found: Verdict) -> None:
    is_yes = found.result == ALLOW
    yes, no = ApprovalDecision.APPROVAL_DECISION_APPROVED, ApprovalDecision.APPROVAL_DECISION_DENIED
    call.state, call.decision = ApprovalState.APPROVAL_STATE_DECIDED, yes if is_yes else no
    call.source, call.rule = DecisionSource.DECISION_SOURCE_AUTO, found.rule
    call.feedback_text = "" if is_yes else found.reason


def _show_first(state: State, session: SessionRecord) -> None:
    for place, call_id in enumerate(session.queue):
        session.calls[call_id].position = place
    if session.queue and session.queue[0] not in session.tokens:
        call = session.calls[session.queue[0]]
        call.state = ApprovalState.APPROVAL_STATE_ACTIVE
        call.active_time.CopyFrom(moment())
        session.tokens[call.call_id] = new_id()
        state.questions.append(copy_of(call))


def _tell(state: State, session: SessionRecord, kind: Type.ValueType, call: Approval, actor: str) -> None:
    told = copy_of(call)
    told.ClearField("position")  # which is not a part of what happened
    state.tell_of_session(
        session,
        kind,
        actor,
        prompts=prompts_of(session),
        approval=told,
        plan_uri=call.plan_uri,
        digest=call.digest,
    )
