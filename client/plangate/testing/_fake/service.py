"""Which function answers which method, and what holds for all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final, NamedTuple

from google.protobuf.message import Message

from plangate.testing._fake import (
    approval_calls,
    build_calls,
    comment_calls,
    memory_calls,
    plan_calls,
    plan_streams,
    review_calls,
    revision_calls,
    session_calls,
    session_streams,
    todo_calls,
)
from plangate.testing._fake.draft_calls import Drafting
from plangate.testing._fake.messages import copy_of, same
from plangate.testing._fake.refusals import Refused, not_done
from plangate.testing._fake.state import State
from plangate_proto.agent.v1.plan_resource_pb2 import Plan
from plangate_proto.agent.v1.plan_service_pb2 import DraftPlanRequest, DraftPlanResponse
from plangate_proto.agent.v1.tool_approval_service_pb2 import Approval

AGENTS: Final[Mapping[str, Callable[[State, Any], Message]]] = {
    "/agent.v1.PlanService/CreatePlan": plan_calls.create_plan,
    "/agent.v1.PlanService/UpdatePlan": plan_calls.update_plan,
    "/agent.v1.PlanService/GetPlan": plan_calls.get_plan,
    "/agent.v1.PlanService/ListPlans": plan_calls.list_plans,
    "/agent.v1.PlanService/ListRevisions": revision_calls.list_revisions,
    "/agent.v1.PlanService/DiffRevisions": revision_calls.diff_revisions,
    "/agent.v1.PlanService/AcknowledgeDecision": plan_calls.acknowledge,
    "/agent.v1.PlanService/WithdrawPlan": plan_calls.withdraw,
    "/agent.v1.PlanService/BuildTodos": build_calls.build_todos,
    "/agent.v1.PlanService/FinishBuild": build_calls.finish_build,
    "/agent.v1.PlanService/ReadTodos": todo_calls.read_todos,
    "/agent.v1.PlanService/UpdateTodos": todo_calls.update_todos,
    "/agent.v1.SessionService/GetSession": session_calls.get_session,
    "/agent.v1.SessionService/ListSessions": session_calls.list_sessions,
    "/agent.v1.SessionService/SetMode": session_calls.set_mode,
    "/agent.v1.SessionService/ReportEvent": session_calls.report_event,
    "/agent.v1.SessionService/AuthorizeTool": session_calls.authorize_tool,
    "/agent.v1.ApprovalService/CancelApproval": approval_calls.cancel_approval,
    "/agent.v1.ApprovalService/ListApprovals": approval_calls.list_approvals,
    "/agent.v1.ApprovalService/ListRemembered": memory_calls.list_remembered,
    "/aiserver.v1.PlanReviewService/ListReviews": review_calls.list_reviews,
    "/aiserver.v1.PlanReviewService/GetReview": review_calls.get_review,
}
PERSONS: Final[Mapping[str, Callable[[State, Any, str], Message]]] = {
    "/agent.v1.SessionService/ConfirmFullAccess": session_calls.confirm_full_access,
    "/agent.v1.ApprovalService/ResolveApproval": approval_calls.resolve_approval,
    "/agent.v1.ApprovalService/ForgetRemembered": memory_calls.forget_remembered,
    "/agent.v1.ApprovalService/ResetMemory": memory_calls.reset_memory,
    "/aiserver.v1.PlanReviewService/SubmitReview": review_calls.submit_review,
    "/aiserver.v1.PlanReviewService/AddComment": comment_calls.add_comment,
    "/aiserver.v1.PlanReviewService/ResolveComment": comment_calls.resolve_comment,
}
"""Those that need to know who calls."""
STREAMS: Final[Mapping[str, Callable[[State, Any], Iterator[Any]]]] = {
    "/agent.v1.PlanService/ReviewPlan": plan_streams.review_plan,
    "/agent.v1.SessionService/WatchSession": session_streams.watch_session,
    "/agent.v1.ApprovalService/RequestApproval": approval_calls.request_approval,
    "/agent.v1.ApprovalService/WatchApprovals": session_streams.watch_approvals,
    "/aiserver.v1.PlanReviewService/WatchReviews": plan_streams.watch_reviews,
}
DRAFT: Final = "/agent.v1.PlanService/DraftPlan"
OVER: Final = object()
"""What a stream gives that has ended."""


class Telling(NamedTuple):
    """A stream under way."""

    path: str
    stream: Iterator[Any]


class Service:
    """One call after the other. Scripts are asked before the call returns that made a question."""

    def __init__(self, on_plan: Callable[[Plan], None], on_call: Callable[[Approval], None]) -> None:
        self.state = State()
        self._on_plan = on_plan
        self._on_call = on_call
        self._answers: dict[tuple[str, str, str], tuple[Message, Message]] = {}

    def call(self, path: str, request: Any, person: str) -> Message:
        def answer() -> Message:
            if path in PERSONS:
                return PERSONS[path](self.state, request, person)
            return AGENTS[path](self.state, request)

        if path not in PERSONS and path not in AGENTS:
            not_done(path.rpartition("/")[2])
        with self._answering(path):
            return self._once(path, request, person, answer)

    def draft(self, drafting: Drafting, part: DraftPlanRequest, person: str) -> DraftPlanResponse:
        """Take a part of a draft; a submission that is repeated is the same one."""
        with self._answering(DRAFT):
            answer = self._once(DRAFT, part, person, lambda: drafting.take(part))
            assert isinstance(answer, DraftPlanResponse)
            return answer

    def open(self, path: str, request: Any) -> Telling:
        """A stream, which is read with ``step``."""
        if path not in STREAMS:
            not_done(path.rpartition("/")[2])
        return Telling(path, STREAMS[path](self.state, request))

    def step(self, telling: Telling) -> Any:
        """The next response, None if there is none yet, or OVER."""
        with self._answering(telling.path):
            told = next(telling.stream, OVER)
            self._ask_scripts()
            return told

    @contextmanager
    def _answering(self, path: str) -> Iterator[None]:
        """One call at a time; a refusal says which it answers."""
        with self.state.lock:
            try:
                yield
            except Refused as refused:
                refused.answer_to(path)
                raise

    def _once(self, path: str, request: Any, person: str, answer: Callable[[], Message]) -> Message:
        """The same request_id gets the same answer."""
        key = (path, getattr(request, "request_id", ""), person)
        if key[1] and key in self._answers:
            before, answered = self._answers[key]
            if not same(before, request):
                words = f"request_id {key[1]!r} was used for another request"
                raise Refused("REQUEST_ID_REUSED", words, request_id=key[1])
            return answered
        with self.state.log.caused_by(key[1]):
            answered = copy_of(answer())
        if key[1]:
            self._answers[key] = copy_of(request), answered
        self._ask_scripts()
        return answered

    def _ask_scripts(self) -> None:
        """What was answered meanwhile is no question any more."""
        questions = self.state.questions
        while questions:
            asked = questions.popleft()
            if isinstance(asked, Plan):
                review = self.state.record(asked.plan_uri).plan.review
                if review == asked.review:
                    self._on_plan(asked)
            elif self.state.session(asked.session_id).queue[:1] == [asked.call_id]:
                self._on_call(asked)
