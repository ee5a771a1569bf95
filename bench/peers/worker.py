"""What all peers' files share: takes orders from standard input, loads the peer, answers on standard output.

It says ``ready``, then takes lines ``{"callers": n, "seconds": s}`` and answers each with one line
``{"per_second": …, "latencies": […], "load_cores": …}``; it ends when there are no more.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final, TextIO, TypeAlias

Plan: TypeAlias = dict[str, Any]

RoundTrip: TypeAlias = Callable[[Plan], Awaitable[tuple[Plan, str]]]
"""An agent asks for approval of the plan, a person sees it and decides; gives what each of them got."""

Open: TypeAlias = Callable[[str], AbstractAsyncContextManager[RoundTrip]]
"""Makes all ready at the address, and clears up in the end."""

DECISION: Final = "approve"
WARM_UP: Final = 0.2
"""How long the load runs before it is measured, as a share of the time that is."""


@dataclass(frozen=True, slots=True)
class Sample:
    per_second: float
    latencies: list[float]
    load_cores: float


@dataclass(slots=True)
class _Meter:
    counting: bool = False
    over: bool = False
    latencies: list[float] = field(default_factory=list)
    any_ended: asyncio.Event = field(default_factory=asyncio.Event)

    async def caller(self, round_trip: RoundTrip, plan: Plan) -> None:
        """Round trips without a pause until it is over."""
        while not self.over:
            started = time.perf_counter()
            seen, decision = await round_trip(plan)
            took = time.perf_counter() - started
            if seen != plan or decision != DECISION:
                raise RuntimeError(f"the person saw {seen}, the agent got {decision}")
            if self.counting:
                self.latencies.append(took)
                self.any_ended.set()


async def sample(round_trip: RoundTrip, plan: Plan, *, callers: int, seconds: float) -> Sample:
    """Measure for that many seconds, and on until anything has ended; all callers are busy throughout."""
    meter = _Meter()
    async with asyncio.TaskGroup() as group:
        for _ in range(callers):
            group.create_task(meter.caller(round_trip, plan))
        await asyncio.sleep(seconds * WARM_UP)
        meter.counting = True
        started, cpu = time.perf_counter(), time.process_time()
        await asyncio.gather(asyncio.sleep(seconds), meter.any_ended.wait())
        took, used = time.perf_counter() - started, time.process_time() - cpu
        meter.counting, meter.over = False, True
    return Sample(len(meter.latencies) / took, meter.latencies, used / took)


def serve(connect: Open) -> None:
    """The whole program: its arguments are a file with the plan and the address of what the peer needs."""
    plan_file, address = sys.argv[1:]
    plan = json.loads(Path(plan_file).read_text(encoding="utf-8"))
    with _answers() as answers:
        asyncio.run(_serve(connect, address, plan, answers))


def _answers() -> TextIO:
    """Standard output, kept for the answers alone: what libraries print goes to standard error."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return answers


async def _serve(connect: Open, address: str, plan: Plan, answers: TextIO) -> None:
    async with connect(address) as round_trip:
        print("ready", file=answers, flush=True)
        while order := await asyncio.to_thread(sys.stdin.readline):
            taken = await sample(round_trip, plan, **json.loads(order))
            print(json.dumps(asdict(taken)), file=answers, flush=True)
