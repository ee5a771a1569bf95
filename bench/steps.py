"""What agents and people do with a plan, call by call."""

from __future__ import annotations

from typing import Final
from uuid import uuid4

from bench.measurements import methods
from bench.wire import Connection
from plangate_proto.agent.v1.plan_resource_pb2 import Plan
from plangate_proto.agent.v1.plan_service_pb2 import (
    CreatePlanResponse,
    ReviewPlanRequest,
    ReviewPlanResponse,
)
from plangate_proto.agent.v1.review_event_pb2 import ReviewEventType
from plangate_proto.aiserver.v1.human_review_pb2 import HumanReview
from plangate_proto.aiserver.v1.plan_review_service_pb2 import SubmitReviewRequest

ROUND_TRIP_EVENTS: Final = [
    ReviewEventType.REVIEW_EVENT_TYPE_SNAPSHOT,
    ReviewEventType.REVIEW_EVENT_TYPE_PLAN_APPROVED,
]


async def create(connection: Connection, request: bytes) -> Plan:
    """The agent proposes."""
    created = await connection.unary(methods.CREATE_PLAN, request)
    return CreatePlanResponse.FromString(created).plan


async def approve(connection: Connection, plan: Plan) -> None:
    """The person agrees to what they saw."""
    approval = SubmitReviewRequest(
        approval_request_id=plan.review.approval_request_id,
        human_review=HumanReview(selected_option="approve"),
        revision=plan.revision,
        digest=plan.digest,
        request_id=str(uuid4()),
    )
    await connection.unary(methods.SUBMIT_REVIEW, approval.SerializeToString())


async def round_trip(agent: Connection, person: Connection, request: bytes) -> Plan:
    """The agent proposes and waits for the decision; the person agrees."""
    plan = await create(agent, request)
    watch = ReviewPlanRequest(plan_uri=plan.plan_uri).SerializeToString()
    seen: list[ReviewEventType.ValueType] = []
    async for message in agent.call(methods.REVIEW_PLAN, watch):
        if not seen:
            await approve(person, plan)
        seen.append(ReviewPlanResponse.FromString(message).event.type)
    if seen != ROUND_TRIP_EVENTS:
        raise RuntimeError(f"the stream of a plan carried {seen} and not {ROUND_TRIP_EVENTS}")
    return plan
