"""A person's side of plans: what waits, and what is decided."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC
from typing import Final

from google.protobuf.timestamp_pb2 import Timestamp

from plangate.testing._fake import content
from plangate.testing._fake.comment_calls import comments_on
from plangate.testing._fake.messages import copy_of, moment, word
from plangate.testing._fake.plan_calls import stale
from plangate.testing._fake.records import Record
from plangate.testing._fake.refusals import Refused, invalid, missing, not_done
from plangate.testing._fake.revision_calls import revisions_of
from plangate.testing._fake.state import SERVICE, State, Type
from plangate.testing._fake.summaries import CHOICES, summary_of
from plangate_proto.agent.v1.create_plan_tool_pb2 import CreatePlanArgs, Phase
from plangate_proto.agent.v1.plan_resource_pb2 import Plan, PlanState
from plangate_proto.agent.v1.review_resource_pb2 import DecisionSource, Review, ReviewOutcome, ReviewStatus
from plangate_proto.agent.v1.todo_tools_pb2 import TodoItem, TodoStatus
from plangate_proto.aiserver.v1 import plan_review_service_pb2 as pb
from plangate_proto.aiserver.v1.create_plan_tool_pb2 import CreatePlanParams
from plangate_proto.aiserver.v1.todo_read_write_tools_pb2 import TodoItem as EditedTodo

OUTCOMES: Final = {
    "approve": (
        ReviewOutcome.REVIEW_OUTCOME_APPROVED,
        PlanState.PLAN_STATE_APPROVED,
        Type.REVIEW_EVENT_TYPE_PLAN_APPROVED,
    ),
    "rejectAndTellWhatToDoDifferently": (
        ReviewOutcome.REVIEW_OUTCOME_REJECTED,
        PlanState.PLAN_STATE_REJECTED,
        Type.REVIEW_EVENT_TYPE_PLAN_REJECTED,
    ),
    "requestChanges": (
        ReviewOutcome.REVIEW_OUTCOME_CHANGES_REQUESTED,
        PlanState.PLAN_STATE_CHANGES_REQUESTED,
        Type.REVIEW_EVENT_TYPE_PLAN_MODIFICATION_REQUESTED,
    ),
    "edit": (
        ReviewOutcome.REVIEW_OUTCOME_MODIFIED,
        PlanState.PLAN_STATE_APPROVED,
        Type.REVIEW_EVENT_TYPE_PLAN_EDITED,
    ),
}
STATUSES: Final = {
    "pending": TodoStatus.TODO_STATUS_PENDING,
    "in_progress": TodoStatus.TODO_STATUS_IN_PROGRESS,
    "completed": TodoStatus.TODO_STATUS_COMPLETED,
    "cancelled": TodoStatus.TODO_STATUS_CANCELLED,
}
SAME: Final = (
    ("title", "name"),
    ("summary", "overview"),
    ("steps", "todos"),
    ("old_str", "plan"),
    ("new_str", "plan"),
)
"""Fields of which an edit has one at most."""
OTHER_WORDS: Final = {"reject": "rejectAndTellWhatToDoDifferently", "modify": "requestChanges"}


def submit_review(state: State, request: pb.SubmitReviewRequest, person: str) -> pb.SubmitReviewResponse:
    _check_edited(request)
    _check_request(request)
    said = request.human_review
    option = OTHER_WORDS.get(said.selected_option, said.selected_option)
    if option not in OUTCOMES:
        raise _unknown(option)
    if option == "edit" and not request.HasField("edited"):
        raise missing("edited")
    if option != "edit" and request.HasField("edited"):
        raise invalid("edited", f"goes with edit, not with {option}: choose edit, or leave it out")
    record = state.record_under_review(request.approval_request_id)
    _check_seen(record, request)
    _check_open(record, option, person)
    if option == "requestChanges" and not said.feedback_text.strip():
        raise missing("human_review.feedback_text")
    if option == "edit" and record.plan.review.required_approvals > 1:
        problem = "is edit, which one person cannot do while several must agree: request changes instead"
        raise invalid("human_review.selected_option", problem)
    _decide(state, record, request, option, person)
    return pb.SubmitReviewResponse(review=record.plan.review)


def _unknown(option: str) -> Refused:
    field, listed = "human_review.selected_option", ", ".join([*OUTCOMES, *OTHER_WORDS])
    words = f"{field} is {option!r}, which is none of: {listed}"
    return Refused("UNKNOWN_OPTION", words, field=field, selected_option=option, allowed=listed)


def _check_request(request: pb.SubmitReviewRequest) -> None:
    if request.break_glass_reason:
        not_done("break_glass_reason")
    required = {
        "approval_request_id": request.approval_request_id,
        "human_review.selected_option": request.human_review.selected_option,
        "revision": request.revision,
        "digest": request.digest,
    }
    for name, value in required.items():
        if not value:
            raise missing(name)


def _check_edited(request: pb.SubmitReviewRequest) -> None:
    """Refuse an edit of which a part would be left aside."""
    edited = request.edited
    if request.edited_whole and not request.HasField("edited"):
        raise invalid("edited_whole", "says what edited is, and there is none: leave it out")
    for older, newer in SAME:
        if getattr(edited, older) and getattr(edited, newer):
            raise invalid(f"edited.{older}", f"comes with edited.{newer}: leave one of them out")
    for field, todo in _statuses_in(edited):
        if todo.status not in STATUSES:
            raise invalid(field, f"is none of: {', '.join(STATUSES)}")


def _statuses_in(edited: CreatePlanParams) -> Iterator[tuple[str, EditedTodo]]:
    """The todos that say how far they are, each with the field that says it."""
    groups = {"todos": edited.todos}
    groups |= {f"phases[{number}].todos": phase.todos for number, phase in enumerate(edited.phases)}
    for path, todos in groups.items():
        for place, todo in enumerate(todos):
            if todo.status:
                yield f"edited.{path}[{place}].status", todo


def _check_progress(plan: Plan, edited: CreatePlanParams) -> None:
    """Refuse an edit that would move a todo on."""
    known = {todo.id: todo.status for todo in plan.todos}
    for field, todo in _statuses_in(edited):
        if STATUSES[todo.status] != known.get(todo.id, TodoStatus.TODO_STATUS_PENDING):
            raise invalid(field, "is progress, which no edit changes: leave it out")


def _check_seen(record: Record, request: pb.SubmitReviewRequest) -> None:
    """Refuse a decision about another text than the one that people are asked about."""
    plan, review = record.plan, record.plan.review
    if review.approval_request_id != request.approval_request_id:
        raise stale(plan, request.revision)
    seen = (request.revision, request.digest)
    is_late = record.is_decided and seen == (review.revision, review.digest)
    if not is_late and seen != (plan.revision, plan.digest):
        raise stale(plan, request.revision)


def _check_open(record: Record, option: str, person: str) -> None:
    review = record.plan.review
    if record.is_decided:
        is_manual = review.source == DecisionSource.DECISION_SOURCE_MANUAL
        by = review.decisions[-1].reviewer if is_manual else SERVICE
        raise _over(review, word(ReviewOutcome, review.outcome), by, review.decide_time)
    for said in review.decisions:
        if (said.person, said.selected_option) == (person, option):
            raise _over(review, "one of the approvals", person, said.time)


def _over(review: Review, outcome: str, by: str, time: Timestamp) -> Refused:
    when = time.ToDatetime(tzinfo=UTC).isoformat()
    return Refused(
        "ALREADY_DECIDED",
        f"the review is over: {outcome} by {by} at {when}",
        approval_request_id=review.approval_request_id,
        outcome=outcome,
        decided_by=by,
        decide_time=when,
    )


def _decide(state: State, record: Record, request: pb.SubmitReviewRequest, option: str, person: str) -> None:
    outcome, after, kind = OUTCOMES[option]
    said, plan = request.human_review, record.plan
    if option == "edit":
        _check_progress(plan, request.edited)
        whole = request.edited_whole
        is_spec = request.edited.is_spec or (plan.is_spec and not whole)
        args = content.amended(plan, _args_of(request.edited), whole=whole)
        edited = Plan()
        edited.CopyFrom(plan)
        content.write(edited, args, is_spec=is_spec, where="edited")
        if content.digest(edited) == plan.digest:
            raise invalid("edited", "changes nothing of what was shown: use approve")
        plan.CopyFrom(edited)
        record.add_revision(person)
    plan.review.decisions.add(
        reviewer=person,
        person=person,
        selected_option=option,
        feedback_text=said.feedback_text,
        time=moment(),
        submit_feedback_as_new_message=said.submit_feedback_as_new_message,
        bubble_id=said.bubble_id,
    )
    if option == "approve" and len(plan.review.decisions) < plan.review.required_approvals:
        record.keep_review()
        state.tell(record, Type.REVIEW_EVENT_TYPE_APPROVAL_RECORDED, person)
        return
    record.end_review(outcome, by_person=True)
    plan.state = after
    if after == PlanState.PLAN_STATE_APPROVED:
        record.approved = plan.digest
    state.tell(record, kind, person, said.feedback_text)


def _args_of(edited: CreatePlanParams) -> CreatePlanArgs:
    """What a person changed; what is left empty stays."""
    if edited.steps or edited.old_str or edited.new_str:
        not_done("edits by steps, old_str or new_str")
    return CreatePlanArgs(
        plan=edited.plan,
        name=edited.name or edited.title,
        overview=edited.overview or edited.summary,
        todos=_todos_of(edited.todos),
        phases=[Phase(name=phase.name, todos=_todos_of(phase.todos)) for phase in edited.phases],
        is_project=edited.is_project,
    )


def _todos_of(todos: Iterable[EditedTodo]) -> list[TodoItem]:
    return [TodoItem(id=each.id, content=each.content, dependencies=each.dependencies) for each in todos]


def expire_review(state: State, plan: Plan) -> None:
    """Nobody decided in time."""
    record = state.record(plan.plan_uri)
    record.end_review(ReviewOutcome.REVIEW_OUTCOME_EXPIRED)
    record.plan.state = PlanState.PLAN_STATE_EXPIRED
    state.tell(record, Type.REVIEW_EVENT_TYPE_REVIEW_EXPIRED, SERVICE)


def list_reviews(state: State, request: pb.ListReviewsRequest) -> pb.ListReviewsResponse:
    wanted = request.statuses or [ReviewStatus.REVIEW_STATUS_REQUESTED]
    found = [
        (review, each)
        for each in state.records.values()
        if not request.session_id or each.plan.session_id == request.session_id
        for review in each.reviews.values()
        if review.status in wanted
    ]
    found.sort(key=lambda pair: pair[0].request_time.ToNanoseconds())
    return pb.ListReviewsResponse(reviews=[_item(record, review) for review, record in found])


def get_review(state: State, request: pb.GetReviewRequest) -> pb.GetReviewResponse:
    if bool(request.approval_request_id) == bool(request.plan_uri):
        raise missing("approval_request_id")
    if request.plan_uri:
        record = state.record(request.plan_uri)
        item = _item(record, record.plan.review, record.plan.revision)
    else:
        record = state.record_under_review(request.approval_request_id)
        reviews = {review.approval_request_id: review for review in record.reviews.values()}
        item = _item(record, reviews[request.approval_request_id])
    comments = comments_on(record, item.plan)
    return pb.GetReviewResponse(item=item, comments=comments, revisions=revisions_of(record))


def _item(record: Record, review: Review, revision: int = 0) -> pb.ReviewItem:
    """A review, with the plan at the revision that it is about, or another."""
    plan = record.shown(revision or review.revision)
    plan.review.CopyFrom(review)
    is_open = review.status == ReviewStatus.REVIEW_STATUS_REQUESTED
    return pb.ReviewItem(
        review=copy_of(review), plan=plan, summary=summary_of(plan), choices=CHOICES if is_open else ()
    )
