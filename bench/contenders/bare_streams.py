"""What gRPC alone allows in streams: bytes that are encoded already, to everybody who watches.

Contender and server in one: ``python -m bench.contenders.bare_streams`` is the server.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import grpc

from bench import process
from bench.contenders import canned
from bench.contenders.floor import Context, Plans
from bench.contenders.serving import serve
from bench.parts import Contender
from plangate_proto.agent.v1 import plan_service_pb2 as plans_pb
from plangate_proto.agent.v1 import plan_service_pb2_grpc as plans_grpc


@asynccontextmanager
async def _running(folder: Path) -> AsyncIterator[str]:
    async with process.python("-m", __spec__.name) as address:
        yield address


BARE_STREAMS = Contender(
    "bare streams",
    "a bare grpc.aio server that sends the same bytes to every stream at each CreatePlan",
    _running,
)


class Watched(Plans):
    """Tells every watcher of each plan."""

    def __init__(self) -> None:
        super().__init__({})
        self._waiting: set[asyncio.Queue[bytes]] = set()

    async def CreatePlan(
        self, request: plans_pb.CreatePlanRequest, context: Context
    ) -> plans_pb.CreatePlanResponse:
        for event in canned.PROPOSED:
            for queue in self._waiting:
                queue.put_nowait(event)
        return await super().CreatePlan(request, context)

    async def watch(self, request: bytes, context: Context) -> None:
        """WatchReviews, without a thought for what was asked."""
        queue: asyncio.Queue[bytes] = asyncio.Queue()
        self._waiting.add(queue)
        try:
            await context.write(canned.CHECKPOINT)
            while True:
                await context.write(await queue.get())
        finally:
            self._waiting.discard(queue)


WATCHED: Final[type[Any]] = Watched
"""Some of its methods are left out: they are not called."""


def _fill(server: grpc.aio.Server) -> None:
    plans = WATCHED()
    plans_grpc.add_PlanServiceServicer_to_server(plans, server)
    # Without a serialiser, what is written goes out as it is.
    watch: grpc.RpcMethodHandler[bytes, bytes] = grpc.unary_stream_rpc_method_handler(plans.watch)
    reviews = grpc.method_handlers_generic_handler("aiserver.v1.PlanReviewService", {"WatchReviews": watch})
    server.add_generic_rpc_handlers((reviews,))


if __name__ == "__main__":
    asyncio.run(serve(_fill))
