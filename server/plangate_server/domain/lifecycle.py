"""The life of a plan.

Every verb takes what is and what is to happen, and gives the plan afterwards with the events that tell of
it; or it refuses, and nothing has happened. No verb knows a clock, a database or a wire.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from plangate_server.domain.content import Draft, compose
from plangate_server.domain.digest import digest
from plangate_server.domain.errors import StaleRevision
from plangate_server.domain.events import Event, EventType
from plangate_server.domain.plan import Plan, PlanState, Revision
from plangate_server.domain.review import Decision, Review, ReviewOutcome, ReviewStatus, decide
from plangate_server.domain.todos import started

AFTER_REVIEW = {
    ReviewOutcome.APPROVED: (PlanState.APPROVED, EventType.PLAN_APPROVED),
    ReviewOutcome.REJECTED: (PlanState.REJECTED, EventType.PLAN_REJECTED),
    ReviewOutcome.CHANGES_REQUESTED: (
        PlanState.CHANGES_REQUESTED,
        EventType.PLAN_MODIFICATION_REQUESTED,
    ),
}


@dataclass(frozen=True, slots=True)
class Change:
    """A plan after a verb, and what there is to tell of it."""

    plan: Plan
    events: tuple[Event, ...]


def propose(
    draft: Draft,
    *,
    plan_id: str,
    approval_request_id: str,
    workspace: str,
    author: str,
    now: datetime,
    session_id: str = "",
    tool_call_id: str = "",
) -> Change:
    """A new plan, and people are asked about it at once."""
    content = compose(draft)
    revision = Revision(1, content, digest(content), author, now, dict(draft.hints))
    plan = Plan(
        plan_id=plan_id,
        workspace=workspace,
        state=PlanState.IN_REVIEW,
        revision=revision,
        review=Review(approval_request_id, 1, revision.digest, ReviewStatus.REQUESTED, now),
        progress=started(content.todos, now),
        created_by=author,
        create_time=now,
        update_time=now,
        session_id=session_id,
        tool_call_id=tool_call_id,
        edited_by=(author,),
        referenced_by=(author,),
    )
    told = (EventType.PLAN_CREATED, EventType.PLAN_APPROVAL_REQUIRED)
    return Change(plan, tuple(Event(type, now, author, plan) for type in told))


def submit_decision(plan: Plan, decision: Decision, *, revision: int, seen_digest: str) -> Change:
    """A person has decided about the revision and digest they saw."""
    head = plan.revision
    if (revision, seen_digest) != (head.number, head.digest):
        raise StaleRevision(plan.uri, revision, head.number, head.digest)
    review = decide(plan.review, decision)
    assert review.outcome
    state, told = AFTER_REVIEW[review.outcome]
    decided = replace(plan, review=review, state=state, update_time=decision.time)
    event = Event(told, decision.time, decision.reviewer, decided, decision.feedback_text)
    return Change(decided, (event,))
