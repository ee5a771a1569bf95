"""Reviews: one question to people about one revision of one plan."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta
from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace

from plangate_server.domain import limits
from plangate_server.domain.comments import Comment
from plangate_server.domain.errors import (
    AlreadyApproved,
    AlreadyDecided,
    InvalidField,
    MissingField,
    UnknownOption,
)
from plangate_server.domain.identity import Author
from plangate_server.domain.persons import known_as, same_person

SERVICE = "plangate"
"""Who does what the service does by itself."""


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
    Option.EDIT: ReviewOutcome.MODIFIED,
}

YES = frozenset({Option.APPROVE, Option.EDIT})
"""What lets a plan be built."""

MAX_APPROVALS = 100


class ReviewOptions(Struct, frozen=True):
    """How a plan is to be reviewed."""

    expires_after: timedelta | None = None
    required_approvals: int = 1

    @property
    def needed(self) -> int:
        """How many approvals; one where nothing was said."""
        return max(self.required_approvals, 1)

    def same_as(self, other: ReviewOptions) -> bool:
        """Whether both are the same terms, whatever they leave to the default."""
        return (self.expires_after, self.needed) == (other.expires_after, other.needed)


class Decision(Struct, frozen=True):
    reviewer: str
    option: Option
    time: datetime
    feedback_text: str = ""
    submit_feedback_as_new_message: bool = False
    bubble_id: str = ""
    person: str = ""
    """The person behind the reviewer's name; empty where that is the person."""
    break_glass: str = ""
    """Why an admin went past four_eyes and the number of approvals; empty where nobody did."""

    @property
    def by(self) -> str:
        """Whom it counts for: a person with several tokens counts once."""
        return self.person or self.reviewer


class Review(Struct, frozen=True):
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
    person: str = ""
    """Who answers for whoever asked; the text can be somebody else's."""
    proposer: Author | None = None
    """The agent whose proposal it is about, also where a person edited it; None of what 0.1.0 stored."""
    superseded_by: str = ""
    """The review that took its place."""
    comments: tuple[Comment, ...] = ()
    """Those that were open when a person decided, as they stood on the revision."""
    comments_left_out: int = 0
    """How many more there were."""

    @property
    def without_comments(self) -> Review:
        """Only with their number."""
        left_out = self.comments_left_out + len(self.comments)
        return replace(self, comments=(), comments_left_out=left_out) if self.comments else self

    @property
    def decided_by(self) -> str:
        """The person whose decision ended the review, or the rule or the service that did."""
        manual = self.source is DecisionSource.MANUAL
        return self.decisions[-1].reviewer if manual else self.rule or SERVICE


def option_named(word: str) -> Option:
    """The choice that a word on the wire stands for."""
    if word in OTHER_WORDS:
        return OTHER_WORDS[word]
    try:
        return Option(word)
    except ValueError:
        raise UnknownOption(word, [*Option, *OTHER_WORDS]) from None


def check_options(options: ReviewOptions) -> None:
    """Refuse what no review could keep."""
    if not 0 <= options.required_approvals <= MAX_APPROVALS:
        raise InvalidField("review.required_approvals", f"is not between 0 and {MAX_APPROVALS}")
    limits.check_wait("review.expires_after", options.expires_after)


def ask(
    approval_request_id: str,
    revision: int,
    digest: str,
    options: ReviewOptions,
    now: datetime,
    *,
    proposer: Author | None = None,
) -> Review:
    """People are asked about a revision."""
    return Review(
        approval_request_id,
        revision,
        digest,
        ReviewStatus.REQUESTED,
        now,
        required_approvals=options.needed,
        expire_time=now + options.expires_after if options.expires_after else None,
        proposer=proposer,
    )


def decide(review: Review, decision: Decision, *, not_by: Collection[str] = ()) -> Review:
    """The review after a decision: the first one ends it, unless it needs several approvals.

    Those of some persons do not count, where others must give them.
    """
    _check_open(review, decision.time)
    _check(review, decision)
    _check_once(review, decision, not_by)
    decided = replace(review, decisions=(*review.decisions, decision))
    enough = bool(decision.break_glass) or _approvals(decided, not_by) >= review.required_approvals
    if decision.option is Option.APPROVE and not enough:
        return decided
    return replace(
        decided,
        status=ReviewStatus.DONE,
        outcome=OUTCOMES[decision.option],
        source=DecisionSource.MANUAL,
        decide_time=decision.time,
    )


def end(review: Review, outcome: ReviewOutcome, now: datetime, rule: str = "") -> Review:
    """The review ended by something else than a person: a rule, the clock, the agent, a newer revision."""
    return replace(
        review,
        status=ReviewStatus.DONE,
        outcome=outcome,
        source=DecisionSource.AUTO if rule else None,
        rule=rule,
        decide_time=now,
    )


def supersede(review: Review, superseded_by: str, now: datetime) -> Review:
    """The review as whoever waited for it is told: another text took the place of the one it was about."""
    ended = review if review.status is ReviewStatus.DONE else end(review, ReviewOutcome.SUPERSEDED, now)
    return replace(ended, outcome=ReviewOutcome.SUPERSEDED, superseded_by=superseded_by)


def _approvals(review: Review, not_by: Collection[str]) -> int:
    approvers = {known_as(each.by) for each in review.decisions if each.option is Option.APPROVE}
    return len(approvers - set(map(known_as, not_by)))


def _check_open(review: Review, now: datetime) -> None:
    if review.status is ReviewStatus.DONE:
        assert review.outcome
        assert review.decide_time
        raise AlreadyDecided(
            review.approval_request_id, review.outcome.name, review.decided_by, review.decide_time.isoformat()
        )
    if review.expire_time is not None and now >= review.expire_time:
        raise AlreadyDecided(
            review.approval_request_id,
            ReviewOutcome.EXPIRED.name,
            SERVICE,
            review.expire_time.isoformat(),
        )


def _check(review: Review, decision: Decision) -> None:
    field = "human_review.feedback_text"
    limits.check_bytes(field, decision.feedback_text, "feedback_bytes", limits.FEEDBACK_BYTES)
    if decision.option is Option.REQUEST_CHANGES and not decision.feedback_text.strip():
        raise MissingField(field, "say what to change")
    if decision.option is Option.EDIT and review.required_approvals > 1:
        raise InvalidField(
            "human_review.selected_option",
            "is edit, which one person cannot do while several must agree: request changes instead",
        )


def _check_once(review: Review, decision: Decision, not_by: Collection[str]) -> None:
    """While several approvals are needed, each person gives one."""
    for earlier in review.decisions:
        again = same_person(earlier.by, decision.by) and earlier.option is decision.option
        if again and not decision.break_glass:
            raise AlreadyApproved(
                review.approval_request_id,
                earlier.reviewer,
                earlier.time.isoformat(),
                recorded=_approvals(review, not_by),
                required=review.required_approvals,
            )
