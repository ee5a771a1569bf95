"""The approval round trip: what an agent and a person do with every plan."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final
from uuid import uuid4

from bench.contenders.floor import FLOOR
from bench.contenders.sqlite import SQLITE
from bench.load import callers_of
from bench.measurements import methods
from bench.parts import Measurement, Sampler
from bench.plan import create_request
from bench.wire import Connection, connected
from plangate_proto.agent.v1.plan_resource_pb2 import Plan
from plangate_proto.agent.v1.plan_service_pb2 import (
    CreatePlanResponse,
    ReviewPlanRequest,
    ReviewPlanResponse,
)
from plangate_proto.agent.v1.review_event_pb2 import ReviewEventType
from plangate_proto.aiserver.v1.human_review_pb2 import HumanReview
from plangate_proto.aiserver.v1.plan_review_service_pb2 import SubmitReviewRequest

EXPECTED: Final = [
    ReviewEventType.REVIEW_EVENT_TYPE_SNAPSHOT,
    ReviewEventType.REVIEW_EVENT_TYPE_PLAN_APPROVED,
]


@asynccontextmanager
async def _open(address: str) -> AsyncIterator[Sampler]:
    async with connected(address) as connection:
        yield callers_of(lambda: _round_trip(connection))


async def _round_trip(connection: Connection) -> None:
    created = await connection.unary(methods.CREATE_PLAN, create_request())
    plan = CreatePlanResponse.FromString(created).plan
    watch = ReviewPlanRequest(plan_uri=plan.plan_uri).SerializeToString()
    seen: list[ReviewEventType.ValueType] = []
    async for message in connection.call(methods.REVIEW_PLAN, watch):
        if not seen:
            await connection.unary(methods.SUBMIT_REVIEW, _approval(plan))
        seen.append(ReviewPlanResponse.FromString(message).event.type)
    if seen != EXPECTED:
        raise RuntimeError(f"the stream of a plan carried {seen} and not {EXPECTED}")


def _approval(plan: Plan) -> bytes:
    return SubmitReviewRequest(
        approval_request_id=plan.review.approval_request_id,
        human_review=HumanReview(selected_option="approve"),
        revision=plan.revision,
        digest=plan.digest,
        request_id=str(uuid4()),
    ).SerializeToString()


ROUND_TRIP = Measurement(
    "Approval round trip",
    "CreatePlan; a new ReviewPlan stream shows the snapshot; SubmitReview approves; the stream carries the "
    "decision and ends.",
    {FLOOR: _open, SQLITE: _open},
)
