"""The life of plans in memory, by the rules of a gate."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final

from google.protobuf.message import Message

from plangate.testing import _content as content
from plangate.testing._refusals import Refused
from plangate_proto.agent.v1.plan_resource_pb2 import Build, BuildOutcome, Plan, PlanState
from plangate_proto.agent.v1.review_event_pb2 import ReviewEvent, ReviewEventType
from plangate_proto.agent.v1.review_resource_pb2 import DecisionSource, Review, ReviewOutcome, ReviewStatus
from plangate_proto.agent.v1.todo_tools_pb2 import TodoItem, TodoStatus

PREFIX: Final = "plangate://plans/"
AUTHOR: Final = "local-agent"
PERSON: Final = "ada"
"""Who decides, if the test does not say."""

State = PlanState
REVISABLE: Final = frozenset(State.values()) - {State.PLAN_STATE_COMPLETED, State.PLAN_STATE_WITHDRAWN}
STANDING: Final = frozenset(
    {State.PLAN_STATE_IN_REVIEW, State.PLAN_STATE_APPROVED, State.PLAN_STATE_BUILDING}
)
WITHDRAWABLE: Final = frozenset(
    {
        State.PLAN_STATE_IN_REVIEW,
        State.PLAN_STATE_CHANGES_REQUESTED,
        State.PLAN_STATE_APPROVED,
        State.PLAN_STATE_REJECTED,
        State.PLAN_STATE_EXPIRED,
    }
)
ENDED: Final = frozenset(
    {
        State.PLAN_STATE_REJECTED,
        State.PLAN_STATE_EXPIRED,
        State.PLAN_STATE_COMPLETED,
        State.PLAN_STATE_FAILED,
        State.PLAN_STATE_WITHDRAWN,
    }
)
FINISHED: Final = frozenset({TodoStatus.TODO_STATUS_COMPLETED, TodoStatus.TODO_STATUS_CANCELLED})
OUTCOMES: Final = {
    "approve": (
        ReviewOutcome.REVIEW_OUTCOME_APPROVED,
        State.PLAN_STATE_APPROVED,
        ReviewEventType.REVIEW_EVENT_TYPE_PLAN_APPROVED,
    ),
    "rejectAndTellWhatToDoDifferently": (
        ReviewOutcome.REVIEW_OUTCOME_REJECTED,
        State.PLAN_STATE_REJECTED,
        ReviewEventType.REVIEW_EVENT_TYPE_PLAN_REJECTED,
    ),
    "requestChanges": (
        ReviewOutcome.REVIEW_OUTCOME_CHANGES_REQUESTED,
        State.PLAN_STATE_CHANGES_REQUESTED,
        ReviewEventType.REVIEW_EVENT_TYPE_PLAN_MODIFICATION_REQUESTED,
    ),
    "edit": (
        ReviewOutcome.REVIEW_OUTCOME_MODIFIED,
        State.PLAN_STATE_APPROVED,
        ReviewEventType.REVIEW_EVENT_TYPE_PLAN_EDITED,
    ),
}
OTHER_WORDS: Final = {"reject": "rejectAndTellWhatToDoDifferently", "modify": "requestChanges"}


@dataclass(slots=True)
class Record:
    """A plan and all that happened to it."""

    plan: Plan
    approved: str = ""
    """The digest that may be built."""
    builds: dict[str, Build] = field(default_factory=dict)
    """Those under way."""
    revisions: dict[int, Plan] = field(default_factory=dict)
    events: list[ReviewEvent] = field(default_factory=list)

    @property
    def is_decided(self) -> bool:
        return self.plan.review.status == ReviewStatus.REVIEW_STATUS_DONE

    def tell(self, kind: ReviewEventType.ValueType, actor: str, message: str = "") -> None:
        """Append an event, with the plan as it is now."""
        self.plan.update_time.FromDatetime(datetime.now(UTC))
        self.events.append(self.event(kind, actor, message, len(self.events) + 1))

    def event(self, kind: ReviewEventType.ValueType, actor: str, message: str, position: int) -> ReviewEvent:
        """What a stream tells at a position."""
        event = ReviewEvent(
            cursor=str(position),
            type=kind,
            plan_uri=self.plan.plan_uri,
            plan_id=self.plan.plan_id,
            approval_request_id=self.plan.review.approval_request_id,
            session_id=self.plan.session_id,
            revision=self.plan.revision,
            digest=self.plan.digest,
            actor=actor,
            message=message,
            review=self.plan.review,
            plan=self.plan,
        )
        event.event_time.CopyFrom(self.plan.update_time)
        return event

    def revise(self, author: str, write: Callable[[Plan], None]) -> bool:
        """A new revision and a review of its own; False if nothing changed that people stand by."""
        self.allow(REVISABLE)
        changed = copy_of(self.plan)
        write(changed)
        if content.digest(changed) == self.plan.digest and self.plan.state in STANDING:
            return False
        changed.revision += 1
        self.plan = changed
        self.builds.clear()
        for todo in changed.todos:
            if todo.status == TodoStatus.TODO_STATUS_IN_PROGRESS:
                todo.status = TodoStatus.TODO_STATUS_PENDING
        if author not in changed.edited_by:
            changed.edited_by.append(author)
        self.ask()
        return True

    def ask(self) -> None:
        """People are asked about the head revision."""
        plan = self.plan
        plan.digest = content.digest(plan)
        plan.state = State.PLAN_STATE_IN_REVIEW
        review = Review(
            approval_request_id=new_id(),
            plan_uri=plan.plan_uri,
            revision=plan.revision,
            digest=plan.digest,
            status=ReviewStatus.REVIEW_STATUS_REQUESTED,
            required_approvals=1,
        )
        review.request_time.FromDatetime(datetime.now(UTC))
        plan.review.CopyFrom(review)
        self.keep()

    def keep(self) -> None:
        self.revisions[self.plan.revision] = copy_of(self.plan)

    def end_review(self, outcome: ReviewOutcome.ValueType, *, by_person: bool = False) -> None:
        review = self.plan.review
        review.status, review.outcome = ReviewStatus.REVIEW_STATUS_DONE, outcome
        if by_person:
            review.source = DecisionSource.DECISION_SOURCE_MANUAL
        review.decide_time.FromDatetime(datetime.now(UTC))

    def deliver(self) -> None:
        """A stream of the agent carried the decision."""
        if self.is_decided and not self.plan.review.HasField("deliver_time"):
            self.plan.review.deliver_time.FromDatetime(datetime.now(UTC))
            self.tell(ReviewEventType.REVIEW_EVENT_TYPE_DECISION_DELIVERED, AUTHOR)

    def is_over(self, *, follow: bool) -> bool:
        if self.plan.state == State.PLAN_STATE_WITHDRAWN:
            return True
        return self.plan.state in ENDED if follow else self.is_decided

    def allow(self, states: Iterable[State.ValueType]) -> None:
        if self.plan.state not in states:
            words = f"the plan is {word(self.plan.state)}, in which this makes no sense"
            raise Refused("WRONG_STATE", words, plan_uri=self.plan.plan_uri, state=word(self.plan.state))

    def free_todos(self, wanted: Iterable[str]) -> list[str]:
        """The ids to hand over: those asked for, or every unfinished one that nobody holds."""
        held = {todo_id: build for build in self.builds.values() for todo_id in build.todo_ids}
        known = [todo.id for todo in self.plan.todos]
        wanted = list(wanted)
        for place, todo_id in enumerate(wanted):
            if todo_id not in known:
                words = f"todo_ids[{place}] is {todo_id!r}, which the plan does not have"
                raise Refused("TODO_NOT_FOUND", words, field=f"todo_ids[{place}]", todo_id=todo_id)
        asked = wanted or [todo.id for todo in self.plan.todos if todo.status not in FINISHED]
        if known and not asked:
            raise Refused("WRONG_STATE", "every todo is finished", state=word(self.plan.state))
        free = [todo_id for todo_id in asked if todo_id not in held]
        if len(free) < len(asked) and (wanted or not free):
            taken = next(todo_id for todo_id in asked if todo_id in held)
            words = f"todo {taken!r} is held by another build"
            raise Refused("TODO_HELD", words, todo_id=taken, build_id=held[taken].build_id)
        return free

    def check_free(self, todo_ids: Iterable[str], build_id: str, agent_id: str) -> None:
        """Refuse to touch todos that are in another agent's hands."""
        touched = set(todo_ids)
        for build in self.builds.values():
            mine = build.build_id == build_id if build_id else build.agent_id == agent_id
            if (build_id or agent_id) and not mine:
                for todo_id in touched & set(build.todo_ids):
                    words = f"todo {todo_id!r} is held by another build"
                    raise Refused("TODO_HELD", words, todo_id=todo_id, build_id=build.build_id)

    def state_after(self, build: Build, outcome: BuildOutcome.ValueType) -> State.ValueType:
        if self.builds:
            return State.PLAN_STATE_BUILDING
        if outcome == BuildOutcome.BUILD_OUTCOME_FAILED:
            return State.PLAN_STATE_FAILED
        rest = [todo for todo in self.plan.todos if todo.id not in build.todo_ids]
        if all(todo.status in FINISHED for todo in rest):
            return State.PLAN_STATE_COMPLETED
        return State.PLAN_STATE_APPROVED


def ready(todos: Iterable[TodoItem]) -> list[str]:
    """Todos that can begin: pending, with every dependency completed."""
    listed = list(todos)
    done = {todo.id for todo in listed if todo.status == TodoStatus.TODO_STATUS_COMPLETED}
    pending = TodoStatus.TODO_STATUS_PENDING
    return [todo.id for todo in listed if todo.status == pending and done.issuperset(todo.dependencies)]


def word(state: State.ValueType) -> str:
    return State.Name(state).removeprefix("PLAN_STATE_").lower()


def new_id() -> str:
    return uuid.uuid4().hex


def copy_of(plan: Plan) -> Plan:
    copied = Plan()
    copied.CopyFrom(plan)
    return copied


def missing(name: str) -> Refused:
    return Refused("MISSING_FIELD", f"{name} is empty", field=name)


def same(one: Message, other: Message) -> bool:
    return one.SerializeToString(deterministic=True) == other.SerializeToString(deterministic=True)
