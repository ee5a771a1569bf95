"""How much longer others wait while somebody floods the server."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Mapping
from typing import Final

from bench import bystander, floods, machine, process, report
from bench.bystander import Waits
from bench.markdown import aligned
from bench.page import Options, Page
from bench.process import Address
from bench.targets import Target
from bench.wire import Connection, connected

TITLE: Final = "What a flood costs the others"
HOW: Final = f"""\
One server on SQLite, with the limits that it has by itself. Somebody with a token of their own proposes and
approves plans, one after the other, and reads one every ten milliseconds, whether the last read was answered
or not; another process floods the server meanwhile, and on two cores takes one of them. `reads` is GetPlan,
`writes` CreatePlan and SubmitReview, from the call to its answer. `quiet` is before, and each flood meets a
server of its own. What is paced comes {floods.PACE:,} times a second, whether it is answered or not; what is
in one burst comes at once."""
SHARES: Final = {"opens": 0.2, "burst": 0.2, "strangers": 0.2, "nobody": 0.02, "tokens": 0.2}
NAMES: Final = {
    "opens": "streams opened, paced",
    "burst": "calls in one burst",
    "strangers": "calls without a token, paced",
    "nobody": "calls without a token in one burst",
    "tokens": "calls with a wrong token, 200 at a time",
}
CALLS_PER_SECOND: Final = 5000
TIMES: Final = 20
"""So many times what is usual may it be for others."""


async def run(page: Page, options: Options) -> None:
    page.say(
        report.heading(
            TITLE, options.command("fairness", load=(options.load,)), machine.description(), [], HOW
        )
    )
    seen = {name: await _flooded(name, options) for name in NAMES}
    page.say(_table(seen, options))
    page.targets += _targets(seen)
    page.say_targets()


async def _flooded(name: str, options: Options) -> Mapping[str, Waits]:
    """On a server of its own: nothing is left of another flood."""
    with tempfile.TemporaryDirectory(prefix="plangate-bench-") as folder:
        database = f"sqlite:///{folder}/plans.db"
        async with (
            process.plangate(database, calls_per_second=CALLS_PER_SECOND) as address,
            connected(address) as working,
            connected(address) as reading,
        ):
            await bystander.work_for(working, options.seconds)
            begun, over = asyncio.Event(), asyncio.Event()
            asyncio.get_running_loop().call_later(2 * options.seconds, over.set)
            quiet = await _wait_while(working, reading, over)
            over = asyncio.Event()
            flood = asyncio.create_task(_flood(name, address, options, begun))
            flood.add_done_callback(lambda _: over.set())
            await begun.wait()
            during = await _wait_while(working, reading, over)
            await flood
            return {"quiet": quiet, "during": during}


async def _wait_while(working: Connection, reading: Connection, over: asyncio.Event) -> Waits:
    """The waits of one who does one thing after the other, and of reads that come at intervals."""
    waits, reads = await asyncio.gather(
        bystander.work(working, over), bystander.read_at_intervals(reading, over)
    )
    return Waits(reads, waits.writes)


async def _flood(name: str, address: Address, options: Options, begun: asyncio.Event) -> None:
    arguments = ("-m", "bench.floods", name, str(address), str(_count(name, options)))
    await process.helper(*arguments, begins=begun.set)


def _count(name: str, options: Options) -> int:
    return max(round(options.load * SHARES[name]), 1)


def _table(seen: Mapping[str, Mapping[str, Waits]], options: Options) -> str:
    rows: list[tuple[str, ...]] = [
        ("flood", "when", "calls", "reads p50 ms", "reads p99 ms", "writes p50 ms", "writes p99 ms")
    ]
    for name, waits in seen.items():
        for when, each in waits.items():
            figures = [
                f"{report.percentile(sorted(kind), percent) * 1000:.1f}"
                for kind in (each.reads, each.writes)
                for percent in (50, 99)
            ]
            calls = len(each.reads) + len(each.writes)
            rows.append((f"{_count(name, options):,} {NAMES[name]}", when, f"{calls:,}", *figures))
    return f"## What others notice\n\n{aligned(rows)}\n"


def _targets(seen: Mapping[str, Mapping[str, Waits]]) -> list[Target]:
    return [
        Target(f"Median wait of others, {what}, {NAMES[name]}", _times(waits, what), TIMES, False, " times")
        for name, waits in seen.items()
        for what in ("reads", "writes")
    ]


def _times(waits: Mapping[str, Waits], what: str) -> float:
    during, quiet = (
        report.percentile(sorted(getattr(waits[when], what)), 50) for when in ("during", "quiet")
    )
    return during / quiet
