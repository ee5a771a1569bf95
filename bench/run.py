"""Takes the samples of a measurement: all contenders up, one after the other in turn."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TypeAlias

from bench.parts import Contender, Measurement, Open, Sample, Sampler

Samples: TypeAlias = Mapping[tuple[int, Contender], list[Sample]]
"""By number of callers and contender, one per repeat."""


async def measure(measurement: Measurement, *, seconds: float, repeats: int) -> Samples:
    """Start the contenders, load them, stop them."""
    async with AsyncExitStack() as stack:
        samplers = {
            contender: await _start(stack, contender, connect)
            for contender, connect in measurement.contenders.items()
        }
        samples: dict[tuple[int, Contender], list[Sample]] = {}
        for callers in measurement.callers:
            for _ in range(repeats):
                for contender, sampler in samplers.items():
                    taken = await sampler(callers, seconds)
                    samples.setdefault((callers, contender), []).append(taken)
        return samples


async def _start(stack: AsyncExitStack, contender: Contender, connect: Open) -> Sampler:
    folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="plangate-bench-"))
    address = await stack.enter_async_context(contender.running(Path(folder)))
    return await stack.enter_async_context(connect(address))
