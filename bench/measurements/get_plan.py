"""GetPlan: a read of one plan."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from bench import steps
from bench.contenders.floor import FLOOR
from bench.contenders.postgres import POSTGRES
from bench.contenders.sqlite import SQLITE
from bench.load import callers_of
from bench.measurements import methods
from bench.parts import Goal, Measurement, Sampler
from bench.plan import create_request
from bench.wire import connected
from plangate_proto.agent.v1.plan_service_pb2 import GetPlanRequest


@asynccontextmanager
async def _open(address: str) -> AsyncIterator[Sampler]:
    async with connected(address) as connection:
        plan = await steps.create(connection, create_request())
        request = GetPlanRequest(plan_uri=plan.plan_uri).SerializeToString()
        yield callers_of(lambda: connection.unary(methods.GET_PLAN, request))


GET_PLAN = Measurement(
    "GetPlan",
    "One call; all callers read the same plan.",
    {FLOOR: _open, SQLITE: _open, POSTGRES: _open},
    goals=(Goal(SQLITE, FLOOR, 64, 0.70), Goal(POSTGRES, FLOOR, 64, 0.70)),
)
