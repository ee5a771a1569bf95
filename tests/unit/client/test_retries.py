"""Calls that are made again, and streams that go on, as the gate sees them."""

from __future__ import annotations

import grpc
import pytest

from plangate import PlangateError
from plangate._digest import digest_of_plan
from plangate_proto.agent.v1.access_token_service_pb2 import CreateTokenRequest
from plangate_proto.agent.v1.plan_resource_pb2 import Plan, PlanState
from plangate_proto.agent.v1.plan_service_pb2 import CreatePlanResponse, GetPlanResponse, ReviewPlanResponse
from plangate_proto.agent.v1.review_event_pb2 import ReviewEvent, ReviewEventType
from plangate_proto.agent.v1.review_resource_pb2 import Review, ReviewOutcome, ReviewStatus
from tests.helpers.conditions import PATIENCE
from tests.helpers.fake_gate import FakeGate
from tests.unit.client.test_errors import error_info, trailers

PLAN = Plan(plan_uri="plangate://plans/1", plan="# Tidy the cellar")
PLAN.digest = digest_of_plan(PLAN)
UNAVAILABLE = grpc.StatusCode.UNAVAILABLE
OPEN = Review(approval_request_id="r", status=ReviewStatus.REVIEW_STATUS_REQUESTED)
APPROVED = Review(
    approval_request_id="r",
    digest=PLAN.digest,
    status=ReviewStatus.REVIEW_STATUS_DONE,
    outcome=ReviewOutcome.REVIEW_OUTCOME_APPROVED,
)


def told(cursor: str, review: Review = OPEN, **more: object) -> ReviewPlanResponse:
    return ReviewPlanResponse(event=ReviewEvent(cursor=cursor, review=review, **more))  # type: ignore[arg-type]


@pytest.fixture
def reached(fake: FakeGate) -> FakeGate:
    """A gate that has answered before."""
    reading = fake.called(lambda client: client.get_plan(PLAN))
    fake.answer("GetPlan", GetPlanResponse())
    reading.result(PATIENCE)
    return fake


@pytest.mark.parametrize("code", [UNAVAILABLE, grpc.StatusCode.CANCELLED])
def test_a_write_is_repeated_under_its_request_id(reached: FakeGate, code: grpc.StatusCode) -> None:
    """However often it is sent, it is one write: every attempt is the same request, byte for byte."""
    creating = reached.called(lambda client: client.create_plan("# Tidy the cellar"))
    first = reached.refuse("CreatePlan", code)
    second = reached.refuse("CreatePlan", code)
    third = reached.answer("CreatePlan", CreatePlanResponse(plan=PLAN))
    assert creating.result(PATIENCE) == PLAN
    assert first == second == third
    assert third.request_id


def test_a_token_is_asked_for_once(reached: FakeGate) -> None:
    """Repeated, the answer would have no secret: the caller must know, and revoke it."""
    creating = reached.called(lambda client: client.create_token(CreateTokenRequest(name="ci")))
    reached.refuse("CreateToken", UNAVAILABLE)
    with pytest.raises(PlangateError):
        creating.result(PATIENCE)


def test_wait_goes_on_behind_its_cursor(reached: FakeGate) -> None:
    """After each break the stream is opened behind the last event that was told."""
    waiting = reached.called(lambda client: client.wait(PLAN))
    assert reached.cut_off("ReviewPlan", UNAVAILABLE, told("a"), told("b")).cursor == ""
    assert reached.cut_off("ReviewPlan", UNAVAILABLE, told("c")).cursor == "b"
    assert reached.cut_off("ReviewPlan", grpc.StatusCode.CANCELLED).cursor == "c"
    assert reached.stream("ReviewPlan", told("d", APPROVED)).cursor == "c"
    assert waiting.result(PATIENCE).approved


def test_a_stream_that_breaks_after_the_decision_has_told_it(reached: FakeGate) -> None:
    """What was decided is known: nobody has to wait for a polite end."""
    waiting = reached.called(lambda client: client.wait(PLAN))
    reached.cut_off("ReviewPlan", UNAVAILABLE, told("a"), told("b", APPROVED))
    assert waiting.result(PATIENCE).approved


def test_a_cursor_that_is_too_old_begins_anew(reached: FakeGate) -> None:
    """What was missed is gone; the snapshot says how things stand."""
    waiting = reached.called(lambda client: client.wait(PLAN))
    reached.cut_off("ReviewPlan", UNAVAILABLE, told("a"))
    gone = trailers(error_info("CURSOR_EXPIRED"))
    reached.refuse("ReviewPlan", grpc.StatusCode.OUT_OF_RANGE, "too old", gone)
    assert reached.stream("ReviewPlan", told("z", APPROVED)).cursor == ""
    assert waiting.result(PATIENCE).approved


def test_a_plan_that_was_taken_back_is_not_approved(fake: FakeGate) -> None:
    """Also if it had been approved before: there is nothing to build."""
    waiting = fake.called(lambda client: client.wait(PLAN))
    withdrawn = Plan(plan_uri=PLAN.plan_uri, state=PlanState.PLAN_STATE_WITHDRAWN)
    fake.stream("ReviewPlan", told("a", APPROVED, plan=withdrawn))
    decision = waiting.result(PATIENCE)
    assert (decision.outcome, decision.approved) == ("WITHDRAWN", False)


def test_a_checkpoint_is_not_the_decision(fake: FakeGate) -> None:
    """An event that only moves the cursor says nothing about the plan."""
    waiting = fake.called(lambda client: client.wait(PLAN))
    checkpoint = ReviewEvent(type=ReviewEventType.REVIEW_EVENT_TYPE_CHECKPOINT, cursor="b")
    fake.stream("ReviewPlan", told("a", APPROVED), ReviewPlanResponse(event=checkpoint))
    assert waiting.result(PATIENCE).approved


def test_the_plan_of_a_decision_is_the_newest_that_was_told(fake: FakeGate) -> None:
    """Whoever waits with an old copy, or with a uri alone, gets the plan that was decided about."""
    waiting = fake.called(lambda client: client.wait(PLAN.plan_uri))
    newer = Plan(plan_uri=PLAN.plan_uri, revision=2, plan=PLAN.plan)
    fake.stream("ReviewPlan", told("a", plan=newer), told("b", APPROVED))
    assert waiting.result(PATIENCE).plan == newer
