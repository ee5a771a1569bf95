"""Somebody who works as always while others flood the server, and how long they wait for their answers."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable
from dataclasses import dataclass, field
from typing import Final, TypeVar

from bench import steps
from bench.measurements import methods
from bench.plan import create_request
from bench.wire import Connection
from plangate_proto.agent.v1.plan_service_pb2 import GetPlanRequest

Answered = TypeVar("Answered")

PAUSE_SECONDS: Final = 0.005
"""Between one plan and the next."""


@dataclass(slots=True)
class Waits:
    """Seconds that each call took."""

    reads: list[float] = field(default_factory=list)
    writes: list[float] = field(default_factory=list)


async def work(connection: Connection, over: asyncio.Event) -> Waits:
    """Propose, read and approve plan after plan, at least one."""
    waits = Waits()
    while not (over.is_set() and waits.reads):
        plan = await _timed(waits.writes, steps.create(connection, create_request()))
        read = GetPlanRequest(plan_uri=plan.plan_uri).SerializeToString()
        await _timed(waits.reads, connection.unary(methods.GET_PLAN, read))
        await _timed(waits.writes, steps.approve(connection, plan))
        await asyncio.sleep(PAUSE_SECONDS)
    return waits


async def read_at_intervals(connection: Connection, over: asyncio.Event) -> list[float]:
    """Read a plan every few milliseconds, whether the last was answered or not: however long a server answers
    nobody, that time counts by its length.
    """
    plan = await steps.create(connection, create_request())
    request = GetPlanRequest(plan_uri=plan.plan_uri).SerializeToString()
    waits, reads = list[float](), list[asyncio.Task[bytes]]()
    while not (over.is_set() and reads):
        reads.append(asyncio.create_task(_timed(waits, connection.unary(methods.GET_PLAN, request))))
        await asyncio.sleep(2 * PAUSE_SECONDS)
    await asyncio.gather(*reads)
    return waits


async def work_for(connection: Connection, seconds: float) -> Waits:
    over = asyncio.Event()
    asyncio.get_running_loop().call_later(seconds, over.set)
    return await work(connection, over)


async def _timed(waits: list[float], call: Awaitable[Answered]) -> Answered:
    begun = time.perf_counter()
    answer = await call
    waits.append(time.perf_counter() - begun)
    return answer
