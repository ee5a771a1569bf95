"""Waiting for people, and what they decided."""

import pytest

from plangate import Decision
from plangate_proto.agent.v1.plan_resource_pb2 import Plan
from plangate_proto.agent.v1.plan_service_pb2 import ReviewPlanRequest, ReviewPlanResponse
from plangate_proto.agent.v1.review_event_pb2 import ReviewEvent, ReviewEventType
from plangate_proto.agent.v1.review_resource_pb2 import Decision as PersonsDecision
from plangate_proto.agent.v1.review_resource_pb2 import Review, ReviewOutcome
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
COMMENT = ReviewEvent(type=ReviewEventType.REVIEW_EVENT_TYPE_COMMENT_ADDED, review=OPEN)
EDITED = Plan(plan_uri="plangate://plans/1", plan="as edited")
NO = ReviewEvent(type=ReviewEventType.REVIEW_EVENT_TYPE_PLAN_REJECTED, review=REJECTED)


def responses(*events: ReviewEvent) -> list[ReviewPlanResponse]:
    return [ReviewPlanResponse(event=event) for event in events]


def test_wait_gives_the_decision_of_the_last_event(fake: FakeGate) -> None:
    """What the last event of the stream says is what people decided."""
    waiting = fake.called(lambda client: client.wait(PLAN))
    sent = fake.stream("ReviewPlan", *responses(SNAPSHOT, COMMENT, NO))
    assert sent == ReviewPlanRequest(plan_uri="plangate://plans/1")
    assert waiting.result(PATIENCE) == Decision(REJECTED, PLAN)


def test_wait_for_what_is_decided_already(fake: FakeGate) -> None:
    """One snapshot is enough if it shows the decision."""
    waiting = fake.called(lambda client: client.wait(PLAN))
    fake.stream("ReviewPlan", *responses(ReviewEvent(review=REJECTED)))
    assert waiting.result(PATIENCE) == Decision(REJECTED, PLAN)


def test_wait_gives_the_plan_as_edited(fake: FakeGate) -> None:
    """Where a person edited the plan, their text is the one that was approved."""
    review = Review(outcome=ReviewOutcome.REVIEW_OUTCOME_MODIFIED)
    waiting = fake.called(lambda client: client.wait(PLAN))
    fake.stream("ReviewPlan", *responses(SNAPSHOT, ReviewEvent(review=review, plan=EDITED)))
    decision = waiting.result(PATIENCE)
    assert decision.approved
    assert decision.plan == EDITED


@pytest.mark.parametrize("follow", [False, True])
def test_events_come_in_the_order_of_the_gate(fake: FakeGate, follow: bool) -> None:
    """Each event is passed on as it came, and the gate is told whether to go on after the decision."""
    listening = fake.called(lambda client: list(client.events(PLAN, follow=follow)))
    sent = fake.stream("ReviewPlan", *responses(SNAPSHOT, COMMENT, NO))
    assert sent == ReviewPlanRequest(plan_uri="plangate://plans/1", follow=follow)
    assert listening.result(PATIENCE) == [SNAPSHOT, COMMENT, NO]


@pytest.mark.parametrize("outcome", [outcome for outcome in ReviewOutcome.values() if outcome])
def test_only_a_yes_is_approved(outcome: ReviewOutcome.ValueType) -> None:
    """Of all the ways in which a review can end, two say that the plan may be built: as it was, or edited."""
    decision = Decision(Review(outcome=outcome))
    assert decision.approved == (decision.outcome in {"APPROVED", "MODIFIED"})
    assert f"REVIEW_OUTCOME_{decision.outcome}" == ReviewOutcome.Name(outcome)


def test_the_feedback_is_that_of_the_last_person() -> None:
    """The words of the decision that ended the review are the feedback; without a decision there are none."""
    spoken = [PersonsDecision(feedback_text="hm"), PersonsDecision(feedback_text="no")]
    assert Decision(Review(decisions=spoken)).feedback == "no"
    assert Decision(Review()).feedback == ""
