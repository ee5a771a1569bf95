"""Very many watchers to whom nothing happens for a while: what they cost, and when the last one is told."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from bench.contenders.bare_streams import BARE_STREAMS
from bench.crowd import Crowd, watching
from bench.markdown import aligned
from bench.measurements import methods
from bench.parts import Contender
from bench.plan import create_request
from bench.process import Address
from bench.targets import Target
from bench.wire import Connection, connected

PER_CONNECTION: Final = 100
KILOBYTES: Final = 32
WARM_UP: Final = 100
"""How many watchers come and go first, so that what the first ones need is not counted."""
COLUMNS: Final = ("contender", "watchers", "open after s", "KB per watcher", "told the last after ms")


@dataclass(frozen=True, slots=True)
class Idle:
    contender: Contender
    watchers: int
    open_seconds: float
    bytes_each: float
    last_seconds: float


async def idle(contender: Contender, address: str, watchers: int) -> Idle:
    """Open the streams, look at the server's memory, and make one event; the server must be a fresh one."""
    if not isinstance(address, Address):
        raise TypeError(f"{contender.name} does not tell its process")
    async with connected(address) as creator:
        async with watching(address, min(WARM_UP, watchers), per_connection=PER_CONNECTION) as crowd:
            await _tell(crowd, creator)
        memory, started = address.resident_bytes(), time.perf_counter()
        async with watching(address, watchers, per_connection=PER_CONNECTION) as crowd:
            opened, more = time.perf_counter() - started, address.resident_bytes() - memory
            last = await _tell(crowd, creator)
        return Idle(contender, watchers, opened, more / watchers, last)


async def _tell(crowd: Crowd, creator: Connection) -> float:
    """Create a plan; gives the seconds until the last watcher has it."""
    wanted, started = crowd.arrived + crowd.plans(1), time.perf_counter()
    await creator.unary(methods.CREATE_PLAN, create_request())
    await crowd.reach(wanted)
    took = time.perf_counter() - started
    crowd.check()
    return took


def section(seen: Sequence[Idle]) -> str:
    rows = [
        (
            each.contender.name,
            f"{each.watchers:,}",
            f"{each.open_seconds:.1f}",
            f"{each.bytes_each / 1024:.1f}",
            f"{each.last_seconds * 1000:,.0f}",
        )
        for each in seen
    ]
    note = (
        f"WatchReviews streams, {PER_CONNECTION} on a connection, that are opened and then wait; how much "
        "the server's process grew meanwhile (its resident set); then a plan is created, and all are told."
    )
    return f"## Idle watchers\n\n{note}\n\n{aligned([COLUMNS, *rows])}\n"


def targets(seen: Sequence[Idle]) -> list[Target]:
    ours = [each for each in seen if each.contender is not BARE_STREAMS]
    return [
        Target(
            f"Memory for each of {each.watchers:,} idle watchers: {each.contender.name}",
            each.bytes_each / 1024,
            KILOBYTES,
            at_least=False,
            unit=" KB",
        )
        for each in ours
    ]
