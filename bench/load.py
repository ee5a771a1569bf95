"""Callers that do the same thing again and again for a while, and what came of it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from bench.parts import Sample, Sampler

Operation: TypeAlias = Callable[[], Awaitable[object]]
"""What a caller does again and again; it raises if the answer is not the right one."""

WARM_UP: Final = 0.2
"""How long the load runs before it is measured, as a share of the time that is."""
PATIENCE_SECONDS: Final = 60
"""How long a server may take over what it was asked before the run is given up."""


@dataclass(slots=True)
class _Meter:
    counting: bool = False
    over: bool = False
    latencies: list[float] = field(default_factory=list)
    any_ended: asyncio.Event = field(default_factory=asyncio.Event)

    async def caller(self, operation: Operation) -> None:
        """Do it without a pause until it is over."""
        while not self.over:
            started = time.perf_counter()
            await operation()
            if self.counting:
                self.latencies.append(time.perf_counter() - started)
                self.any_ended.set()


def callers_of(operation: Operation) -> Sampler:
    """Callers in this process who do nothing but this."""
    return lambda callers, seconds: sample(operation, callers=callers, seconds=seconds)


async def sample(operation: Operation, *, callers: int, seconds: float) -> Sample:
    """Measure for that many seconds, and on until anything has ended; all callers are busy throughout."""
    meter = _Meter()
    async with asyncio.timeout(seconds + PATIENCE_SECONDS), asyncio.TaskGroup() as group:
        for _ in range(callers):
            group.create_task(meter.caller(operation))
        await asyncio.sleep(seconds * WARM_UP)
        meter.counting = True
        started, cpu = time.perf_counter(), time.process_time()
        await asyncio.gather(asyncio.sleep(seconds), meter.any_ended.wait())
        took, used = time.perf_counter() - started, time.process_time() - cpu
        meter.counting, meter.over = False, True
    return Sample(len(meter.latencies) / took, meter.latencies, used / took)
