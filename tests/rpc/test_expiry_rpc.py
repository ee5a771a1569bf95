"""A review whose time runs out: its own outcome, never a person's."""

from datetime import timedelta

import pytest
from google.protobuf.duration_pb2 import Duration

from plangate_proto.agent.v1.plan_resource_pb2 import PlanState
from plangate_proto.agent.v1.review_resource_pb2 import ReviewOptions, ReviewOutcome
from plangate_proto.aiserver.v1.create_plan_tool_pb2 import CreatePlanParams
from plangate_proto.aiserver.v1.plan_service_pb2 import CreatePlanRequest, ReviewPlanRequest
from tests.helpers.gate import Gate, decision, proposal
from tests.helpers.refusals import refused
from tests.helpers.streams import cut_off, next_of, rest_of, types
from tests.rpc.steps import build, told, updated, waiting

SOON = ReviewOptions(expires_after=Duration(nanos=50_000_000))
LATER = ReviewOptions(expires_after=Duration(seconds=3600))


async def test_a_review_that_nobody_decides_expires(gate: Gate) -> None:
    """The stream tells of it and ends; the plan is expired, and nobody has decided."""
    plan = await gate.propose(proposal(review=SOON))
    assert plan.review.expire_time.ToDatetime() - plan.review.request_time.ToDatetime() == timedelta(
        milliseconds=50
    )
    events = [response.event for response in await rest_of(waiting(gate, plan))]
    assert types(events)[-1] == "REVIEW_EXPIRED"
    assert events[-1].actor == "plangate"
    now = await gate.get(plan.plan_uri)
    assert now.state == PlanState.PLAN_STATE_EXPIRED
    assert now.review.outcome == ReviewOutcome.REVIEW_OUTCOME_EXPIRED
    assert not now.review.decisions
    assert (await refused(build(gate, plan))).reason == "NOT_APPROVED"


async def test_a_decision_after_the_time_is_refused(gate: Gate) -> None:
    """Who comes too late is told that it expired."""
    plan = await gate.propose(proposal(review=SOON))
    await rest_of(waiting(gate, plan))
    refusal = await refused(gate.reviews.SubmitReview(decision(plan, "approve")))
    assert (refusal.status, refusal.reason) == ("FAILED_PRECONDITION", "ALREADY_DECIDED")
    assert refusal.metadata["outcome"] == "EXPIRED"


async def test_a_stream_of_aiserver_ends_with_the_reason(gate: Gate) -> None:
    """CreatePlan has no result for an expired review: it fails with REVIEW_EXPIRED, and so do later calls."""
    request = CreatePlanRequest(params=CreatePlanParams(plan="# Plan"), review=SOON)
    updates, refusal = await cut_off(gate.aiserver.CreatePlan(request))
    uri = updates[0].event.plan_uri
    again = await cut_off(gate.aiserver.ReviewPlan(ReviewPlanRequest(plan_uri=uri)))
    assert types([update.event for update in updates])[-1] == "REVIEW_EXPIRED"
    for end in (refusal, again[1]):
        assert (end.status, end.reason) == ("FAILED_PRECONDITION", "REVIEW_EXPIRED")
        assert end.metadata["plan_uri"] == uri


async def test_a_decision_in_time_counts(gate: Gate) -> None:
    """A review with time left is decided like any other."""
    plan = await gate.propose(proposal(review=LATER))
    answer = await gate.decide(plan, "approve")
    assert answer.review.outcome == ReviewOutcome.REVIEW_OUTCOME_APPROVED


async def test_the_time_begins_anew_with_a_new_revision(gate: Gate) -> None:
    """A new revision is reviewed as the one before, unless it says otherwise."""
    plan = await gate.propose(proposal(review=LATER))
    new = await updated(gate, plan, "# Second")
    assert new.review.expire_time.ToDatetime() > plan.review.expire_time.ToDatetime()
    assert not (await updated(gate, new, "# Third", review=ReviewOptions())).review.HasField("expire_time")


async def test_an_expired_plan_can_be_revised(gate: Gate) -> None:
    """The agent may ask again with another text."""
    plan = await gate.propose(proposal(review=SOON))
    stream = waiting(gate, plan)
    await next_of(stream)
    await rest_of(stream)
    new = await updated(gate, plan, "# Second", review=ReviewOptions())
    await gate.decide(new, "approve")
    assert [kind for kind in await told(gate, plan) if kind != "DECISION_DELIVERED"] == [
        "PLAN_CREATED",
        "PLAN_APPROVAL_REQUIRED",
        "REVIEW_EXPIRED",
        "PLAN_UPDATED",
        "PLAN_APPROVAL_REQUIRED",
        "PLAN_APPROVED",
    ]


@pytest.mark.parametrize("seconds", [0, -1, 300_000_000_000, 10**15])
async def test_a_time_that_no_review_could_keep(gate: Gate, seconds: int) -> None:
    """A span that is not positive, or longer than any calendar, is refused by name."""
    options = ReviewOptions(expires_after=Duration(seconds=seconds))
    refusal = await refused(gate.propose(proposal(review=options)))
    assert (refusal.status, refusal.reason) == ("INVALID_ARGUMENT", "INVALID_FIELD")
    assert refusal.metadata["field"] == "review.expires_after"
    assert await gate.plans() == []
