"""Reviews: one question to people about one revision of one plan."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from plangate_server.domain import limits
from plangate_server.domain.errors import AlreadyDecided, MissingField, NotBuiltYet, UnknownOption


class ReviewStatus(StrEnum):
    NONE = "none"
    REQUESTED = "requested"
    DONE = "done"


class ReviewOutcome(StrEnum):
    APPROVED = "approved"
    REJECTED = "rejected"
    CHANGES_REQUESTED = "changes_requested"
    MODIFIED = "modified"
    EXPIRED = "expired"
    WITHDRAWN = "withdrawn"
    SUPERSEDED = "superseded"


class DecisionSource(StrEnum):
    MANUAL = "manual"
    AUTO = "auto"


class Option(StrEnum):
    """What a person can choose. The values are the words on the wire."""

    APPROVE = "approve"
    REJECT = "rejectAndTellWhatToDoDifferently"
    REQUEST_CHANGES = "requestChanges"
    EDIT = "edit"


OTHER_WORDS = {"reject": Option.REJECT, "modify": Option.REQUEST_CHANGES}

OUTCOMES = {
    Option.APPROVE: ReviewOutcome.APPROVED,
    Option.REJECT: ReviewOutcome.REJECTED,
    Option.REQUEST_CHANGES: ReviewOutcome.CHANGES_REQUESTED,
}


@dataclass(frozen=True, slots=True)
class Decision:
    reviewer: str
    option: Option
    time: datetime
    feedback_text: str = ""
    submit_feedback_as_new_message: bool = False
    bubble_id: str = ""


@dataclass(frozen=True, slots=True)
class Review:
    approval_request_id: str
    revision: int
    digest: str
    status: ReviewStatus
    request_time: datetime
    outcome: ReviewOutcome | None = None
    decisions: tuple[Decision, ...] = ()
    required_approvals: int = 1
    source: DecisionSource | None = None
    rule: str = ""
    decide_time: datetime | None = None
    deliver_time: datetime | None = None
    acknowledge_time: datetime | None = None
    consume_time: datetime | None = None
    expire_time: datetime | None = None

    @property
    def decided_by(self) -> str:
        """The person whose decision ended the review, or the rule that did."""
        return self.decisions[-1].reviewer if self.decisions else self.rule


def option_named(word: str) -> Option:
    """The choice that a word on the wire stands for."""
    if word in OTHER_WORDS:
        return OTHER_WORDS[word]
    try:
        return Option(word)
    except ValueError:
        raise UnknownOption(word, [*Option, *OTHER_WORDS]) from None


def decide(review: Review, decision: Decision) -> Review:
    """The review with its outcome: the first decision wins."""
    if review.status is ReviewStatus.DONE:
        assert review.outcome
        assert review.decide_time
        raise AlreadyDecided(
            review.approval_request_id,
            review.outcome.name,
            review.decided_by,
            review.decide_time.isoformat(),
        )
    _check(decision)
    return replace(
        review,
        status=ReviewStatus.DONE,
        outcome=OUTCOMES[decision.option],
        decisions=(*review.decisions, decision),
        source=DecisionSource.MANUAL,
        decide_time=decision.time,
    )


def _check(decision: Decision) -> None:
    field = "human_review.feedback_text"
    limits.check_bytes(field, decision.feedback_text, "feedback_bytes", limits.FEEDBACK_BYTES)
    if decision.option is Option.REQUEST_CHANGES and not decision.feedback_text.strip():
        raise MissingField(field, "say what to change")
    if decision.option not in OUTCOMES:
        raise NotBuiltYet(f"the choice {decision.option}", "human_review.selected_option")
