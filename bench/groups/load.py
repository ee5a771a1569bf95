"""Floods, what others notice of them, and what they leave behind."""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from bench import bystander, machine, process, report
from bench.bystander import Waits
from bench.markdown import aligned
from bench.page import Options, Page
from bench.process import Address
from bench.targets import Target
from bench.wire import Connection, connected

TITLE: Final = "Under floods"
HOW: Final = """\
One server on SQLite, with the limits that it has by itself. Somebody with a token of their own proposes,
reads and approves plans, one after the other; another process floods the server meanwhile, and on two cores
takes one of them. `reads` is GetPlan, `writes` CreatePlan and SubmitReview, from the call to its answer.
`before` is a while before the flood, `after` a while after all of its connections are closed."""
FULL: Final = 100_000
"""How many streams are opened and cancelled; the other floods are in proportion."""
SHARES: Final = {"streams": 1.0, "burst": 0.1, "tokens": 0.5, "deaf": 0.0004}
NAMES: Final = {
    "streams": "streams opened and cancelled",
    "burst": "calls in one burst",
    "tokens": "calls with a wrong token",
    "deaf": "seconds of watchers who do not read",
}
CALLS_PER_SECOND: Final = 5000
MEGABYTES: Final = 32
FILES: Final = 4
"""A busy hour makes the server open the database once or twice more, which it keeps."""
SETTLE_LOOKS: Final = 50
MEGABYTE: Final = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Size:
    """What a server takes."""

    resident: float
    descriptors: int
    threads: int

    @classmethod
    def of(cls, address: Address) -> Size:
        return cls(address.resident_bytes() / MEGABYTE, address.descriptors(), address.threads())


@dataclass(frozen=True, slots=True)
class Seen:
    count: int
    seconds: float
    before: Size
    after: Size
    waits: Mapping[str, Waits]


async def run(page: Page, options: Options) -> None:
    page.say(
        report.heading(TITLE, options.command("load", load=(options.load,)), machine.description(), [], HOW)
    )
    with tempfile.TemporaryDirectory(prefix="plangate-bench-") as folder:
        database = f"sqlite:///{folder}/plans.db"
        async with (
            process.plangate(database, calls_per_second=CALLS_PER_SECOND) as address,
            connected(address) as connection,
        ):
            await _warm_up(address, connection, options)
            seen = {name: await _flooded(name, address, connection, options) for name in NAMES}
    page.say(_waits_table(seen))
    page.say(_size_table(seen))
    page.targets += _targets(seen)
    page.say_targets()


async def _warm_up(address: Address, connection: Connection, options: Options) -> None:
    """So that what the first of its kind needs is not counted."""
    for name in NAMES:
        await _flood(name, address, max(_count(name, options) // 20, 1))
    await bystander.work_for(connection, 2 * options.seconds)


async def _flooded(name: str, address: Address, connection: Connection, options: Options) -> Seen:
    count = _count(name, options)
    size = await _settled(address, most=address.descriptors())
    waits = {"before": await bystander.work_for(connection, 2 * options.seconds)}
    over, begun = asyncio.Event(), time.perf_counter()
    working = asyncio.create_task(bystander.work(connection, over))
    await _flood(name, address, count)
    took = time.perf_counter() - begun
    over.set()
    waits["during"] = await working
    after = await _settled(address, most=size.descriptors)
    waits["after"] = await bystander.work_for(connection, 2 * options.seconds)
    return Seen(count, took, size, after, waits)


def _count(name: str, options: Options) -> int:
    return max(round(options.load * SHARES[name]), 1)


async def _flood(name: str, address: Address, count: int) -> None:
    """In a process of its own, or whoever works here would wait for the flood's own work."""
    await process.helper("-m", "bench.floods", name, str(address), str(count))


async def _settled(address: Address, most: int) -> Size:
    """When connections that are gone were noticed, or should have been."""
    for _ in range(SETTLE_LOOKS):
        if address.descriptors() <= most:
            break
        await asyncio.sleep(0.1)
    return Size.of(address)


def _waits_table(seen: Mapping[str, Seen]) -> str:
    rows: list[tuple[str, ...]] = [
        ("flood", "when", "calls", "reads p50 ms", "reads p99 ms", "writes p50 ms", "writes p99 ms")
    ]
    for name, each in seen.items():
        for when, waits in each.waits.items():
            figures = [
                f"{report.percentile(sorted(kind), percent) * 1000:.1f}"
                for kind in (waits.reads, waits.writes)
                for percent in (50, 99)
            ]
            calls = len(waits.reads) + len(waits.writes)
            rows.append((NAMES[name], when, f"{calls:,}", *figures))
    return f"## What others notice\n\n{aligned(rows)}\n"


def _size_table(seen: Mapping[str, Seen]) -> str:
    heads = ("MB before", "MB after", "files before", "files after", "threads before", "threads after")
    rows: list[tuple[str, ...]] = [("flood", "how many", "took s", *heads)]
    for name, each in seen.items():
        before, after = each.before, each.after
        sizes = (
            *(f"{size.resident:.1f}" for size in (before, after)),
            *(f"{size.descriptors}" for size in (before, after)),
            *(f"{size.threads}" for size in (before, after)),
        )
        rows.append((NAMES[name], f"{each.count:,}", f"{each.seconds:.1f}", *sizes))
    return f"## What is left behind\n\n{aligned(rows)}\n"


def _targets(seen: Mapping[str, Seen]) -> list[Target]:
    found = []
    for name, each in seen.items():
        grown = each.after.resident - each.before.resident
        opened = float(each.after.descriptors - each.before.descriptors)
        found += [
            Target(f"Memory left by {each.count:,} {NAMES[name]}", grown, MEGABYTES, False, " MB"),
            Target(f"Open files left by {each.count:,} {NAMES[name]}", opened, FILES, False),
        ]
    return found
