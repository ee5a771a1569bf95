"""A plan, its revisions and its reviews, by the rules of a gate."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Final, Literal, get_args

from plangate.planfile.names import slug
from plangate.testing._fake import content
from plangate.testing._fake.messages import copy_of, moment, new_id, now, word
from plangate.testing._fake.refusals import Refused, invalid
from plangate_proto.agent.v1.plan_resource_pb2 import Build, Plan, PlanProgress, PlanState, RevisionInfo
from plangate_proto.agent.v1.review_resource_pb2 import (
    Comment,
    DecisionSource,
    Review,
    ReviewOptions,
    ReviewOutcome,
    ReviewStatus,
)
from plangate_proto.agent.v1.todo_tools_pb2 import TodoStatus

PREFIX: Final = "plangate://plans/"
MOST_APPROVALS: Final = 100
State = PlanState
REVISABLE: Final = frozenset(State.values()) - {State.PLAN_STATE_COMPLETED, State.PLAN_STATE_WITHDRAWN}
STANDING: Final = frozenset(
    {State.PLAN_STATE_IN_REVIEW, State.PLAN_STATE_APPROVED, State.PLAN_STATE_BUILDING}
)
WITHDRAWABLE: Final = frozenset(
    {
        State.PLAN_STATE_DRAFT,
        State.PLAN_STATE_IN_REVIEW,
        State.PLAN_STATE_CHANGES_REQUESTED,
        State.PLAN_STATE_APPROVED,
        State.PLAN_STATE_REJECTED,
        State.PLAN_STATE_EXPIRED,
    }
)
Part = Literal[
    "name",
    "overview",
    "plan",
    "todos",
    "phases",
    "is_project",
    "is_spec",
    "todo_hints",
    "revision",
    "digest",
]
CONTENT: Final[tuple[Part, ...]] = get_args(Part)
UNFINISHED: Final = frozenset({TodoStatus.TODO_STATUS_PENDING, TodoStatus.TODO_STATUS_IN_PROGRESS})


@dataclass(slots=True)
class Record:
    """A plan and all that belongs to it."""

    plan: Plan
    options: ReviewOptions = field(default_factory=ReviewOptions)
    approved: str = ""
    """The digest that may be built."""
    builds: dict[str, Build] = field(default_factory=dict)
    """Those under way."""
    leases: dict[str, timedelta] = field(default_factory=dict)
    revisions: dict[int, tuple[Plan, RevisionInfo]] = field(default_factory=dict)
    reviews: dict[int, Review] = field(default_factory=dict)
    """By the revision that each is about."""
    comments: list[Comment] = field(default_factory=list)

    @property
    def is_decided(self) -> bool:
        return self.plan.review.status == ReviewStatus.REVIEW_STATUS_DONE

    def shown(self, revision: int = 0) -> Plan:
        """The plan as it is now, with the text of its head or of another revision."""
        plan = copy_of(self.plan)
        if revision and revision != plan.revision:
            older, _ = self.revision(revision)
            for name in CONTENT:
                plan.ClearField(name)
            plan.MergeFrom(older)
            statuses = {todo.id: todo.status for todo in self.plan.todos}
            for todo in (*plan.todos, *(todo for phase in plan.phases for todo in phase.todos)):
                todo.status = statuses.get(todo.id, TodoStatus.TODO_STATUS_UNSPECIFIED)
        plan.progress = self._progress()
        plan.file_name = f"{slug(plan.name)}_{plan.plan_id[-8:]}.plan.md"
        return plan

    def revision(self, number: int) -> tuple[Plan, RevisionInfo]:
        if number not in self.revisions:
            words = f"revision is {number}, which the plan does not have"
            uri = self.plan.plan_uri
            raise Refused("REVISION_NOT_FOUND", words, field="revision", plan_uri=uri, revision=number)
        return self.revisions[number]

    def _progress(self) -> PlanProgress.ValueType:
        if not self.plan.built_by:
            return PlanProgress.PLAN_PROGRESS_PENDING
        if any(todo.status in UNFINISHED for todo in self.plan.todos):
            return PlanProgress.PLAN_PROGRESS_IN_PROGRESS
        return PlanProgress.PLAN_PROGRESS_COMPLETE

    def allow(self, states: Iterable[State.ValueType]) -> None:
        if self.plan.state not in states:
            allowed = sorted(word(State, each).lower() for each in states if each)
            raise wrong_state(self.plan.plan_uri, self.state, allowed)

    @property
    def state(self) -> str:
        return word(State, self.plan.state).lower()

    def set_options(self, given: ReviewOptions) -> None:
        check_options(given)
        self.options = copy_of(given)

    def revise(
        self, author: str, write: Callable[[Plan], None], options: ReviewOptions | None = None
    ) -> bool:
        """A new revision and a review of its own; False if nothing changed that people stand by."""
        self.allow(REVISABLE)
        changed, terms = copy_of(self.plan), self.options if options is None else options
        write(changed)
        check_options(terms)
        digest = content.digest(changed)
        is_same = digest == self.plan.digest and _said(terms) == _said(self.options)
        if is_same and self.plan.state in STANDING:
            return False
        self.options = copy_of(terms)
        if digest == self.approved:
            self.approved = ""  # the old yes is no answer to the new question
        if self.plan.review.status == ReviewStatus.REVIEW_STATUS_REQUESTED:
            self.end_review(ReviewOutcome.REVIEW_OUTCOME_SUPERSEDED)
        self.plan = changed
        self._void_builds()
        self.add_revision(author)
        self.ask()
        return True

    def _void_builds(self) -> None:
        """Nobody may go on with what is about to change."""
        held = {todo_id for build in self.builds.values() for todo_id in build.todo_ids}
        begun = TodoStatus.TODO_STATUS_IN_PROGRESS
        back = [todo.id for todo in self.plan.todos if todo.id in held and todo.status == begun]
        content.move(self.plan, dict.fromkeys(back, TodoStatus.TODO_STATUS_PENDING))
        self.builds.clear()

    def add_revision(self, author: str) -> None:
        """What the plan says now is its head."""
        plan = self.plan
        plan.revision += 1
        plan.digest = content.digest(plan)
        if author not in plan.edited_by:
            plan.edited_by.append(author)
        info = RevisionInfo(revision=plan.revision, digest=plan.digest, author=author, create_time=moment())
        self.revisions[plan.revision] = _content_of(plan), info

    def ask(self) -> None:
        """People are asked about the head."""
        plan = self.plan
        plan.state = State.PLAN_STATE_IN_REVIEW
        review = Review(
            approval_request_id=new_id(),
            plan_uri=plan.plan_uri,
            revision=plan.revision,
            digest=plan.digest,
            status=ReviewStatus.REVIEW_STATUS_REQUESTED,
            required_approvals=max(self.options.required_approvals, 1),
            request_time=moment(),
        )
        if self.options.HasField("expires_after"):
            review.expire_time.FromDatetime(now() + self.options.expires_after.ToTimedelta())
        plan.review.CopyFrom(review)
        self.keep_review()

    def end_review(self, outcome: ReviewOutcome.ValueType, *, by_person: bool = False) -> None:
        review = self.plan.review
        review.status, review.outcome = ReviewStatus.REVIEW_STATUS_DONE, outcome
        if by_person:
            review.source = DecisionSource.DECISION_SOURCE_MANUAL
        review.decide_time.CopyFrom(moment())
        self.keep_review()

    def keep_review(self) -> None:
        """What is known of it later, when there is another one."""
        self.reviews[self.plan.review.revision] = copy_of(self.plan.review)


def wrong_state(plan_uri: str, state: str, allowed: Iterable[str]) -> Refused:
    listed = ", ".join(allowed)
    words = f"the plan is {state}, and this can be done only while it is: {listed}"
    return Refused("WRONG_STATE", words, plan_uri=plan_uri, state=state, allowed=listed)


def _said(terms: ReviewOptions) -> tuple[timedelta | None, int]:
    """The terms, whatever they leave to the default."""
    ends = terms.expires_after.ToTimedelta() if terms.HasField("expires_after") else None
    return ends, max(terms.required_approvals, 1)


def check_options(given: ReviewOptions) -> None:
    """Refuse what no review could keep."""
    if not 0 <= given.required_approvals <= MOST_APPROVALS:
        raise invalid("review.required_approvals", f"is not between 0 and {MOST_APPROVALS}")


def _content_of(plan: Plan) -> Plan:
    kept = copy_of(plan)
    for field_ in Plan.DESCRIPTOR.fields:
        if field_.name not in CONTENT:
            kept.ClearField(field_.name)  # type: ignore[arg-type]
    return kept
