"""Where a plan stands: how long it has waited and for what, or what became of the decision."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from google.protobuf.timestamp_pb2 import Timestamp

from plangate._common.text_safety import visible
from plangate.cli._decisions import comment_lines, decided, sent
from plangate.cli._looking import Seen
from plangate.cli._text import quoted
from plangate.cli._todo_states import in_order, progress_line
from plangate.cli._words import age, clock, counted, time_left
from plangate_proto.agent.v1.plan_resource_pb2 import RevisionInfo
from plangate_proto.agent.v1.review_resource_pb2 import Review, ReviewOutcome, ReviewStatus

ENDS: Final[Mapping[ReviewOutcome.ValueType, str]] = {
    ReviewOutcome.REVIEW_OUTCOME_EXPIRED: "expired: nobody decided in time",
    ReviewOutcome.REVIEW_OUTCOME_WITHDRAWN: "withdrawn: the agent took it back",
    ReviewOutcome.REVIEW_OUTCOME_SUPERSEDED: "superseded: a newer text of the plan took its place",
}
"""Of reviews that end without anybody's decision."""
TO_BE_BUILT: Final = frozenset({ReviewOutcome.REVIEW_OUTCOME_APPROVED, ReviewOutcome.REVIEW_OUTCOME_MODIFIED})


def is_waiting(review: Review) -> bool:
    return review.status == ReviewStatus.REVIEW_STATUS_REQUESTED


def approvals_of(review: Review) -> str:
    """How many of the approvals that it takes are there."""
    return f"{len(review.decisions)}/{review.required_approvals}"


def whose(revision: RevisionInfo) -> str:
    """Which text it is, and who wrote it."""
    return f"revision {revision.revision} by {visible(revision.author)}"


def standing_lines(seen: Seen) -> Iterator[str]:
    review = seen.plan.review
    if is_waiting(review):
        yield from _waiting(review)
    elif review.status == ReviewStatus.REVIEW_STATUS_DONE:
        yield from _after(seen)


def _waiting(review: Review) -> Iterator[str]:
    ends = "until somebody decides"
    if review.HasField("expire_time"):
        ends = f"and expires in {time_left(review.expire_time)}, at {clock(review.expire_time)}"
    yield f"waits   {age(review.request_time)}, {ends}"
    if review.required_approvals > 1:
        missing = review.required_approvals - len(review.decisions)
        yield f"needs   {counted(missing, 'more approval')}, of {review.required_approvals}"
    yield from _said(review)


def _after(seen: Seen) -> Iterator[str]:
    """Decided, delivered, acknowledged, being built: when each was, as far as it came."""
    plan, review = seen.plan, seen.plan.review
    yield from _said(review)
    if review.rule:
        yield _step("decided", review.decide_time, f"by the rule {visible(review.rule)}")
    if review.outcome in ENDS:
        by = f", {whose(seen.replaced_by)}" if seen.replaced_by else ""
        yield _step("ended", review.decide_time, f"{ENDS[review.outcome]}{by}")
        return
    yield _receipt("delivered", review, "deliver_time")
    yield _receipt("acknowledged", review, "acknowledge_time")
    if review.outcome in TO_BE_BUILT:
        yield _receipt("being built", review, "consume_time")
        if review.HasField("consume_time"):
            yield f"progress      {progress_line(in_order(plan.todos))}"


def _said(review: Review) -> Iterator[str]:
    for decision in review.decisions:
        yield _step("decided", decision.time, decided(decision))
        yield from quoted(decision.feedback_text) if decision.feedback_text else ()
    if went_along := sent(review):
        yield f"{'with it':<12}  {went_along}"
        yield from (f"  {line}" for comment in review.comments for line in comment_lines(comment))
        if review.comments and review.comments_left_out:
            yield f"  and {counted(review.comments_left_out, 'comment')} more"


def _receipt(name: str, review: Review, field: str) -> str:
    if not review.HasField(field):  # type: ignore[arg-type]
        return f"{name:<12}  not yet"
    return _step(name, getattr(review, field))


def _step(name: str, time: Timestamp, words: str = "") -> str:
    return f"{name:<12}  {clock(time)}  {words}".rstrip()
