"""What somebody who writes down every change of one plan knows, and what they would never accept."""

from dataclasses import dataclass, field

from plangate_server.domain.builds import Build, BuildStatus
from plangate_server.domain.digest import digest
from plangate_server.domain.events import Change, EventType
from plangate_server.domain.plan import Approved, Plan, PlanState
from plangate_server.domain.review import ReviewOutcome
from plangate_server.domain.sessions import STATE_WITH, FsmState

AT_WORK = {FsmState.PLAN_EXECUTION}
SESSION_AFTER = {
    EventType.DRAFT_UPDATED: {FsmState.ARCHITECT_PLANNING},
    EventType.PLAN_CREATED: {FsmState.PLAN_REVIEW},
    EventType.PLAN_UPDATED: {FsmState.PLAN_REVIEW},
    EventType.PLAN_APPROVAL_REQUIRED: {FsmState.PLAN_REVIEW},
    EventType.APPROVAL_RECORDED: {FsmState.PLAN_REVIEW},
    EventType.PLAN_APPROVED: AT_WORK,
    EventType.PLAN_EDITED: AT_WORK,
    EventType.PLAN_REJECTED: {FsmState.IDLE},
    EventType.PLAN_MODIFICATION_REQUESTED: {FsmState.ARCHITECT_PLANNING},
    EventType.REVIEW_EXPIRED: {FsmState.IDLE},
    EventType.PLAN_WITHDRAWN: {FsmState.IDLE},
    EventType.DECISION_DELIVERED: set(FsmState) - {FsmState.PLAN_REVIEW},
    EventType.DECISION_ACKNOWLEDGED: set(FsmState) - {FsmState.PLAN_REVIEW},
    EventType.BUILD_STARTED: AT_WORK,
    EventType.TODOS_CHANGED: set(FsmState),
    EventType.EXECUTION_COMPLETED: AT_WORK | {FsmState.COMPLETED},
    EventType.EXECUTION_FAILED: AT_WORK | {FsmState.ERROR_HANDLING},
}
"""Where the agent's session may stand when each event is told."""


@dataclass
class Ledger:
    plan: Plan | None = None
    outcomes: dict[str, ReviewOutcome] = field(default_factory=dict)
    """How each review that is over ended."""
    live: dict[str, Build] = field(default_factory=dict)
    """Builds that began and were not told to have ended."""
    approved: Approved | None = None
    """What people or rules approved last, until the content changed or the plan was taken back."""

    def record(self, change: Change) -> None:
        self._check_revision(change)
        self._check_events(change)
        self._record_approval(change)
        self._record_reviews(change)
        self._record_builds(change)
        self.plan = change.plan

    def _check_revision(self, change: Change) -> None:
        """Numbers grow one by one, and the content of a number never changes once it was submitted."""
        head = change.plan.revision
        assert head.digest == digest(head.content)
        if self.plan is None or change.plan.state is PlanState.DRAFT:
            return
        before = self.plan.revision
        assert head == before or head.number == before.number + 1

    def _check_events(self, change: Change) -> None:
        """Each event tells of the plan as it then was; where nothing is told nothing has happened."""
        for event in change.events:
            assert STATE_WITH[event.plan.state] in SESSION_AFTER[event.type]
            assert (event.plan.plan_id, event.plan.revision) == (change.plan.plan_id, change.plan.revision)
        if change.events:
            assert change.events[-1].plan == change.plan
            return
        assert self.plan is not None
        assert not change.reviews
        before, after = (
            (plan.state, plan.revision, plan.review, plan.progress, plan.approved)
            for plan in (self.plan, change.plan)
        )
        assert before == after

    def _record_approval(self, change: Change) -> None:
        head = change.plan.revision
        told = {event.type for event in change.events}
        if self.plan is not None and head.number != self.plan.revision.number:
            self.approved = None
        if told & {EventType.PLAN_APPROVED, EventType.PLAN_EDITED}:
            self.approved = Approved(head.number, head.digest)
        if EventType.PLAN_WITHDRAWN in told:
            self.approved = None

    def _record_reviews(self, change: Change) -> None:
        """A review ends at most once, and stays as it ended."""
        for review in (*change.reviews, change.plan.review):
            if review.outcome is None:
                assert review.approval_request_id not in self.outcomes
            else:
                first = self.outcomes.setdefault(review.approval_request_id, review.outcome)
                assert review.outcome is first

    def _record_builds(self, change: Change) -> None:
        for build in change.builds:
            self.live[build.build_id] = build
            if build.status is not BuildStatus.ACTIVE:
                del self.live[build.build_id]
