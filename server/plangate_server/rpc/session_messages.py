"""Sessions, tool calls and remembered decisions as agent.v1 messages."""

from __future__ import annotations

from typing import Final

from plangate_proto.agent.v1 import (
    agent_session_service_pb2,
    review_event_pb2,
    session_state_pb2,
    tool_approval_service_pb2,
)
from plangate_server.domain.approvals import Approval, ApprovalDecision, ApprovalState
from plangate_server.domain.events import Cursors, RefusedDecision, SessionEvent
from plangate_server.domain.plan import uri_of
from plangate_server.domain.remembering import Remembered, Scope
from plangate_server.domain.restoring import Obstacle, Sorted
from plangate_server.domain.sessions import FsmEvent, FsmState, FullAccessState, Session, SessionMode
from plangate_server.domain.tools import Access, AuthorizationResult, ToolKind
from plangate_server.rpc.enums import EVENT_TYPE, SOURCE, number, numbers
from plangate_server.rpc.times import duration, timestamp
from plangate_server.usecases.remembered import ResetKind

OBSTACLE: Final = numbers(Obstacle, tool_approval_service_pb2.RestoreObstacle, "RESTORE_OBSTACLE")
TOOL_KIND: Final = numbers(ToolKind, tool_approval_service_pb2.ToolKind, "TOOL_KIND")
APPROVAL_STATE: Final = numbers(ApprovalState, tool_approval_service_pb2.ApprovalState, "APPROVAL_STATE")
DECISION: Final = numbers(ApprovalDecision, tool_approval_service_pb2.ApprovalDecision, "APPROVAL_DECISION")
SCOPE: Final = numbers(Scope, tool_approval_service_pb2.RememberScope, "REMEMBER_SCOPE")
RESET_KIND: Final = numbers(ResetKind, tool_approval_service_pb2.ResetKind, "RESET_KIND")
MODE: Final = numbers(SessionMode, agent_session_service_pb2.SessionMode, "SESSION_MODE")
FULL_ACCESS: Final = numbers(FullAccessState, agent_session_service_pb2.FullAccessState, "FULL_ACCESS_STATE")
ACCESS: Final = numbers(Access, agent_session_service_pb2.ToolAccess, "TOOL_ACCESS")
FSM_STATE: Final = numbers(FsmState, session_state_pb2.FsmState, "FSM_STATE")
FSM_EVENT: Final = numbers(FsmEvent, agent_session_service_pb2.FsmEvent, "FSM_EVENT")
RESULT: Final = numbers(
    AuthorizationResult, agent_session_service_pb2.AuthorizationResult, "AUTHORIZATION_RESULT"
)

ONCE: Final = tool_approval_service_pb2.PlanChoice(
    label="Yes, this once", sublabel="Enter", description="It is done now.", value="APPROVED"
)
FOR_SESSION: Final = tool_approval_service_pb2.PlanChoice(
    label="Yes, and the same for the rest of the session",
    sublabel="s",
    description="The very same call is not asked about again in this session.",
    value="APPROVED_FOR_SESSION",
)
NO: Final = tool_approval_service_pb2.PlanChoice(
    label="No",
    sublabel="Esc",
    description="It is not done; say what to do differently.",
    value="DENIED",
)


def session_message(
    session: Session, last_decision: Approval | None = None
) -> agent_session_service_pb2.Session:
    return agent_session_service_pb2.Session(
        session_id=session.session_id,
        mode=MODE[session.mode],
        full_access_state=FULL_ACCESS[session.full_access],
        fsm_state=FSM_STATE[session.fsm_state],
        queue_length=len(session.queue),
        last_decision=approval_message(last_decision) if last_decision else None,
        can_send=session.can_send,
        waiting_for_plan_approval=bool(session.in_review),
        plan_uri=uri_of(session.plan_id) if session.plan_id else "",
        create_time=timestamp(session.create_time),
        update_time=timestamp(session.update_time),
    )


def approval_message(approval: Approval, position: int = 0) -> tool_approval_service_pb2.Approval:
    latency = approval.end_time - approval.request_time if approval.end_time else None
    return tool_approval_service_pb2.Approval(
        session_id=approval.session_id,
        call_id=approval.call_id,
        agent_id=approval.agent_id,
        kind=TOOL_KIND[approval.kind],
        tool_name=approval.tool,
        command=approval.command,
        state=APPROVAL_STATE[approval.state],
        position=position,
        decision=number(DECISION, approval.decision),
        source=number(SOURCE, approval.source),
        rule=approval.rule,
        reviewer=approval.reviewer,
        feedback_text=approval.feedback_text,
        request_time=timestamp(approval.request_time),
        decide_time=timestamp(approval.end_time),
        expire_time=timestamp(approval.expire_time),
        plan_uri=uri_of(approval.plan_id) if approval.plan_id else "",
        build_id=approval.build_id,
        todo_id=approval.todo_id,
        digest=approval.digest,
        metadata=approval.metadata,
        signature_hash=approval.signature_hash,
        correlation_id=approval.correlation_id,
        active_time=timestamp(approval.active_time),
        latency=duration(latency),
        prompt=approval.prompt,
        person=approval.person,
        break_glass_reason=approval.break_glass,
    )


def prompt_message(
    approval: Approval, suggested_pattern: str, *, may_answer: bool
) -> tool_approval_service_pb2.ApprovalPrompt:
    """The prompt; with what it takes to answer it only for those who may."""
    can_remember = approval.can_remember
    return tool_approval_service_pb2.ApprovalPrompt(
        call_id=approval.call_id,
        session_id=approval.session_id,
        kind=TOOL_KIND[approval.kind],
        tool_name=approval.tool,
        command=approval.command,
        message=approval.prompt,
        can_remember=can_remember,
        options=[ONCE, FOR_SESSION, NO] if can_remember else [ONCE, NO],
        authority_token=approval.authority_token if may_answer else "",
        agent_id=approval.agent_id,
        request_time=timestamp(approval.request_time),
        expire_time=timestamp(approval.expire_time),
        plan_uri=uri_of(approval.plan_id) if approval.plan_id else "",
        build_id=approval.build_id,
        digest=approval.digest,
        todo_id=approval.todo_id,
        metadata=approval.metadata,
        suggested_pattern=suggested_pattern,
    )


def standing_message(approval: Approval, position: int) -> tool_approval_service_pb2.RequestApprovalResponse:
    """Where the call is. Of those that wait, the place in the queue tells which people see."""
    state = approval.state
    if approval.waits:
        state = ApprovalState.QUEUED if position else ApprovalState.ACTIVE
    return tool_approval_service_pb2.RequestApprovalResponse(
        state=APPROVAL_STATE[state],
        position=position,
        decision=number(DECISION, approval.decision),
        feedback_text=approval.feedback_text,
        source=number(SOURCE, approval.source),
        rule=approval.rule,
        reviewer=approval.reviewer,
        digest=approval.digest,
        correlation_id=approval.correlation_id,
    )


def remembered_message(remembered: Remembered, refusal: str = "") -> tool_approval_service_pb2.Remembered:
    once_for_all = ApprovalDecision.APPROVED if remembered.allows else ApprovalDecision.DENIED
    return tool_approval_service_pb2.Remembered(
        remembered_id=remembered.remembered_id,
        kind=TOOL_KIND[remembered.kind],
        tool_name=remembered.tool,
        signature=remembered.signature,
        is_pattern=remembered.is_pattern,
        decision=DECISION[once_for_all],
        scope=SCOPE[remembered.scope],
        session_id=remembered.session_id,
        reviewer=remembered.reviewer,
        create_time=timestamp(remembered.create_time),
        expire_time=timestamp(remembered.expire_time),
        person=remembered.person,
        restored_by=remembered.restored_by,
        refusal=refusal,
    )


def restored_message(found: Sorted) -> tool_approval_service_pb2.RestoreMemoryResponse:
    response = tool_approval_service_pb2.RestoreMemoryResponse
    return response(
        restored=[remembered_message(each) for each in found.kept],
        left_out=[
            response.LeftOut(place=each.place, obstacle=OBSTACLE[each.obstacle]) for each in found.left_out
        ],
    )


def session_event_message(event: SessionEvent, cursors: Cursors) -> review_event_pb2.ReviewEvent:
    approval, session = event.approval, event.session
    return review_event_pb2.ReviewEvent(
        cursor=cursors.encode(event.workspace, event.sequence),
        type=EVENT_TYPE[event.type],
        event_time=timestamp(event.time),
        plan_uri=uri_of(event.plan_id) if event.plan_id else "",
        plan_id=event.plan_id,
        approval_request_id=event.approval_request_id,
        session_id=event.session_id,
        revision=event.revision,
        digest=event.digest,
        fsm_state=number(FSM_STATE, session.fsm_state if session else None),
        actor=event.actor,
        message=event.message,
        session=session_message(session) if session else None,
        approval=approval_message(approval) if approval else None,
        remembered=remembered_message(event.remembered) if event.remembered else None,
        cleared=event.cleared,
        request_id=event.request_id,
    )


def refused_message(event: RefusedDecision, cursors: Cursors) -> review_event_pb2.ReviewEvent:
    return review_event_pb2.ReviewEvent(
        cursor=cursors.encode(event.workspace, event.sequence),
        type=EVENT_TYPE[event.type],
        event_time=timestamp(event.time),
        plan_uri=uri_of(event.plan_id) if event.plan_id else "",
        plan_id=event.plan_id,
        approval_request_id=event.approval_request_id,
        session_id=event.session_id,
        actor=event.actor,
        request_id=event.request_id,
        refused=review_event_pb2.RefusedDecision(
            reason=event.reason,
            person=event.person,
            method=event.method,
            selected_option=event.selected_option,
            call_id=event.call_id,
            revision=event.revision,
            digest=event.digest,
        ),
    )
