"""Fan-out: one event to everybody who watches the workspace."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from bench.contenders.bare_streams import BARE_STREAMS
from bench.contenders.postgres import POSTGRES
from bench.contenders.sqlite import SQLITE
from bench.crowd import EVENTS, Crowd, watching
from bench.load import WARM_UP
from bench.measurements import methods
from bench.parts import Goal, Measurement, Sample, Sampler
from bench.plan import create_request
from bench.wire import Connection, connected

PER_CONNECTION: Final = 50
"""How many watchers share a connection."""
AHEAD: Final = 8
"""How many plans may be on their way to the watchers: enough that the server always has something to send,
few enough that no stream is cut off for lagging behind."""


@asynccontextmanager
async def _open(address: str) -> AsyncIterator[Sampler]:
    async with connected(address) as creator:

        async def sample(watchers: int, seconds: float) -> Sample:
            async with watching(address, watchers, per_connection=PER_CONNECTION) as crowd:
                per_second, cores = await _busy(crowd, creator, seconds)
                latencies = await _one_by_one(crowd, creator, seconds / 2)
                crowd.check()
                return Sample(per_second, latencies, cores)

        yield sample


async def _busy(crowd: Crowd, creator: Connection, seconds: float) -> tuple[float, float]:
    """Deliveries per second while there is always something to deliver, and the cores that the load took."""
    over = asyncio.Event()
    async with asyncio.TaskGroup() as group:
        group.create_task(_create(crowd, creator, over))
        await asyncio.sleep(seconds * WARM_UP)
        before, started, cpu = crowd.arrived, time.perf_counter(), time.process_time()
        await asyncio.sleep(seconds)
        await crowd.reach(before + 1)
        delivered, took = crowd.arrived - before, time.perf_counter() - started
        cores = (time.process_time() - cpu) / took
        over.set()
    return delivered / took, cores


async def _create(crowd: Crowd, creator: Connection, over: asyncio.Event) -> None:
    """Plan after plan, never too far ahead of the watchers; in the end they have had them all."""
    before, made = crowd.arrived, 0
    while not over.is_set():
        await creator.unary(methods.CREATE_PLAN, create_request())
        made += 1
        await crowd.reach(before + crowd.plans(made - AHEAD))
    await crowd.reach(before + crowd.plans(made))


async def _one_by_one(crowd: Crowd, creator: Connection, seconds: float) -> list[float]:
    """Seconds from the call that makes a plan to the last watcher who has it, with nothing else to do."""
    latencies: list[float] = []
    until = time.perf_counter() + seconds
    while not latencies or time.perf_counter() < until:
        wanted, started = crowd.arrived + crowd.plans(1), time.perf_counter()
        await creator.unary(methods.CREATE_PLAN, create_request())
        await crowd.reach(wanted)
        latencies.append(time.perf_counter() - started)
    return latencies


FAN_OUT = Measurement(
    "Fan-out",
    f"WatchReviews streams, up to {PER_CONNECTION} on a connection; one creator makes plan after plan, at "
    f"most {AHEAD} ahead of the watchers, and each plan is {EVENTS} messages to each of them. `per second` "
    "counts messages that arrived. `p50` and `p99` are from the call that makes a plan, one at a time, to "
    "the last watcher who has it.",
    {BARE_STREAMS: _open, SQLITE: _open, POSTGRES: _open},
    callers=(1, 100, 1000),
    counted="watchers",
    goals=tuple(
        Goal(contender, BARE_STREAMS, watchers, 0.70)
        for watchers in (100, 1000)
        for contender in (SQLITE, POSTGRES)
    ),
)
