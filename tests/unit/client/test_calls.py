"""What each method of the client sends, and what it gives back."""

import uuid

import pytest

from plangate_proto.agent.v1.create_plan_tool_pb2 import CreatePlanArgs
from plangate_proto.agent.v1.plan_resource_pb2 import Plan, PlanState
from plangate_proto.agent.v1.plan_service_pb2 import (
    CreatePlanRequest,
    CreatePlanResponse,
    GetPlanRequest,
    GetPlanResponse,
)
from plangate_proto.agent.v1.review_resource_pb2 import Review, ReviewOutcome
from plangate_proto.agent.v1.todo_tools_pb2 import TodoItem
from plangate_proto.aiserver.v1.human_review_pb2 import HumanReview
from plangate_proto.aiserver.v1.plan_review_service_pb2 import SubmitReviewRequest, SubmitReviewResponse
from tests.helpers.conditions import PATIENCE
from tests.helpers.fake_gate import FakeGate

PLAN = Plan(
    plan_uri="plangate://plans/1",
    plan="# Tidy the cellar",
    revision=7,
    digest="d7",
    state=PlanState.PLAN_STATE_IN_REVIEW,
    review=Review(approval_request_id="review-8", revision=8, digest="d8"),
)


def test_create_plan_sends_all_it_is_given(fake: FakeGate) -> None:
    """Text, name, overview, todos, session and agent reach the gate; the stored plan comes back."""
    todos: list[str | TodoItem] = [
        "sort the boxes",
        TodoItem(id="sweep", content="sweep the floor", dependencies=["todo-1"]),
    ]
    creating = fake.called(
        lambda client: client.create_plan(
            "# Tidy the cellar",
            name="Cellar",
            overview="Make room.",
            todos=todos,
            session_id="session-1",
            agent_id="agent-1",
        )
    )
    sent = fake.answer("CreatePlan", CreatePlanResponse(plan=PLAN))
    assert sent == CreatePlanRequest(
        args=CreatePlanArgs(
            plan="# Tidy the cellar",
            name="Cellar",
            overview="Make room.",
            todos=[
                TodoItem(content="sort the boxes"),
                TodoItem(id="sweep", content="sweep the floor", dependencies=["todo-1"]),
            ],
        ),
        session_id="session-1",
        agent_id="agent-1",
        request_id=sent.request_id,
    )
    assert creating.result(PATIENCE) == PLAN


def test_create_plan_needs_a_text_only(fake: FakeGate) -> None:
    """What is left out is left to the gate: nothing is made up."""
    fake.called(lambda client: client.create_plan("# Tidy the cellar"))
    sent = fake.answer("CreatePlan", CreatePlanResponse())
    assert sent == CreatePlanRequest(
        args=CreatePlanArgs(plan="# Tidy the cellar"), request_id=sent.request_id
    )


def test_get_plan_asks_for_the_head(fake: FakeGate) -> None:
    """A plan is read by its uri, as it is now."""
    reading = fake.called(lambda client: client.get_plan("plangate://plans/1"))
    sent = fake.answer("GetPlan", GetPlanResponse(plan=PLAN))
    assert sent == GetPlanRequest(plan_uri="plangate://plans/1")
    assert reading.result(PATIENCE) == PLAN


@pytest.mark.parametrize("option", ["approve", "reject", "requestChanges"])
def test_decide_is_about_the_plan_that_was_seen(fake: FakeGate, option: str) -> None:
    """A decision carries the revision and the digest of the very plan it was given, and the words."""
    deciding = fake.called(lambda client: client.decide(PLAN, option, "not on a Sunday"))
    decided = Review(outcome=ReviewOutcome.REVIEW_OUTCOME_REJECTED)
    sent = fake.answer("SubmitReview", SubmitReviewResponse(review=decided))
    assert sent == SubmitReviewRequest(
        approval_request_id="review-8",
        human_review=HumanReview(selected_option=option, feedback_text="not on a Sunday"),
        revision=7,
        digest="d7",
        request_id=sent.request_id,
    )
    assert deciding.result(PATIENCE).review == decided


def test_every_create_plan_has_a_request_id_of_its_own(fake: FakeGate) -> None:
    """Two equal plans are two plans: each write has a fresh UUID."""
    ids = set()
    for _ in range(2):
        fake.called(lambda client: client.create_plan("# Tidy the cellar"))
        ids.add(uuid.UUID(fake.answer("CreatePlan", CreatePlanResponse()).request_id))
    assert len(ids) == 2


def test_every_decision_has_a_request_id_of_its_own(fake: FakeGate) -> None:
    """Two equal decisions are two decisions: each write has a fresh UUID."""
    ids = set()
    for _ in range(2):
        fake.called(lambda client: client.decide(PLAN, "approve"))
        ids.add(uuid.UUID(fake.answer("SubmitReview", SubmitReviewResponse()).request_id))
    assert len(ids) == 2
