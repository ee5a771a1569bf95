"""Four times that reviewers see: decided, delivered, acknowledged, consumed."""

from plangate_proto.agent.v1.plan_service_pb2 import AcknowledgeDecisionRequest
from plangate_proto.agent.v1.review_resource_pb2 import Review
from plangate_proto.aiserver.v1.plan_service_pb2 import ReviewPlanRequest
from tests.helpers.gate import Gate
from tests.helpers.refusals import refused
from tests.helpers.streams import WatchedHub, next_of, rest_of
from tests.rpc.steps import approved, build, told, updated, waiting, with_todos

RECEIPTS = ("decide_time", "deliver_time", "acknowledge_time", "consume_time")


def receipts(review: Review) -> list[str]:
    return [name for name in RECEIPTS if review.HasField(name)]  # type: ignore[arg-type]


async def acknowledge(gate: Gate, approval_request_id: str, request_id: str = "") -> Review:
    request = AcknowledgeDecisionRequest(
        approval_request_id=approval_request_id, agent_id="agent-1", request_id=request_id
    )
    return (await gate.agent.AcknowledgeDecision(request)).review


async def test_each_receipt_is_recorded_when_it_happens(gate: Gate) -> None:
    """Decided, carried by a stream, acknowledged, built: each step adds its time, in order."""
    plan = await gate.propose(with_todos())
    assert receipts(plan.review) == []
    stream = waiting(gate, plan)
    await next_of(stream)
    assert receipts((await gate.decide(plan, "approve")).review) == ["decide_time"]
    await rest_of(stream)
    assert receipts((await gate.get(plan.plan_uri)).review) == ["decide_time", "deliver_time"]
    acknowledged = await acknowledge(gate, plan.review.approval_request_id)
    assert receipts(acknowledged) == ["decide_time", "deliver_time", "acknowledge_time"]
    await build(gate, plan)
    review = (await gate.get(plan.plan_uri)).review
    times = [getattr(review, name).ToNanoseconds() for name in RECEIPTS]
    assert times == sorted(times)
    assert (await told(gate, plan))[2:] == [
        "PLAN_APPROVED",
        "DECISION_DELIVERED",
        "DECISION_ACKNOWLEDGED",
        "BUILD_STARTED",
    ]


async def test_a_decision_is_delivered_once(gate: Gate) -> None:
    """However many streams carry it, in whichever vocabulary, the first one counts."""
    plan = await gate.propose(with_todos())
    streams = [waiting(gate, plan), gate.aiserver.ReviewPlan(ReviewPlanRequest(plan_uri=plan.plan_uri))]
    for stream in streams:
        await next_of(stream)
    await gate.decide(plan, "reject")
    for stream in streams:
        await rest_of(stream)
    first = (await gate.get(plan.plan_uri)).review.deliver_time
    await rest_of(waiting(gate, plan))
    assert (await gate.get(plan.plan_uri)).review.deliver_time == first
    assert (await told(gate, plan)).count("DECISION_DELIVERED") == 1


async def test_a_stream_that_broke_off_before_delivers_nothing(gate: Gate, hub: WatchedHub) -> None:
    """Without a stream that carried it, a decision is not taken for delivered."""
    plan = await gate.propose(with_todos())
    stream = waiting(gate, plan)
    await next_of(stream)
    stream.cancel()
    await hub.until_followers(0)
    await gate.decide(plan, "approve")
    assert receipts((await gate.get(plan.plan_uri)).review) == ["decide_time"]


async def test_acknowledging_twice_changes_nothing(gate: Gate) -> None:
    """The first time counts, with the same request_id and with none."""
    plan = await approved(gate)
    first = await acknowledge(gate, plan.review.approval_request_id, "r1")
    assert await acknowledge(gate, plan.review.approval_request_id, "r1") == first
    assert await acknowledge(gate, plan.review.approval_request_id) == first
    assert (await told(gate, plan)).count("DECISION_ACKNOWLEDGED") == 1


async def test_nothing_decided_is_nothing_to_acknowledge(gate: Gate) -> None:
    """An open review, and one that does not exist, are refused."""
    plan = await gate.propose()
    refusal = await refused(acknowledge(gate, plan.review.approval_request_id))
    assert (refusal.status, refusal.reason) == ("FAILED_PRECONDITION", "WRONG_STATE")
    assert (await refused(acknowledge(gate, "nothing"))).reason == "REVIEW_NOT_FOUND"
    assert (await refused(acknowledge(gate, ""))).reason == "MISSING_FIELD"


async def test_a_receipt_is_for_the_decision_that_it_names(gate: Gate) -> None:
    """Acknowledging an older review is no receipt for the decision about a newer one."""
    old = await gate.propose()
    await gate.decide(old, "requestChanges", "Sweep twice")
    new = await updated(gate, old, "# Sweep twice")
    await gate.decide(new, "approve")
    await refused(acknowledge(gate, old.review.approval_request_id))
    assert receipts((await gate.get(old.plan_uri)).review) == ["decide_time"]
