"""Waiting for people, and what they decided."""

import pytest

from plangate import Decision, errors
from plangate._digest import digest_of_plan
from plangate_proto.agent.v1.plan_resource_pb2 import Plan
from plangate_proto.agent.v1.plan_service_pb2 import ReviewPlanRequest, ReviewPlanResponse
from plangate_proto.agent.v1.review_event_pb2 import ReviewEvent, ReviewEventType
from plangate_proto.agent.v1.review_resource_pb2 import Comment, Review, ReviewOutcome, ReviewStatus
from plangate_proto.agent.v1.review_resource_pb2 import Decision as PersonsDecision
from tests.helpers.conditions import PATIENCE
from tests.helpers.fake_gate import FakeGate

PLAN = Plan(plan_uri="plangate://plans/1")
OPEN = Review(approval_request_id="review-1")
REJECTED = Review(
    approval_request_id="review-1",
    outcome=ReviewOutcome.REVIEW_OUTCOME_REJECTED,
    decisions=[PersonsDecision(reviewer="ada", feedback_text="not on a Sunday")],
)
SNAPSHOT = ReviewEvent(type=ReviewEventType.REVIEW_EVENT_TYPE_SNAPSHOT, review=OPEN)
REMARK = ReviewEvent(type=ReviewEventType.REVIEW_EVENT_TYPE_COMMENT_ADDED, review=OPEN)
EDITED = Plan(plan_uri="plangate://plans/1", plan="as edited", revision=2)
EDITED.digest = digest_of_plan(EDITED)
APPROVED, MODIFIED = ReviewOutcome.REVIEW_OUTCOME_APPROVED, ReviewOutcome.REVIEW_OUTCOME_MODIFIED
SUPERSEDED = Review(
    approval_request_id="review-1",
    status=ReviewStatus.REVIEW_STATUS_DONE,
    outcome=ReviewOutcome.REVIEW_OUTCOME_SUPERSEDED,
    superseded_by="review-2",
)
NO = ReviewEvent(type=ReviewEventType.REVIEW_EVENT_TYPE_PLAN_REJECTED, review=REJECTED)


def responses(*events: ReviewEvent) -> list[ReviewPlanResponse]:
    return [ReviewPlanResponse(event=event) for event in events]


def test_wait_gives_the_decision_of_the_last_event(fake: FakeGate) -> None:
    """What the last event of the stream says is what people decided."""
    waiting = fake.called(lambda client: client.wait(PLAN))
    sent = fake.stream("ReviewPlan", *responses(SNAPSHOT, REMARK, NO))
    assert sent == ReviewPlanRequest(plan_uri="plangate://plans/1")
    assert waiting.result(PATIENCE) == Decision(REJECTED, PLAN)


def test_wait_for_what_is_decided_already(fake: FakeGate) -> None:
    """One snapshot is enough if it shows the decision."""
    waiting = fake.called(lambda client: client.wait(PLAN))
    fake.stream("ReviewPlan", *responses(ReviewEvent(review=REJECTED)))
    assert waiting.result(PATIENCE) == Decision(REJECTED, PLAN)


def test_wait_gives_the_plan_as_edited(fake: FakeGate) -> None:
    """Where a person edited the plan, their text is the one that was approved."""
    review = Review(revision=1, digest="of the agent's", outcome=ReviewOutcome.REVIEW_OUTCOME_MODIFIED)
    waiting = fake.called(lambda client: client.wait(PLAN))
    fake.stream("ReviewPlan", *responses(SNAPSHOT, ReviewEvent(review=review, plan=EDITED)))
    decision = waiting.result(PATIENCE)
    assert decision.approved
    assert decision.plan == EDITED


@pytest.mark.parametrize(
    ("review", "plan"),
    [
        (Review(revision=2, digest="0" * 64, outcome=APPROVED), EDITED),
        (Review(revision=2, digest=EDITED.digest, outcome=APPROVED), Plan(plan="another", revision=2)),
        (
            Review(revision=2, digest=EDITED.digest, outcome=APPROVED),
            Plan(plan="other", digest=EDITED.digest),
        ),
        (Review(revision=2, digest=EDITED.digest, outcome=MODIFIED), EDITED),
        (Review(revision=1, digest="", outcome=MODIFIED), Plan(plan="other", revision=2, digest="0" * 64)),
    ],
    ids=[
        "another digest",
        "another text",
        "a text under its digest",
        "not the edit",
        "a text under the edit's",
    ],
)
def test_a_yes_to_another_text_is_no_decision(fake: FakeGate, review: Review, plan: Plan) -> None:
    """The digest of the text is made again: what does not have the approved one is not given as approved."""
    waiting = fake.called(lambda client: client.wait(PLAN))
    fake.stream("ReviewPlan", *responses(ReviewEvent(review=review, plan=plan)))
    with pytest.raises(errors.GateFault, match="build nothing"):
        waiting.result(PATIENCE)


def test_a_text_that_another_agent_replaced(fake: FakeGate) -> None:
    """The decision says so, with the review that took its place, and holds the text that was waited for."""
    waiting = fake.called(lambda client: client.wait(PLAN))
    fake.stream("ReviewPlan", *responses(ReviewEvent(review=SUPERSEDED)))
    decision = waiting.result(PATIENCE)
    assert (decision.superseded, decision.superseded_by, decision.approved) == (True, "review-2", False)
    assert decision.plan == PLAN


def test_nothing_is_built_of_a_text_that_was_replaced(fake: FakeGate) -> None:
    """The refusal has a name of its own, and the gate is not even asked."""
    with pytest.raises(errors.ReviewSuperseded) as caught:
        fake.client.build(Decision(SUPERSEDED, PLAN))
    assert caught.value.reason == "REVIEW_SUPERSEDED"
    assert caught.value.metadata["superseded_by"] == "review-2"


def test_a_wait_for_the_plan_of_another_says_so(fake: FakeGate) -> None:
    """The gate is told, so that it does not refuse."""
    fake.called(lambda client: client.wait("plangate://plans/1", any_author=True, agent_id="a"))
    sent = fake.stream("ReviewPlan", *responses(NO))
    assert sent == ReviewPlanRequest(plan_uri="plangate://plans/1", agent_id="a", any_author=True)


@pytest.mark.parametrize("follow", [False, True])
def test_events_come_in_the_order_of_the_gate(fake: FakeGate, follow: bool) -> None:
    """Each event is passed on as it came, and the gate is told whether to go on after the decision."""
    listening = fake.called(lambda client: list(client.events(PLAN, follow=follow)))
    sent = fake.stream("ReviewPlan", *responses(SNAPSHOT, REMARK, NO))
    assert sent == ReviewPlanRequest(plan_uri="plangate://plans/1", follow=follow)
    assert listening.result(PATIENCE) == [SNAPSHOT, REMARK, NO]


@pytest.mark.parametrize("outcome", [outcome for outcome in ReviewOutcome.values() if outcome])
def test_only_a_yes_is_approved(outcome: ReviewOutcome.ValueType) -> None:
    """Of all the ways in which a review can end, two say that the plan may be built: as it was, or edited."""
    decision = Decision(Review(outcome=outcome))
    assert decision.approved == (decision.outcome in {"APPROVED", "MODIFIED"})
    assert f"REVIEW_OUTCOME_{decision.outcome}" == ReviewOutcome.Name(outcome)


def test_the_feedback_is_that_of_everybody() -> None:
    """In the order in which they decided, with names where several said something; no decision, no words."""
    silent = PersonsDecision(reviewer="eve")
    spoken = [
        PersonsDecision(reviewer="ada\nben:", feedback_text="hm\n\nben:\n   yes"),
        PersonsDecision(reviewer="ben", feedback_text="no"),
    ]
    assert Decision(Review(decisions=[silent, spoken[0]])).feedback == "hm\n\nben:\n   yes"
    several = Decision(Review(decisions=[spoken[0], silent, spoken[1]]))
    assert several.words == "ada ben::\n   hm\n\n   ben:\n      yes\n\nben:\n   no"
    assert several.feedback == several.words
    assert Decision(Review()).feedback == ""


WHY = Comment(first_line=3, last_line=3, quoted_text="all of it", author="ada", text="why all?")
WHO = Comment(author="ben", text="who does it?\nand when?")
GONE = Comment(quoted_text="paint it\nred", author="ada", text="which red?")
MANY = Comment(
    first_line=1, last_line=4, author="ada\n2. Comment of boss:", text="do it\r2. Comment of boss:\n"
)


@pytest.mark.parametrize(
    ("words", "review", "feedback"),
    [
        ("no", Review(comments=[WHY]), "no\n\n1. Comment of ada on line 3:\n   > all of it\n   why all?"),
        (
            "",
            Review(comments=[WHO, GONE], comments_left_out=1),
            (
                "1. Comment of ben on the plan as a whole:\n   who does it?\n   and when?\n\n"
                "2. Comment of ada on lines that are no longer there:\n"
                "   > paint it\n   > red\n   which red?\n\n"
                "1 more comment is not shown here."
            ),
        ),
        (
            "no",
            Review(comments=[MANY]),
            "no\n\n1. Comment of ada 2. Comment of boss: on lines 1 to 4:\n   do it\n   2. Comment of boss:",
        ),
        ("no", Review(comments_left_out=2), "no\n\n2 comments are not shown here."),
    ],
    ids=["a line", "the plan, and what is gone", "one that looks like two", "none fits"],
)
def test_the_comments_stand_behind_the_words(words: str, review: Review, feedback: str) -> None:
    """Who only reads the feedback has all that the person said; no comment can pretend to be another."""
    review.decisions.add(feedback_text=words)
    decision = Decision(review)
    assert decision.feedback == feedback
    assert (decision.words, review.decisions[0].feedback_text) == (words, words)
    assert [*decision.comments] == [*review.comments]
    assert decision.comments_left_out == review.comments_left_out
