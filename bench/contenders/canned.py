"""The floor's answers: messages that the real server would send, made once."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

from bench.plan import ARGS
from plangate_proto.agent.v1.agent_session_service_pb2 import AuthorizeToolResponse
from plangate_proto.agent.v1.create_plan_tool_pb2 import CreatePlanResult, CreatePlanSuccess
from plangate_proto.agent.v1.plan_service_pb2 import (
    CreatePlanResponse,
    GetPlanResponse,
    ReviewPlanResponse,
    UpdateTodosResponse,
)
from plangate_proto.agent.v1.review_event_pb2 import ReviewEvent, ReviewEventType
from plangate_proto.agent.v1.todo_tools_pb2 import UpdateTodosResult, UpdateTodosSuccess
from plangate_proto.agent.v1.tool_approval_service_pb2 import (
    ResolveApprovalResponse,
    WatchApprovalsResponse,
)
from plangate_proto.aiserver.v1.plan_review_service_pb2 import SubmitReviewResponse, WatchReviewsResponse
from plangate_server.domain.approval_queue import Answer, ask, by_person
from plangate_server.domain.approvals import Approval, ApprovalDecision
from plangate_server.domain.events import Cursors, Event, EventType
from plangate_server.domain.lifecycle import Origin, propose, submit_decision
from plangate_server.domain.limits import DEFAULTS
from plangate_server.domain.plan import uri_of
from plangate_server.domain.review import Decision, Option, ReviewOptions
from plangate_server.domain.sessions import begin
from plangate_server.domain.tools import AuthorizationResult, ToolKind, Verdict
from plangate_server.rpc.aiserver import result_message
from plangate_server.rpc.convert import event_message, plan_message, review_message
from plangate_server.rpc.requests import draft_of
from plangate_server.rpc.session_messages import RESULT, approval_message, prompt_message, standing_message

_ID = "0" * 32
_NOW = datetime.now(UTC)
_proposal = propose(Origin(_ID, "local", "bench"), draft_of(ARGS, DEFAULTS), ReviewOptions(), _ID, _NOW)
_plan = _proposal.plan
_decision = submit_decision(
    _plan, Decision("local", Option.APPROVE, _NOW), revision=1, seen_digest=_plan.revision.digest
)
_cursors = Cursors(_ID)
_result = CreatePlanResult(success=CreatePlanSuccess(), plan_uri=_plan.uri)
_created = CreatePlanResponse(result=_result, plan=plan_message(_plan))

GOTTEN: Final = GetPlanResponse(plan=plan_message(_plan))
SNAPSHOT: Final = ReviewPlanResponse(
    event=event_message(Event(EventType.SNAPSHOT, _NOW, "plangate", _plan, sequence=1), _cursors)
)
APPROVED: Final = ReviewPlanResponse(event=event_message(_decision.events[0], _cursors))
SUBMITTED: Final = SubmitReviewResponse(
    result=result_message(_decision.plan), review=review_message(_plan.uri, _decision.plan.review)
)
_todos = plan_message(_plan).todos
UPDATED: Final = UpdateTodosResponse(
    result=UpdateTodosResult(
        success=UpdateTodosSuccess(todos=_todos, total_count=len(_todos), was_merge=True)
    ),
    revision=1,
    ready_todo_ids=[_todos[0].id],
)

# What a watcher of the workspace is sent, encoded: the end of the snapshot, and all that a new plan causes.
CHECKPOINT: Final = WatchReviewsResponse(
    event=ReviewEvent(type=ReviewEventType.REVIEW_EVENT_TYPE_CHECKPOINT, cursor=_cursors.encode("local", 1))
).SerializeToString()
PROPOSED: Final = tuple(
    WatchReviewsResponse(
        event=event_message(Event(event.type, _NOW, event.actor, _plan, sequence=1), _cursors)
    ).SerializeToString()
    for event in _proposal.events
)


_call = Approval(_ID, "local", "bench", _ID, ToolKind.TERMINAL, "bash", "pytest -q tests/unit", _NOW, "bench")
_asked = ask(
    begin("local", "bench", _NOW), _call, Verdict(AuthorizationResult.CONFIRM, "default", ""), _ID, _NOW
)
_answered = by_person(_asked.approval, Answer(ApprovalDecision.APPROVED, _ID, "local"), _NOW)

ALLOWED: Final = AuthorizeToolResponse(
    decision=RESULT[AuthorizationResult.ALLOW],
    rule=f"remembered:{_ID}",
    reason="local said yes to calls like this: pytest -q tests/unit",
    correlation_id=_ID,
)
ACTIVE: Final = standing_message(_asked.approval, 0)
DECIDED: Final = standing_message(_answered, 0)
PROMPT: Final = WatchApprovalsResponse(
    cursor=_cursors.encode("local", 1),
    prompt=prompt_message(_asked.approval, "", may_answer=True),
    queue_length=1,
    session_id="bench",
)
RESOLVED: Final = ResolveApprovalResponse(approval=approval_message(_answered))


def created(number: int) -> CreatePlanResponse:
    """The answer to CreatePlan, under an id of its own: each plan has a stream of its own."""
    response = CreatePlanResponse()
    response.CopyFrom(_created)
    response.plan.review.approval_request_id = f"{number:032x}"
    response.plan.plan_uri = response.result.plan_uri = uri_of(f"{number:032x}")
    return response
