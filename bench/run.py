"""Takes the samples of a measurement: all contenders up, one after the other in turn."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import TypeAlias

from bench.parts import Contender, Measurement, Sample

Samples: TypeAlias = Mapping[tuple[int, Contender], list[Sample]]
"""By number of callers and contender, one per repeat."""

Addresses: TypeAlias = Mapping[Contender, str]


@asynccontextmanager
async def running(measurements: Iterable[Measurement]) -> AsyncIterator[Addresses]:
    """Start every contender of the measurements once, and stop them all in the end."""
    contenders = dict.fromkeys(c for measurement in measurements for c in measurement.contenders)
    async with AsyncExitStack() as stack:
        addresses = {}
        for contender in contenders:
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="plangate-bench-"))
            addresses[contender] = await stack.enter_async_context(contender.running(Path(folder)))
        yield addresses


async def measure(measurement: Measurement, at: Addresses, *, seconds: float, repeats: int) -> Samples:
    """Load the contenders in turn."""
    async with AsyncExitStack() as stack:
        samplers = {
            contender: await stack.enter_async_context(connect(at[contender]))
            for contender, connect in measurement.contenders.items()
        }
        samples: dict[tuple[int, Contender], list[Sample]] = {}
        for callers in measurement.callers:
            for _ in range(repeats):
                for contender, sampler in samplers.items():
                    taken = await sampler(callers, seconds)
                    samples.setdefault((callers, contender), []).append(taken)
        return samples
