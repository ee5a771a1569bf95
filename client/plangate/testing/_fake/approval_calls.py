"""Tool calls that need a person's yes: asked for, taken back, answered, listed."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Iterator
from typing import Final

from plangate.testing._fake import queue
from plangate.testing._fake.memory import YES, signature, to_remember
from plangate.testing._fake.messages import moment, now, word
from plangate.testing._fake.refusals import Refused, missing, not_done
from plangate.testing._fake.sessions import SessionRecord
from plangate.testing._fake.state import State
from plangate.testing._fake.work import correlation_id, plan_of
from plangate_proto.agent.v1 import tool_approval_service_pb2 as pb
from plangate_proto.agent.v1.agent_session_service_pb2 import AuthorizationResult
from plangate_proto.agent.v1.review_resource_pb2 import DecisionSource
from plangate_proto.agent.v1.tool_approval_service_pb2 import Approval, ApprovalState, ToolKind

SAME: Final = ("kind", "tool_name", "command", "build_id", "todo_id")
"""What a call that is asked for again must have in common with the first one."""


def request_approval(
    state: State, request: pb.RequestApprovalRequest
) -> Iterator[pb.RequestApprovalResponse | None]:
    """Where the call stands, each time that changes, until it has ended."""
    call = _asked(state, request)
    told = None
    while True:
        stands = _standing(call)
        if stands != told:
            told = stands
            yield stands
        elif call.state not in queue.WAITING:
            return
        else:
            yield None


def _asked(state: State, request: pb.RequestApprovalRequest) -> Approval:
    """The call, which may have been asked for before."""
    for field in ("session_id", "call_id", "kind", "tool_name"):
        if not getattr(request, field):
            raise missing(field)
    if not request.command.strip():
        raise missing("command")
    known = state.sessions.get(request.session_id)
    if known is not None and request.call_id in known.calls:
        return _joined(known.calls[request.call_id], request)
    plan_uri = plan_of(state, request)
    session = state.begun_session(request.session_id)
    call = _new_call(request, plan_uri)
    queue.put(state, session, call)
    return call


def _joined(before: Approval, request: pb.RequestApprovalRequest) -> Approval:
    other_plan = request.plan_uri and request.plan_uri != before.plan_uri
    if other_plan or any(getattr(before, name) != getattr(request, name) for name in SAME):
        words = f"call_id is {request.call_id!r}, which another tool call of the session has"
        facts = {"session_id": request.session_id, "call_id": request.call_id}
        raise Refused("CALL_ID_REUSED", words, field="call_id", **facts)
    return before


def _new_call(request: pb.RequestApprovalRequest, plan_uri: str) -> Approval:
    kind = word(ToolKind, request.kind)
    asked = {"command": request.command, "kind": kind, "tool_name": request.tool_name}
    signed = signature(request.kind, request.command) or request.command
    call = Approval(
        session_id=request.session_id,
        call_id=request.call_id,
        agent_id=request.agent_id,
        kind=request.kind,
        tool_name=request.tool_name,
        command=request.command,
        state=ApprovalState.APPROVAL_STATE_QUEUED,
        request_time=moment(),
        plan_uri=plan_uri,
        build_id=request.build_id,
        todo_id=request.todo_id,
        digest=_hashed(asked),
        metadata=request.metadata,
        signature_hash=_hashed([kind.lower(), request.tool_name, signed]),
        correlation_id=correlation_id(request, plan_uri),
        prompt=request.prompt,
    )
    if request.HasField("expires_after"):
        call.expire_time.FromDatetime(now() + request.expires_after.ToTimedelta())
    return call


def _hashed(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def _standing(call: Approval) -> pb.RequestApprovalResponse:
    return pb.RequestApprovalResponse(
        state=call.state,
        position=call.position,
        decision=call.decision,
        feedback_text=call.feedback_text,
        source=call.source,
        rule=call.rule,
        reviewer=call.reviewer,
        digest=call.digest,
        correlation_id=call.correlation_id,
    )


def cancel_approval(state: State, request: pb.CancelApprovalRequest) -> pb.CancelApprovalResponse:
    session, call = _known(state, request.session_id, request.call_id)
    if call.state != ApprovalState.APPROVAL_STATE_CANCELLED:
        queue.check_waits(call)
        call.state = ApprovalState.APPROVAL_STATE_CANCELLED
        queue.leave(state, session, [call])
    return pb.CancelApprovalResponse(approval=call)


def resolve_approval(
    state: State, request: pb.ResolveApprovalRequest, person: str
) -> pb.ResolveApprovalResponse:
    if request.break_glass_reason:
        not_done("break_glass_reason")
    if not request.decision:
        raise missing("decision")
    session, call = _known(state, request.session_id, request.call_id)
    queue.check_waits(call)
    _check_prompt(session, call, request.authority_token)
    found = queue.judged(state, session, call)
    if request.decision in YES and found.result == AuthorizationResult.AUTHORIZATION_RESULT_DENY:
        queue.answer_by_rule(call, found)  # a deny that came meanwhile is final
        queue.leave(state, session, [call])
        return pb.ResolveApprovalResponse(approval=call)
    kept = to_remember(request, call, person)
    call.state, call.decision = ApprovalState.APPROVAL_STATE_DECIDED, request.decision
    call.source = DecisionSource.DECISION_SOURCE_MANUAL
    call.reviewer, call.feedback_text = person, request.feedback_text
    others: list[Approval] = []
    if kept is not None:
        _remember(state, kept)
        others = queue.settle(state, session)
    queue.leave(state, session, [call, *others], kept)
    return pb.ResolveApprovalResponse(approval=call, remembered=kept)


def _check_prompt(session: SessionRecord, call: Approval, token: str) -> None:
    """Refuse an answer to a prompt that nobody sees, or that somebody did not see."""
    if not token:
        raise missing("authority_token")
    problem = ""
    if call.state != ApprovalState.APPROVAL_STATE_ACTIVE:
        problem = "the call waits behind others: answer the active prompt first"
    elif not hmac.compare_digest(session.tokens[call.call_id].encode(), token.encode()):
        problem = "authority_token is not the active prompt's: look at the prompt again"
    if problem:
        raise Refused("PROMPT_NOT_ACTIVE", problem, session_id=call.session_id, call_id=call.call_id)


def _remember(state: State, kept: pb.Remembered) -> None:
    """In the place of what was remembered for the same calls."""
    state.memory[:] = [each for each in state.memory if _reach(each) != _reach(kept)]
    state.memory.append(kept)


def _reach(kept: pb.Remembered) -> tuple[object, ...]:
    return (kept.kind, kept.tool_name, kept.signature, kept.scope, kept.session_id)


def _known(state: State, session_id: str, call_id: str) -> tuple[SessionRecord, Approval]:
    for field, value in (("session_id", session_id), ("call_id", call_id)):
        if not value:
            raise missing(field)
    session = state.sessions.get(session_id)
    if session is None or call_id not in session.calls:
        words = "call_id names no tool call of this session"
        facts = {"session_id": session_id, "call_id": call_id}
        raise Refused("APPROVAL_NOT_FOUND", words, field="call_id", **facts)
    return session, session.calls[call_id]


def list_approvals(state: State, request: pb.ListApprovalsRequest) -> pb.ListApprovalsResponse:
    wanted = request.states or queue.WAITING
    found = [
        call
        for session_id, session in state.sessions.items()
        if request.session_id in {"", session_id}
        for call in session.calls.values()
        if call.state in wanted
    ]
    found.sort(key=lambda call: call.request_time.ToNanoseconds())
    return pb.ListApprovalsResponse(approvals=found)
