"""One question to people, and one answer: the first decision ends a review."""

import pytest
from hypothesis import given

from plangate_server.domain import limits
from plangate_server.domain.errors import (
    AlreadyDecided,
    LimitExceeded,
    MissingField,
    Reason,
    UnknownOption,
)
from plangate_server.domain.review import (
    OUTCOMES,
    Decision,
    DecisionSource,
    Option,
    Review,
    ReviewOutcome,
    ReviewStatus,
    decide,
    option_named,
)
from tests.helpers.domain import LATER, NOW, a_decision
from tests.helpers.examples import decisions, repeatable

OPEN = Review("review-1", 1, "digest-1", ReviewStatus.REQUESTED, NOW)
WORDS = {
    "approve": Option.APPROVE,
    "rejectAndTellWhatToDoDifferently": Option.REJECT,
    "reject": Option.REJECT,
    "requestChanges": Option.REQUEST_CHANGES,
    "modify": Option.REQUEST_CHANGES,
    "edit": Option.EDIT,
}


@pytest.mark.parametrize(("word", "option"), WORDS.items())
def test_each_word_means_one_choice(word: str, option: Option) -> None:
    """Both vocabularies' words are understood."""
    assert option_named(word) is option


@pytest.mark.parametrize("word", ["", "Approve", "approve ", "yes", "request_changes", "rejected"])
def test_any_other_word_is_refused(word: str) -> None:
    """No word is guessed at, and the refusal lists the words that there are."""
    with pytest.raises(UnknownOption) as refused:
        option_named(word)
    assert refused.value.reason is Reason.UNKNOWN_OPTION
    assert refused.value.field == "human_review.selected_option"
    assert refused.value.metadata["selected_option"] == word
    assert set(refused.value.metadata["allowed"].split(", ")) == set(WORDS)


def test_a_very_long_word_is_not_sent_back_in_full() -> None:
    """A refusal stays small, whatever it refuses."""
    with pytest.raises(UnknownOption) as refused:
        option_named("x" * 100_000)
    assert len(str(refused.value)) < 1000


@pytest.mark.parametrize(
    ("option", "outcome"),
    [
        (Option.APPROVE, ReviewOutcome.APPROVED),
        (Option.REJECT, ReviewOutcome.REJECTED),
        (Option.REQUEST_CHANGES, ReviewOutcome.CHANGES_REQUESTED),
        (Option.EDIT, ReviewOutcome.MODIFIED),
    ],
)
def test_a_decision_ends_the_review(option: Option, outcome: ReviewOutcome) -> None:
    """The review is done, and tells what was decided, by whom, when, and that a person did."""
    decision = a_decision(option)
    review = decide(OPEN, decision)
    assert (review.status, review.outcome) == (ReviewStatus.DONE, outcome)
    assert review.decisions == (decision,)
    assert (review.decided_by, review.decide_time) == (decision.reviewer, decision.time)
    assert review.source is DecisionSource.MANUAL


def test_a_decision_leaves_what_was_asked() -> None:
    """Which revision and digest the review is about is not touched by its answer."""
    review = decide(OPEN, a_decision())
    assert (review.approval_request_id, review.revision, review.digest, review.request_time) == (
        OPEN.approval_request_id,
        OPEN.revision,
        OPEN.digest,
        OPEN.request_time,
    )


@pytest.mark.parametrize("first", OUTCOMES)
@pytest.mark.parametrize("second", Option)
def test_the_first_decision_wins(first: Option, second: Option) -> None:
    """A second decision of any kind is refused with what was decided, by whom and when."""
    review = decide(OPEN, a_decision(first, reviewer="ada"))
    with pytest.raises(AlreadyDecided) as refused:
        decide(review, a_decision(second, reviewer="bob"))
    assert refused.value.reason is Reason.ALREADY_DECIDED
    assert refused.value.metadata == {
        "approval_request_id": "review-1",
        "outcome": OUTCOMES[first].name,
        "decided_by": "ada",
        "decide_time": LATER.isoformat(),
    }


@pytest.mark.parametrize("feedback", ["", " \n\t"])
def test_asking_for_changes_needs_words(feedback: str) -> None:
    """An agent that is to change something is told what."""
    with pytest.raises(MissingField) as refused:
        decide(OPEN, a_decision(Option.REQUEST_CHANGES, feedback))
    assert refused.value.field == "human_review.feedback_text"


@pytest.mark.parametrize("option", [Option.APPROVE, Option.REJECT])
def test_yes_and_no_need_no_words(option: Option) -> None:
    """Approving and rejecting work without feedback."""
    assert decide(OPEN, a_decision(option, "")).outcome is OUTCOMES[option]


def test_feedback_is_bounded() -> None:
    """Feedback of exactly the limit passes; one byte more is refused."""
    fits = "é" * (limits.FEEDBACK_BYTES // 2)
    assert decide(OPEN, a_decision(feedback_text=fits)).decisions[0].feedback_text == fits
    with pytest.raises(LimitExceeded) as refused:
        decide(OPEN, a_decision(feedback_text=fits + "x"))
    assert refused.value.field == "human_review.feedback_text"
    assert refused.value.metadata["limit"] == "feedback_bytes"
    assert int(refused.value.metadata["actual"]) == limits.FEEDBACK_BYTES + 1


@repeatable
@given(decisions.filter(lambda decision: decision.option is Option.APPROVE))
def test_what_a_person_said_is_kept_whole(decision: Decision) -> None:
    """Every part of a decision is recorded as it was made."""
    assert decide(OPEN, decision).decisions == (decision,)
