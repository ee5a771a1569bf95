"""Fills databases of several sizes and visits them in turn."""

from __future__ import annotations

import asyncio
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from bench import process
from bench.growth import seed
from bench.growth.databases import Kind, check_room
from bench.growth.multiply import multiply
from bench.growth.operations import Latencies, Old, Visitor
from bench.measurements import methods
from bench.wire import Connection, connected
from plangate_proto.agent.v1.plan_resource_pb2 import Plan
from plangate_proto.agent.v1.plan_service_pb2 import GetPlanRequest

SEEDS: Final = 200
"""How many plans are made by the server, the rest being their copies; and how many more wait, at any size."""
EMPTY: Final = 1
"""The plan without which a server could not show that it answers."""


@dataclass(slots=True)
class Grown:
    """What was seen of a database at one size."""

    plans: int
    url: str
    old: Old
    waiting: Sequence[Plan]
    starts: list[float] = field(default_factory=list)
    """Seconds from starting the process to its answer to a GetPlan."""
    latencies: Latencies = field(default_factory=dict)


async def grow(kind: Kind, sizes: Sequence[int], *, seconds: float, repeats: int) -> list[Grown]:
    """A database that is all but empty, and one of each size."""
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="plangate-bench-")))
        check_room(folder, sizes)
        make = await stack.enter_async_context(kind.running(folder))
        seeds = min(SEEDS, *sizes)
        urls = {size: await make(f"with_{size}") for size in (EMPTY, *sizes)}
        fills = (_fill(url, size, min(seeds, size)) for size, url in urls.items())
        databases = await asyncio.gather(*fills)
        for _ in range(repeats - 1):
            for database in databases:
                async with AsyncExitStack() as briefly:
                    await _start(briefly, database)
        visitors = [Visitor(await _start(stack, d), d.old, d.waiting) for d in databases]
        for _ in range(repeats):
            # Nothing but its start is of interest in the empty one.
            for database, visitor in zip(databases[1:], visitors[1:], strict=True):
                await visitor.stay(seconds, database.latencies)
        return databases


async def _fill(url: str, plans: int, seeds: int) -> Grown:
    print(f"filling a database with {plans:,} plans", file=sys.stderr, flush=True)
    async with process.plangate(url) as address:
        sown = await seed.sow(address, seeds)
    copies = plans // seeds - 1
    ids = [plan.plan_id for plan in sown.waiting]
    await asyncio.to_thread(multiply, url, copies, waiting=ids)
    return Grown((copies + 1) * seeds, url, Old(sown.approved, copies), sown.waiting)


async def _start(stack: AsyncExitStack, database: Grown) -> Connection:
    request = GetPlanRequest(plan_uri=database.old.any_uri()).SerializeToString()
    started = time.perf_counter()
    address = await stack.enter_async_context(process.plangate(database.url))
    connection = await stack.enter_async_context(connected(address))
    await connection.unary(methods.GET_PLAN, request)
    database.starts.append(time.perf_counter() - started)
    return connection
