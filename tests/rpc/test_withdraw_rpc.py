"""The agent takes its plan back: an open review ends, and nothing of it may be built."""

import pytest

from plangate_proto.agent.v1.plan_resource_pb2 import Plan, PlanState
from plangate_proto.agent.v1.plan_service_pb2 import WithdrawPlanRequest
from plangate_proto.agent.v1.review_resource_pb2 import ReviewOutcome
from plangate_proto.aiserver.v1.plan_service_pb2 import ReviewPlanRequest
from tests.helpers.gate import Gate, decision
from tests.helpers.refusals import refused
from tests.helpers.streams import cut_off, next_of, rest_of, types
from tests.rpc.steps import approved, build, told, updated, waiting


async def withdraw(gate: Gate, plan: Plan, reason: str = "", request_id: str = "") -> Plan:
    request = WithdrawPlanRequest(
        plan_uri=plan.plan_uri, reason=reason, agent_id="agent-1", request_id=request_id
    )
    return (await gate.agent.WithdrawPlan(request)).plan


async def test_an_open_review_ends_as_withdrawn(gate: Gate) -> None:
    """Reviewers are told why, the wait is over, and nobody can decide any more."""
    plan = await gate.propose()
    stream = waiting(gate, plan)
    await next_of(stream)
    now = await withdraw(gate, plan, "It was the wrong cellar")
    assert now.state == PlanState.PLAN_STATE_WITHDRAWN
    assert now.review.outcome == ReviewOutcome.REVIEW_OUTCOME_WITHDRAWN
    event = (await rest_of(stream))[0].event
    assert (*types([event]), event.actor, event.message) == (
        "PLAN_WITHDRAWN",
        "agent-1",
        "It was the wrong cellar",
    )
    refusal = await refused(gate.reviews.SubmitReview(decision(plan, "approve")))
    assert (refusal.reason, refusal.metadata["outcome"]) == ("ALREADY_DECIDED", "WITHDRAWN")


async def test_a_stream_of_aiserver_ends_with_the_reason(gate: Gate) -> None:
    """There is no result for a plan that was taken back: the stream fails with PLAN_WITHDRAWN."""
    plan = await gate.propose()
    stream = gate.aiserver.ReviewPlan(ReviewPlanRequest(plan_uri=plan.plan_uri))
    await next_of(stream)
    await withdraw(gate, plan)
    _, refusal = await cut_off(stream)
    assert (refusal.status, refusal.reason) == ("FAILED_PRECONDITION", "PLAN_WITHDRAWN")
    assert refusal.metadata["plan_uri"] == plan.plan_uri


async def test_a_plan_that_was_to_be_changed_can_be_taken_back(gate: Gate) -> None:
    """A stream that went on through requested changes ends, too, when no revision will come."""
    plan = await gate.propose()
    stream = gate.aiserver.ReviewPlan(ReviewPlanRequest(plan_uri=plan.plan_uri))
    await next_of(stream)
    await gate.decide(plan, "requestChanges", "Sweep twice")
    await next_of(stream)
    await withdraw(gate, plan)
    updates, refusal = await cut_off(stream)
    assert types([update.event for update in updates])[-1] == "PLAN_WITHDRAWN"
    assert refusal.reason == "PLAN_WITHDRAWN"


async def test_an_approved_plan_that_was_taken_back_is_not_built(gate: Gate) -> None:
    """The approval ends with the plan, and both vocabularies stop calling it accepted."""
    plan = await approved(gate)
    await withdraw(gate, plan)
    assert (await refused(build(gate, plan))).reason == "NOT_APPROVED"
    _, refusal = await cut_off(gate.aiserver.ReviewPlan(ReviewPlanRequest(plan_uri=plan.plan_uri)))
    assert refusal.reason == "PLAN_WITHDRAWN"


async def test_a_plan_is_taken_back_once(gate: Gate) -> None:
    """A retry with the same id gives the first answer; another call is refused, as is any change."""
    plan = await gate.propose()
    first = await withdraw(gate, plan, request_id="r1")
    assert await withdraw(gate, plan, request_id="r1") == first
    for call in (withdraw(gate, plan), updated(gate, plan, "# Second")):
        refusal = await refused(call)
        assert (refusal.status, refusal.reason) == ("FAILED_PRECONDITION", "WRONG_STATE")
    assert await told(gate, plan) == ["PLAN_CREATED", "PLAN_APPROVAL_REQUIRED", "PLAN_WITHDRAWN"]


async def test_a_plan_that_is_being_built_is_not_taken_back(gate: Gate) -> None:
    """While a build is under way the call is refused and says when it would not be."""
    plan = await approved(gate)
    await build(gate, plan)
    refusal = await refused(withdraw(gate, plan))
    assert (refusal.reason, refusal.metadata["state"]) == ("WRONG_STATE", "building")
    assert "approved" in refusal.metadata["allowed"]


@pytest.mark.parametrize("field", ["reason", "plan_uri"])
async def test_what_is_wrong_is_named(gate: Gate, field: str) -> None:
    """A reason that is too long and a uri that is none are refused by their fields."""
    plan = await gate.propose()
    request = WithdrawPlanRequest(plan_uri=plan.plan_uri)
    setattr(request, field, "x" * 70_000 if field == "reason" else "x")
    assert (await refused(gate.agent.WithdrawPlan(request))).metadata["field"] == field
