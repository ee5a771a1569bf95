"""A review whose time runs out: its own outcome, never a person's."""

from datetime import timedelta

import pytest
from google.protobuf.duration_pb2 import Duration

from plangate_proto.agent.v1.plan_resource_pb2 import PlanState
from plangate_proto.agent.v1.plan_service_pb2 import UpdateTodosRequest
from plangate_proto.agent.v1.review_resource_pb2 import ReviewOptions, ReviewOutcome
from plangate_proto.agent.v1.todo_tools_pb2 import TodoItem, UpdateTodosArgs
from plangate_proto.aiserver.v1.create_plan_tool_pb2 import CreatePlanParams
from plangate_proto.aiserver.v1.plan_service_pb2 import CreatePlanRequest, ReviewPlanRequest
from tests.helpers.clock import SkippingClock
from tests.helpers.gate import Gate, decision, proposal
from tests.helpers.refusals import refused
from tests.helpers.streams import cut_off, next_of, rest_of, types
from tests.rpc.steps import build, told, updated, waiting

AN_HOUR = ReviewOptions(expires_after=Duration(seconds=3600))


async def test_a_review_that_nobody_decides_expires(gate: Gate, clock: SkippingClock) -> None:
    """The stream tells of it and ends; the plan is expired, and nobody has decided."""
    plan = await gate.propose(proposal(review=AN_HOUR))
    assert plan.review.expire_time.ToDatetime() - plan.review.request_time.ToDatetime() == timedelta(hours=1)
    clock.skip(hours=1)
    events = [response.event for response in await rest_of(waiting(gate, plan))]
    assert types(events)[-1] == "REVIEW_EXPIRED"
    assert events[-1].actor == "plangate"
    now = await gate.get(plan.plan_uri)
    assert now.state == PlanState.PLAN_STATE_EXPIRED
    assert now.review.outcome == ReviewOutcome.REVIEW_OUTCOME_EXPIRED
    assert not now.review.decisions
    assert (await refused(build(gate, plan))).reason == "NOT_APPROVED"


async def test_a_decision_after_the_time_is_refused(gate: Gate, clock: SkippingClock) -> None:
    """Who comes too late is told that it expired."""
    plan = await gate.propose(proposal(review=AN_HOUR))
    clock.skip(hours=1)
    await rest_of(waiting(gate, plan))
    refusal = await refused(gate.reviews.SubmitReview(decision(plan, "approve")))
    assert (refusal.status, refusal.reason) == ("FAILED_PRECONDITION", "ALREADY_DECIDED")
    assert refusal.metadata["outcome"] == "EXPIRED"


async def test_a_stream_of_aiserver_ends_with_the_reason(gate: Gate, clock: SkippingClock) -> None:
    """CreatePlan has no result for an expired review: it fails with REVIEW_EXPIRED, and so do later calls."""
    request = CreatePlanRequest(params=CreatePlanParams(plan="# Plan"), review=AN_HOUR)
    stream = gate.aiserver.CreatePlan(request)
    uri = (await next_of(stream)).event.plan_uri
    clock.skip(hours=1)
    updates, refusal = await cut_off(stream)
    again = await cut_off(gate.aiserver.ReviewPlan(ReviewPlanRequest(plan_uri=uri)))
    assert types([update.event for update in updates])[-1] == "REVIEW_EXPIRED"
    for end in (refusal, again[1]):
        assert (end.status, end.reason) == ("FAILED_PRECONDITION", "REVIEW_EXPIRED")
        assert end.metadata["plan_uri"] == uri


async def test_a_decision_in_time_counts(gate: Gate) -> None:
    """A review with time left is decided like any other."""
    plan = await gate.propose(proposal(review=AN_HOUR))
    answer = await gate.decide(plan, "approve")
    assert answer.review.outcome == ReviewOutcome.REVIEW_OUTCOME_APPROVED


async def test_the_time_begins_anew_with_a_new_revision(gate: Gate) -> None:
    """A new revision is reviewed as the one before, unless it says otherwise."""
    plan = await gate.propose(proposal(review=AN_HOUR))
    new = await updated(gate, plan, "# Second")
    assert new.review.expire_time.ToDatetime() > plan.review.expire_time.ToDatetime()
    assert not (await updated(gate, new, "# Third", review=ReviewOptions())).review.HasField("expire_time")


@pytest.mark.parametrize("asked", [None, ReviewOptions()], ids=["left out", "empty"])
async def test_a_proposal_has_the_terms_that_it_asks_for(gate: Gate, asked: ReviewOptions | None) -> None:
    """Not those of the session's plan before it: what is left out is the default, without a clock."""
    strict = ReviewOptions(expires_after=AN_HOUR.expires_after, required_approvals=2)
    await gate.propose(proposal(session_id="s", review=strict))
    new = await gate.propose(proposal("# Second", session_id="s", review=asked))
    assert (new.revision, new.review.required_approvals) == (2, 1)
    assert not new.review.HasField("expire_time")
    stream = gate.aiserver.CreatePlan(
        CreatePlanRequest(params=CreatePlanParams(plan="# Third"), session_id="s", review=asked)
    )
    event = (await next_of(stream)).event
    stream.cancel()
    assert not event.review.HasField("expire_time")


async def test_the_same_text_under_other_terms_is_a_new_question(gate: Gate) -> None:
    """Terms that a proposal asks for are never ignored: with others, people are asked anew."""
    strict = ReviewOptions(expires_after=AN_HOUR.expires_after, required_approvals=3)
    first = await gate.propose(proposal(session_id="s", review=strict))
    assert await gate.propose(proposal(session_id="s", review=strict)) == first
    second = await gate.propose(proposal(session_id="s"))
    assert (second.revision, second.review.required_approvals) == (2, 1)
    assert not second.review.HasField("expire_time")
    assert second.digest == first.digest
    await gate.decide(second, "approve")
    third = await gate.propose(proposal(session_id="s", review=ReviewOptions(required_approvals=3)))
    assert (third.revision, third.review.required_approvals) == (3, 3)
    assert (await refused(build(gate, third))).reason == "NOT_APPROVED"
    assert (await refused(gate.reviews.SubmitReview(decision(second, "approve")))).reason == "STALE_REVISION"


async def test_the_same_text_under_the_same_terms_stays_approved(gate: Gate) -> None:
    """A default that is spelled out is no other term, and nobody is asked twice."""
    plan = await gate.propose(proposal(session_id="s"))
    await gate.decide(plan, "approve")
    for review in (None, ReviewOptions(), ReviewOptions(required_approvals=1)):
        again = await gate.propose(proposal(session_id="s", review=review))
        assert (again.revision, again.state) == (1, PlanState.PLAN_STATE_APPROVED)
        again = await updated(gate, plan, plan.plan, review=review)
        assert (again.revision, again.state) == (1, PlanState.PLAN_STATE_APPROVED)


async def test_an_update_of_the_terms_alone(gate: Gate) -> None:
    """The same text with another review is a new revision under that review."""
    plan = await gate.propose(proposal(review=AN_HOUR))
    assert await updated(gate, plan, plan.plan) == plan
    new = await updated(gate, plan, plan.plan, review=ReviewOptions(required_approvals=2))
    assert (new.revision, new.digest, new.review.required_approvals) == (2, plan.digest, 2)
    assert not new.review.HasField("expire_time")


async def test_new_todos_are_reviewed_under_the_terms_of_the_plan(gate: Gate) -> None:
    """Whoever writes todos says nothing about the review: it is as before."""
    strict = ReviewOptions(expires_after=AN_HOUR.expires_after, required_approvals=3)
    plan = await gate.propose(proposal(review=strict))
    args = UpdateTodosArgs(todos=[TodoItem(content="Sweep")], merge=True)
    await gate.agent.UpdateTodos(UpdateTodosRequest(plan_uri=plan.plan_uri, args=args))
    now = await gate.get(plan.plan_uri)
    assert (now.revision, now.review.required_approvals) == (2, 3)
    assert now.review.HasField("expire_time")


async def test_an_expired_plan_can_be_revised(gate: Gate, clock: SkippingClock) -> None:
    """The agent may ask again with another text."""
    plan = await gate.propose(proposal(review=AN_HOUR))
    stream = waiting(gate, plan)
    await next_of(stream)
    clock.skip(hours=1)
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
