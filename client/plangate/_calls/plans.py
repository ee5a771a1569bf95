"""An agent's plans: propose, revise, wait."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import timedelta
from typing import Final

import grpc

from plangate._calls.kinds import Method, Pages, Stream, Unary, Until, by_page_token, new_id
from plangate._calls.words import review_options, todo_items, uri_of
from plangate._digest import digest_of_plan
from plangate._tokens import AGENT
from plangate._values import Decision
from plangate.errors import GateFault
from plangate_proto.agent.v1.create_plan_tool_pb2 import CreatePlanArgs, Phase
from plangate_proto.agent.v1.plan_resource_pb2 import Plan, PlanState, RevisionInfo, TodoHint
from plangate_proto.agent.v1.plan_service_pb2 import (
    AcknowledgeDecisionRequest,
    AcknowledgeDecisionResponse,
    CreatePlanRequest,
    CreatePlanResponse,
    DiffRevisionsRequest,
    DiffRevisionsResponse,
    GetPlanRequest,
    GetPlanResponse,
    ListCommentsRequest,
    ListCommentsResponse,
    ListPlansRequest,
    ListPlansResponse,
    ListRevisionsRequest,
    ListRevisionsResponse,
    RegisterReferenceRequest,
    RegisterReferenceResponse,
    ReviewPlanRequest,
    ReviewPlanResponse,
    UpdatePlanRequest,
    UpdatePlanResponse,
    WithdrawPlanRequest,
    WithdrawPlanResponse,
)
from plangate_proto.agent.v1.review_event_pb2 import ReviewEvent, ReviewEventType
from plangate_proto.agent.v1.review_resource_pb2 import (
    Comment,
    CommentState,
    Review,
    ReviewOutcome,
    ReviewStatus,
)
from plangate_proto.agent.v1.todo_tools_pb2 import TodoItem

SERVICE: Final = "/agent.v1.PlanService/"
CREATE: Final = Method(f"{SERVICE}CreatePlan", AGENT, CreatePlanResponse, by_agent=True)
UPDATE: Final = Method(f"{SERVICE}UpdatePlan", AGENT, UpdatePlanResponse, by_agent=True)
GET: Final = Method(f"{SERVICE}GetPlan", AGENT, GetPlanResponse)
LIST: Final = Method(f"{SERVICE}ListPlans", AGENT, ListPlansResponse)
REVISIONS: Final = Method(f"{SERVICE}ListRevisions", AGENT, ListRevisionsResponse)
DIFF: Final = Method(f"{SERVICE}DiffRevisions", AGENT, DiffRevisionsResponse)
REVIEW: Final = Method(f"{SERVICE}ReviewPlan", AGENT, ReviewPlanResponse, by_agent=True)
ACKNOWLEDGE: Final = Method(
    f"{SERVICE}AcknowledgeDecision", AGENT, AcknowledgeDecisionResponse, by_agent=True
)
COMMENTS: Final = Method(f"{SERVICE}ListComments", AGENT, ListCommentsResponse)
WITHDRAW: Final = Method(f"{SERVICE}WithdrawPlan", AGENT, WithdrawPlanResponse, by_agent=True)
REFERENCE: Final = Method(f"{SERVICE}RegisterReference", AGENT, RegisterReferenceResponse, by_agent=True)


def create_plan(
    plan: str,
    *,
    name: str = "",
    overview: str = "",
    todos: Iterable[str | TodoItem] = (),
    phases: Iterable[Phase] = (),
    is_project: bool = False,
    is_spec: bool = False,
    session_id: str = "",
    agent_id: str = "",
    tool_call_id: str = "",
    multi_plan: bool | None = None,
    todo_hints: Mapping[str, TodoHint] | None = None,
    expires_after: timedelta | None = None,
    required_approvals: int = 0,
    require_reviewer: bool = False,
) -> Unary[Plan]:
    """Propose a plan. Returns at once: people are asked, nothing waits."""
    request = CreatePlanRequest(
        args=_args(plan, name, overview, todos, phases=phases, is_project=is_project),
        tool_call_id=tool_call_id,
        session_id=session_id,
        agent_id=agent_id,
        request_id=new_id(),
        review=review_options(expires_after, required_approvals, require_reviewer),
        multi_plan=multi_plan,
        is_spec=is_spec,
        todo_hints=todo_hints,
    )
    return Unary(CREATE, request, _plan_of)


def update_plan(
    plan: Plan,
    text: str = "",
    *,
    old_str: str = "",
    new_str: str = "",
    name: str = "",
    overview: str = "",
    todos: Iterable[str | TodoItem] = (),
    phases: Iterable[Phase] = (),
    is_project: bool = False,
    is_spec: bool = False,
    whole: bool = False,
    agent_id: str = "",
    todo_hints: Mapping[str, TodoHint] | None = None,
    expires_after: timedelta | None = None,
    required_approvals: int = 0,
    require_reviewer: bool = False,
    request_id: str = "",
) -> Unary[Plan]:
    """Make a new revision of the very plan that was read, and ask people anew; what is empty stays.

    Give the whole text, or the one place to replace and what to put there. With ``whole`` the arguments are
    all that the plan says: what is empty becomes empty. Todos that keep their id keep their status. A client
    with the role "reviewer" edits as that person, and approves nothing. The same ``request_id`` makes the
    same change once, also if another process sends it again.
    """
    request = UpdatePlanRequest(
        plan_uri=plan.plan_uri,
        expected_revision=plan.revision,
        args=_args(text, name, overview, todos, phases=phases, is_project=is_project),
        old_str=old_str,
        new_str=new_str,
        agent_id=agent_id,
        request_id=request_id or new_id(),
        review=review_options(expires_after, required_approvals, require_reviewer),
        todo_hints=todo_hints,
        whole=whole,
        is_spec=is_spec,
    )
    return Unary(UPDATE, request, _plan_of)


def get_plan(plan: Plan | str, *, revision: int | None = None) -> Unary[Plan]:
    """A plan as it is now, or one of its revisions."""
    return Unary(GET, GetPlanRequest(plan_uri=uri_of(plan), revision=revision), _plan_of)


def list_plans(*states: PlanState.ValueType, session_id: str = "", agent_id: str = "") -> Pages[Plan]:
    """Every plan in one of the states, or in any; oldest first."""
    request = ListPlansRequest(states=states, session_id=session_id, agent_id=agent_id)
    return Pages(LIST, request, lambda page: page.plans, by_page_token(request))


def revisions(plan: Plan | str) -> Pages[RevisionInfo]:
    """Every revision of a plan, oldest first: who made it, when, its digest and its review."""
    request = ListRevisionsRequest(plan_uri=uri_of(plan))
    return Pages(REVISIONS, request, lambda page: page.revisions, by_page_token(request))


def diff(plan: Plan | str, older: int = 0, newer: int = 0) -> Unary[DiffRevisionsResponse]:
    """What changed between two revisions; left out, the last change."""
    request = DiffRevisionsRequest(plan_uri=uri_of(plan), from_revision=older, to_revision=newer)
    return Unary(DIFF, request, _itself)


def events(
    plan: Plan | str, *, follow: bool = False, cursor: str = "", agent_id: str = "", any_author: bool = False
) -> Stream[ReviewEvent]:
    """What happens to a plan: a snapshot, then live, until it is decided or, following, has ended.

    An agent is told about its own texts, and last of all that another's took their place. With ``any_author``
    it is told about every text, whoever wrote it; a plan in which it has none is refused without.
    Survives lost connections: it goes on behind the last event that was told. A second snapshot comes only
    if the gate no longer keeps what was missed.
    """
    request = ReviewPlanRequest(
        plan_uri=uri_of(plan), follow=follow, cursor=cursor, agent_id=agent_id, any_author=any_author
    )
    return Stream(
        REVIEW,
        request,
        lambda response: response.event,
        lambda response: response.event.cursor,
        lambda response: not follow and _is_decided(response.event),
    )


def wait(
    plan: Plan | str, *, timeout: float | None = None, agent_id: str = "", any_author: bool = False
) -> Until[ReviewEvent, Decision]:
    """Wait until people have decided, however long that takes, and over restarts of the gate.

    A review that nobody decided in time, a plan that was taken back and one whose text another agent replaced
    are outcomes, too: none is approved. Who waits for a plan that it did not submit says ``any_author``: then
    a yes can be one to anybody's text. With ``timeout``, in seconds, it raises TimedOut; the review goes on.
    """
    stream = events(plan, agent_id=agent_id, any_author=any_author)
    return Until(stream._replace(timeout=timeout), _Waiting(plan))


def acknowledge(decision: Decision, *, agent_id: str = "") -> Unary[Review]:
    """Tell the reviewers that the agent has their decision."""
    request = AcknowledgeDecisionRequest(
        approval_request_id=decision.review.approval_request_id, agent_id=agent_id, request_id=new_id()
    )
    return Unary(ACKNOWLEDGE, request, lambda response: response.review)


def comments(plan: Plan | str, *states: CommentState.ValueType, revision: int = 0) -> Pages[Comment]:
    """Every comment of people on a plan, or those in one of the states, as they stand on its newest text.

    Or as they stand on the text of a ``revision``, without what was said later.
    """
    request = ListCommentsRequest(plan_uri=uri_of(plan), states=states, revision=revision, page_size=1000)
    return Pages(COMMENTS, request, lambda page: page.comments, by_page_token(request))


def withdraw(plan: Plan | str, reason: str = "", *, agent_id: str = "") -> Unary[Plan]:
    """Take a plan back."""
    request = WithdrawPlanRequest(
        plan_uri=uri_of(plan), reason=reason, agent_id=agent_id, request_id=new_id()
    )
    return Unary(WITHDRAW, request, _plan_of)


def reference(plan: Plan | str, *, agent_id: str = "") -> Unary[Plan]:
    """Say that an agent works with a plan: whoever looks at the plan sees that."""
    request = RegisterReferenceRequest(plan_uri=uri_of(plan), agent_id=agent_id, request_id=new_id())
    return Unary(REFERENCE, request, _plan_of)


def _args(
    text: str,
    name: str,
    overview: str,
    todos: Iterable[str | TodoItem],
    *,
    phases: Iterable[Phase],
    is_project: bool,
) -> CreatePlanArgs:
    return CreatePlanArgs(
        plan=text,
        name=name,
        overview=overview,
        todos=todo_items(todos),
        phases=phases,
        is_project=is_project,
    )


class _Waiting:
    """What a stream about one plan has told so far."""

    def __init__(self, plan: Plan | str) -> None:
        self._plan = Plan(plan_uri=plan) if isinstance(plan, str) else plan
        self._last = ReviewEvent()

    def note(self, event: ReviewEvent) -> None:
        if event.type == ReviewEventType.REVIEW_EVENT_TYPE_CHECKPOINT:
            return
        self._last = event
        if event.HasField("plan"):
            self._plan = event.plan

    def result(self) -> Decision:
        review = Review()
        review.CopyFrom(self._last.review)
        if _is_withdrawn(self._last):
            # Its last review may say that it was approved; there is nothing left to build.
            review.outcome = ReviewOutcome.REVIEW_OUTCOME_WITHDRAWN
        return _verified(Decision(review, self._plan))


def _verified(decision: Decision) -> Decision:
    """A yes only with the very text that it was said to: its digest is made again here."""
    plan, review = decision.plan, decision.review
    if decision.edited:
        covered = plan.digest if plan.revision == review.revision + 1 else ""
    else:
        covered = review.digest
    if decision.approved and digest_of_plan(plan) != covered:
        raise GateFault(
            f"the text of {plan.plan_uri} is not the one that was approved: build nothing of it",
            code=grpc.StatusCode.DATA_LOSS,
        )
    return decision


def _is_decided(event: ReviewEvent) -> bool:
    return event.review.status == ReviewStatus.REVIEW_STATUS_DONE or _is_withdrawn(event)


def _is_withdrawn(event: ReviewEvent) -> bool:
    return (
        event.type == ReviewEventType.REVIEW_EVENT_TYPE_PLAN_WITHDRAWN
        or event.plan.state == PlanState.PLAN_STATE_WITHDRAWN
    )


def _plan_of(
    response: CreatePlanResponse
    | UpdatePlanResponse
    | GetPlanResponse
    | WithdrawPlanResponse
    | RegisterReferenceResponse,
) -> Plan:
    return response.plan


def _itself(response: DiffRevisionsResponse) -> DiffRevisionsResponse:
    return response
