"""A person's side: what waits, what happens, what is decided."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Literal

from plangate._calls.kinds import Method, Pages, Stream, Unary, by_page_token, new_id
from plangate._calls.words import number_of, uri_of
from plangate._tokens import ADMIN, REVIEWER
from plangate._values import Decision
from plangate_proto.agent.v1.agent_session_service_pb2 import (
    ConfirmFullAccessRequest,
    ConfirmFullAccessResponse,
    Session,
)
from plangate_proto.agent.v1.plan_resource_pb2 import Plan
from plangate_proto.agent.v1.review_event_pb2 import ReviewEvent, ReviewEventType
from plangate_proto.agent.v1.review_resource_pb2 import Comment, ReviewStatus
from plangate_proto.agent.v1.tool_approval_service_pb2 import (
    Approval,
    ApprovalDecision,
    ApprovalPrompt,
    ApprovalState,
    ForgetRememberedRequest,
    ForgetRememberedResponse,
    ListApprovalsRequest,
    ListApprovalsResponse,
    ListRememberedRequest,
    ListRememberedResponse,
    Remember,
    Remembered,
    ResetKind,
    ResetMemoryRequest,
    ResetMemoryResponse,
    ResolveApprovalRequest,
    ResolveApprovalResponse,
    RestoreMemoryRequest,
    RestoreMemoryResponse,
    WatchApprovalsRequest,
    WatchApprovalsResponse,
)
from plangate_proto.aiserver.v1.create_plan_tool_pb2 import CreatePlanParams
from plangate_proto.aiserver.v1.human_review_pb2 import HumanReview
from plangate_proto.aiserver.v1.plan_review_service_pb2 import (
    AddCommentRequest,
    AddCommentResponse,
    GetReviewRequest,
    GetReviewResponse,
    ListReviewsRequest,
    ListReviewsResponse,
    ResolveCommentRequest,
    ResolveCommentResponse,
    ReviewItem,
    SubmitReviewRequest,
    SubmitReviewResponse,
    WatchReviewsRequest,
    WatchReviewsResponse,
)

SERVICE: Final = "/aiserver.v1.PlanReviewService/"
APPROVALS: Final = "/agent.v1.ApprovalService/"
LIST: Final = Method(f"{SERVICE}ListReviews", REVIEWER, ListReviewsResponse)
GET: Final = Method(f"{SERVICE}GetReview", REVIEWER, GetReviewResponse)
WATCH: Final = Method(f"{SERVICE}WatchReviews", REVIEWER, WatchReviewsResponse)
SUBMIT: Final = Method(f"{SERVICE}SubmitReview", REVIEWER, SubmitReviewResponse)
COMMENT: Final = Method(f"{SERVICE}AddComment", REVIEWER, AddCommentResponse)
RESOLVE_COMMENT: Final = Method(f"{SERVICE}ResolveComment", REVIEWER, ResolveCommentResponse)
PROMPTS: Final = Method(f"{APPROVALS}WatchApprovals", REVIEWER, WatchApprovalsResponse)
ANSWER: Final = Method(f"{APPROVALS}ResolveApproval", REVIEWER, ResolveApprovalResponse)
CALLS: Final = Method(f"{APPROVALS}ListApprovals", REVIEWER, ListApprovalsResponse)
REMEMBERED: Final = Method(f"{APPROVALS}ListRemembered", REVIEWER, ListRememberedResponse)
FORGET: Final = Method(f"{APPROVALS}ForgetRemembered", REVIEWER, ForgetRememberedResponse)
RESET: Final = Method(f"{APPROVALS}ResetMemory", REVIEWER, ResetMemoryResponse)
RESTORE: Final = Method(f"{APPROVALS}RestoreMemory", ADMIN, RestoreMemoryResponse)
CONFIRM: Final = Method("/agent.v1.SessionService/ConfirmFullAccess", REVIEWER, ConfirmFullAccessResponse)

Answered = Literal["approved", "approved_for_session", "denied"]
Reset = Literal["session_restart", "workspace_change"]


def reviews(*statuses: ReviewStatus.ValueType, session_id: str = "") -> Pages[ReviewItem]:
    """Every review that waits, or that has one of the statuses; oldest first."""
    request = ListReviewsRequest(statuses=statuses, session_id=session_id)
    return Pages(LIST, request, lambda page: page.reviews, by_page_token(request))


def review(plan: Plan | str) -> Unary[GetReviewResponse]:
    """All that a person needs to decide: the plan, the choices, the comments, the revisions before.

    Very many long comments do not fit into the answer: ``comments_not_shown`` says how many, and ``comments``
    of a client lists all.
    """
    return Unary(GET, GetReviewRequest(plan_uri=uri_of(plan)), _itself)


def watch(
    *types: ReviewEventType.ValueType,
    session_id: str = "",
    snapshot: bool = True,
    cursor: str = "",
    unattended: bool = False,
) -> Stream[ReviewEvent]:
    """What happens in the workspace: a snapshot of each open review, a checkpoint, then live, for ever.

    The caller counts as a reviewer who watches, unless it is ``unattended``: a program that no person looks
    at. Survives lost connections, like ``events``.
    """
    request = WatchReviewsRequest(
        types=types, session_id=session_id, snapshot=snapshot, cursor=cursor, unattended=unattended
    )
    return Stream(WATCH, request, lambda response: response.event, lambda response: response.event.cursor)


def decide(
    plan: Plan,
    option: str,
    feedback: str = "",
    *,
    edited: CreatePlanParams | str | None = None,
    whole: bool = False,
    break_glass_reason: str = "",
) -> Unary[Decision]:
    """Record a person's decision about the very text in ``plan``; if it moved on, this is refused.

    ``option`` is approve, reject, requestChanges, or edit: then ``edited`` is the new text, or what of the
    plan is to be replaced; with ``whole`` it is all that the plan says. With ``break_glass_reason`` an admin
    approves past four_eyes and the number of approvals, and the event log tells everybody why.
    """
    changed = CreatePlanParams(plan=edited) if isinstance(edited, str) else edited
    request = SubmitReviewRequest(
        approval_request_id=plan.review.approval_request_id,
        human_review=HumanReview(selected_option=option, feedback_text=feedback),
        revision=plan.revision,
        digest=plan.digest,
        edited=changed,
        edited_whole=whole,
        request_id=new_id(),
        break_glass_reason=break_glass_reason,
    )
    method = SUBMIT._replace(role=ADMIN) if break_glass_reason else SUBMIT
    return Unary(method, request, lambda response: Decision(response.review, plan))


def comment(plan: Plan, text: str, first_line: int = 0, last_line: int = 0) -> Unary[Comment]:
    """Say something about lines of the revision in ``plan``, counted from 1; without lines, about all."""
    request = AddCommentRequest(
        plan_uri=plan.plan_uri,
        revision=plan.revision,
        first_line=first_line,
        last_line=last_line,
        text=text,
        request_id=new_id(),
    )
    return Unary(COMMENT, request, lambda response: response.comment)


def resolve_comment(comment: Comment | str) -> Unary[Comment]:
    """What a comment asked for is done."""
    comment_id = comment if isinstance(comment, str) else comment.comment_id
    request = ResolveCommentRequest(comment_id=comment_id, request_id=new_id())
    return Unary(RESOLVE_COMMENT, request, lambda response: response.comment)


def prompts(session_id: str = "", *, cursor: str = "") -> Stream[WatchApprovalsResponse]:
    """The tool call that people are asked about now, in one session or in all, and every change of it.

    Between them come checkpoints. Survives lost connections, like ``events``.
    """
    request = WatchApprovalsRequest(session_id=session_id, cursor=cursor)
    return Stream(PROMPTS, request, lambda response: response, lambda response: response.cursor)


def answer(
    prompt: ApprovalPrompt,
    decision: Answered,
    feedback: str = "",
    *,
    remember: Remember | None = None,
    break_glass_reason: str = "",
) -> Unary[Approval]:
    """Answer the tool call that a prompt shows."""
    request = ResolveApprovalRequest(
        session_id=prompt.session_id,
        call_id=prompt.call_id,
        authority_token=prompt.authority_token,
        decision=number_of(ApprovalDecision, "APPROVAL_DECISION_", decision),
        remember=remember,
        feedback_text=feedback,
        request_id=new_id(),
        break_glass_reason=break_glass_reason,
    )
    method = ANSWER._replace(role=ADMIN) if break_glass_reason else ANSWER
    return Unary(method, request, lambda response: response.approval)


def tool_calls(*states: ApprovalState.ValueType, session_id: str = "") -> Pages[Approval]:
    """Every tool call that waits, or that is in one of the states; oldest first."""
    request = ListApprovalsRequest(states=states, session_id=session_id)
    return Pages(CALLS, request, lambda page: page.approvals, by_page_token(request))


def remembered(session_id: str = "") -> Pages[Remembered]:
    """Every answer that is remembered, or those that reach a session; oldest first."""
    request = ListRememberedRequest(session_id=session_id)
    return Pages(REMEMBERED, request, lambda page: page.remembered, by_page_token(request))


def forget(remembered: Remembered | str) -> Unary[Remembered]:
    """Ask again from now on about what is remembered here."""
    remembered_id = remembered if isinstance(remembered, str) else remembered.remembered_id
    request = ForgetRememberedRequest(remembered_id=remembered_id, request_id=new_id())
    return Unary(FORGET, request, lambda response: response.remembered)


def reset_memory(kind: Reset, session_id: str = "") -> Unary[int]:
    """Forget what is remembered, and take full access back: of a session that restarts, or of everything.

    Gives how many answers were forgotten.
    """
    number = number_of(ResetKind, "RESET_KIND_", kind)
    request = ResetMemoryRequest(kind=number, session_id=session_id, request_id=new_id())
    return Unary(RESET, request, lambda response: response.cleared)


def restore_memory(
    remembered: Iterable[Remembered], *, validate_only: bool = False
) -> Unary[RestoreMemoryResponse]:
    """As an admin: have answers remembered again that ``remembered`` told, of this gate or another.

    At most 100 at once; if one is bad, none is restored. None reaches further than it did. What is left out
    is told with the reason. With ``validate_only``, nothing is written.
    """
    request = RestoreMemoryRequest(
        remembered=remembered,
        validate_only=validate_only,
        request_id="" if validate_only else new_id(),
    )
    return Unary(RESTORE, request, lambda response: response)


def confirm_full_access(session_id: str, confirm: bool) -> Unary[Session]:
    """Say whether a session may have the full access that was asked for."""
    request = ConfirmFullAccessRequest(session_id=session_id, confirm=confirm, request_id=new_id())
    return Unary(CONFIRM, request, lambda response: response.session)


def _itself(response: GetReviewResponse) -> GetReviewResponse:
    return response
