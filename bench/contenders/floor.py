"""What gRPC alone allows: the same calls and messages on a bare server, storage and logic removed.

Contender and server in one: ``python -m bench.contenders.floor`` is the server.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import grpc

from bench import process
from bench.contenders import canned
from bench.contenders.serving import serve
from bench.parts import Contender
from plangate_proto.agent.v1 import plan_service_pb2 as plans_pb
from plangate_proto.agent.v1 import plan_service_pb2_grpc as plans_grpc
from plangate_proto.aiserver.v1 import plan_review_service_pb2 as reviews_pb
from plangate_proto.aiserver.v1 import plan_review_service_pb2_grpc as reviews_grpc
from plangate_server.domain.plan import plan_id_of

Context = grpc.aio.ServicerContext[Any, Any]


@asynccontextmanager
async def _running(folder: Path) -> AsyncIterator[str]:
    async with process.python("-m", __spec__.name) as address:
        yield address


FLOOR = Contender("floor", "a bare grpc.aio server that gives canned answers", _running)


class Plans(plans_grpc.PlanServiceServicer):
    def __init__(self, decided: dict[str, asyncio.Event]) -> None:
        self._decided = decided
        self._numbers = itertools.count(1)

    async def CreatePlan(
        self, request: plans_pb.CreatePlanRequest, context: Context
    ) -> plans_pb.CreatePlanResponse:
        return canned.created(next(self._numbers))

    async def GetPlan(self, request: plans_pb.GetPlanRequest, context: Context) -> plans_pb.GetPlanResponse:
        return canned.GOTTEN

    async def UpdateTodos(
        self, request: plans_pb.UpdateTodosRequest, context: Context
    ) -> plans_pb.UpdateTodosResponse:
        return canned.UPDATED

    async def ReviewPlan(
        self, request: plans_pb.ReviewPlanRequest, context: Context
    ) -> AsyncGenerator[plans_pb.ReviewPlanResponse]:
        plan_id = plan_id_of(request.plan_uri)
        self._decided[plan_id] = asyncio.Event()
        try:
            yield canned.SNAPSHOT
            await self._decided[plan_id].wait()
            yield canned.APPROVED
        finally:
            del self._decided[plan_id]


class Reviews(reviews_grpc.PlanReviewServiceServicer):
    def __init__(self, decided: dict[str, asyncio.Event]) -> None:
        self._decided = decided

    async def SubmitReview(
        self, request: reviews_pb.SubmitReviewRequest, context: Context
    ) -> reviews_pb.SubmitReviewResponse:
        self._decided[request.approval_request_id].set()
        return canned.SUBMITTED


# Some of their methods are left out: they are not called.
SERVICES: Final[tuple[tuple[type[Any], Callable[[Any, grpc.aio.Server], None]], ...]] = (
    (Plans, plans_grpc.add_PlanServiceServicer_to_server),
    (Reviews, reviews_grpc.add_PlanReviewServiceServicer_to_server),
)


def _fill(server: grpc.aio.Server) -> None:
    decided: dict[str, asyncio.Event] = {}
    for servicer, add in SERVICES:
        add(servicer(decided), server)


if __name__ == "__main__":
    asyncio.run(serve(_fill))
