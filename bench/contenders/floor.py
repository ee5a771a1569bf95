"""What gRPC alone allows: the same calls and messages on a bare server, storage and logic removed.

Contender and server in one: ``python -m bench.contenders.floor`` is the server.
"""

from __future__ import annotations

import asyncio
import itertools
import signal
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import grpc

from bench import process
from bench.contenders import canned
from bench.parts import Contender
from plangate_proto.agent.v1 import plan_service_pb2 as plans_pb
from plangate_proto.agent.v1 import plan_service_pb2_grpc as plans_grpc
from plangate_proto.aiserver.v1 import plan_review_service_pb2 as reviews_pb
from plangate_proto.aiserver.v1 import plan_review_service_pb2_grpc as reviews_grpc
from plangate_server.domain.plan import plan_id_of
from plangate_server.rpc.server import OPTIONS

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


SERVICES: Final[tuple[tuple[type[Any], Callable[[Any, grpc.aio.Server], None]], ...]] = (
    (Plans, plans_grpc.add_PlanServiceServicer_to_server),
    (Reviews, reviews_grpc.add_PlanReviewServiceServicer_to_server),
)


async def serve() -> None:
    """Serve until SIGINT or SIGTERM."""
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    server = grpc.aio.server(options=OPTIONS)
    decided: dict[str, asyncio.Event] = {}
    for servicer, add in SERVICES:
        add(servicer(decided), server)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    print(f"gRPC 127.0.0.1:{port}", flush=True)
    await stop.wait()
    await server.stop(grace=None)


if __name__ == "__main__":
    asyncio.run(serve())
