"""When a text of a plan was last approved, and which: a matter of its reviews, not of its state."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from plangate._client import Client
from plangate_proto.agent.v1.plan_resource_pb2 import Plan
from plangate_proto.agent.v1.review_resource_pb2 import Review, ReviewOutcome

EDITED: Final = ReviewOutcome.REVIEW_OUTCOME_MODIFIED
YES: Final = frozenset({ReviewOutcome.REVIEW_OUTCOME_APPROVED, EDITED})


@dataclass(frozen=True, slots=True, order=True)
class Approval:
    """Of a revision. Later ones come after earlier ones."""

    time: int
    """In nanoseconds."""
    plan_uri: str
    revision: int


NEVER: Final = Approval(0, "", 0)


def last_approval(gate: Client, plan: Plan, since: int) -> Approval | None:
    """Whatever became of the plan since; None if there was none, or none since that time."""
    if plan.review.outcome in YES:
        return _approval(plan, plan.review)
    if plan.revision <= 1 or plan.update_time.ToNanoseconds() < since:
        return None
    before = [each.review for each in gate.revisions(plan) if each.review.outcome in YES]
    return _approval(plan, before[-1]) if before else None


def _approval(plan: Plan, review: Review) -> Approval:
    """What a person edited and approved is the revision after the one that was asked about."""
    revision = review.revision + (review.outcome == EDITED)
    return Approval(review.decide_time.ToNanoseconds(), plan.plan_uri, revision)
