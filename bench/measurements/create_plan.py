"""CreatePlan alone: one durable write."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from bench.contenders.floor import FLOOR
from bench.contenders.postgres import POSTGRES
from bench.contenders.sqlite import SQLITE
from bench.load import callers_of
from bench.measurements import methods
from bench.parts import Measurement, Sampler
from bench.plan import create_request
from bench.wire import connected


@asynccontextmanager
async def _open(address: str) -> AsyncIterator[Sampler]:
    async with connected(address) as connection:
        yield callers_of(lambda: connection.unary(methods.CREATE_PLAN, create_request()))


CREATE_PLAN = Measurement(
    "CreatePlan",
    "One call, each with a request_id of its own.",
    {FLOOR: _open, SQLITE: _open, POSTGRES: _open},
)
