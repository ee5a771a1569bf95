"""GetPlan: a read of one plan."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from bench.contenders.floor import FLOOR
from bench.contenders.sqlite import SQLITE
from bench.load import callers_of
from bench.measurements import methods
from bench.parts import Measurement, Sampler
from bench.plan import create_request
from bench.wire import connected
from plangate_proto.agent.v1.plan_service_pb2 import CreatePlanResponse, GetPlanRequest


@asynccontextmanager
async def _open(address: str) -> AsyncIterator[Sampler]:
    async with connected(address) as connection:
        created = CreatePlanResponse.FromString(await connection.unary(methods.CREATE_PLAN, create_request()))
        request = GetPlanRequest(plan_uri=created.plan.plan_uri).SerializeToString()
        yield callers_of(lambda: connection.unary(methods.GET_PLAN, request))


GET_PLAN = Measurement(
    "GetPlan",
    "One call; all callers read the same plan.",
    {FLOOR: _open, SQLITE: _open},
)
