"""The review page: how soon a plan is on the screen, what a load of the page takes, and very many of them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from tempfile import TemporaryDirectory
from typing import Final

from bench import browser, bystander, machine, report, steps
from bench.arrivals import DRAWN, WATCHERS, Arrivals, Watch, arrivals
from bench.browser import Desk, Load
from bench.bystander import Waits
from bench.live import Listener, listening
from bench.markdown import aligned
from bench.page import Options, Page
from bench.plan import create_request
from bench.process import Address, plangate
from bench.targets import Target
from bench.wire import Connection, connected

TITLE: Final = "The review page"
HOW: Final = """\
One server on SQLite, and Chromium without a window. `after the answer` is from the moment in which
CreatePlan's answer is there to the moment in which a watcher has the plan: a gRPC stream, the page's own
stream without a browser, the row in the browser's document, and the frame in which it is drawn, by the
browser's clock. All watch at once, one plan at a time; a watcher may well have it before whoever made it has
their answer. `sent` is what comes over the line, heads included; the live stream, which does not end, is not
counted."""
PLANS: Final = 20
"""For each repeat."""
TELLS: Final = 5
SOON_MS: Final = 100.0
FIRST_KB: Final = 150.0
PAGE_KB: Final = 160.0
LAST_MS: Final = 500.0


@dataclass(frozen=True, slots=True)
class Crowd:
    """What many open pages cost."""

    pages: int
    open_seconds: float
    bytes_each: float
    last: list[float]
    """Seconds from the call that made a plan until every page had it."""
    before: Waits
    during: Waits


async def run(page: Page, options: Options) -> None:
    command = options.command("page", pages=(options.pages,))
    page.say(report.heading(TITLE, command, machine.description(), [], HOW))
    with TemporaryDirectory(prefix="plangate-bench-") as folder:
        database = f"sqlite:///{folder}/plangate.db"
        async with plangate(database) as address, connected(address) as creator:
            crowd = await _crowd(address, creator, options)
            async with browser.desk() as desk:
                loads = await _loads(address, creator, desk)
                seen = await _arrivals(address, creator, desk, options.repeats * PLANS)
    page.say(_arrivals_table(seen))
    page.say(_loads_table(loads))
    page.say(_crowd_table(crowd))
    page.say(_waits_table(crowd))
    page.targets += _targets(seen, loads, crowd)
    page.say_targets()


async def _arrivals(address: Address, creator: Connection, desk: Desk, plans: int) -> Arrivals:
    async with connected(address) as watcher, listening(address.web, 1) as [listener]:
        watch = Watch(watcher)
        await desk.load("", f"http://{address.web}/")
        await desk.watch()
        await arrivals(creator, watch, listener, desk, 1)
        return await arrivals(creator, watch, listener, desk, plans)


async def _loads(address: Address, creator: Connection, desk: Desk) -> list[Load]:
    """The inbox by the link that signs in, again, and then a plan."""
    plan = await steps.create(creator, create_request())
    inbox = f"http://{address.web}/"
    return [
        await desk.load("inbox, first time, with sign-in", address.link),
        await desk.load("inbox, again", inbox),
        await desk.load("a plan", f"{inbox}plans/{plan.plan_id}"),
    ]


async def _crowd(address: Address, creator: Connection, options: Options) -> Crowd:
    """First of all, because memory that was used before would be used again."""
    async with listening(address.web, min(options.pages, 10)) as some:
        await _tell(some, creator)
    before = await bystander.work_for(creator, 2 * options.seconds)
    memory, begun = address.resident_bytes(), time.perf_counter()
    async with listening(address.web, options.pages) as pages:
        opened, more = time.perf_counter() - begun, address.resident_bytes() - memory
        last = [await _tell(pages, creator) for _ in range(TELLS)]
        during = await bystander.work_for(creator, 2 * options.seconds)
    return Crowd(options.pages, opened, more / options.pages, last, before, during)


async def _tell(pages: Sequence[Listener], creator: Connection) -> float:
    begun = time.time()
    plan = await steps.create(creator, create_request())
    heard = await asyncio.gather(*(page.heard(plan.plan_id.encode()) for page in pages))
    await steps.approve(creator, plan)
    return max(heard) - begun


def _milliseconds(seconds: Sequence[float]) -> tuple[str, str]:
    """The median, and what nearly all are below."""
    half, nearly_all = (report.percentile(sorted(seconds), percent) * 1000 for percent in (50, 99))
    return f"{half:.1f}", f"{nearly_all:.1f}"


def _arrivals_table(seen: Arrivals) -> str:
    heads = ("after the call p50 ms", "p99 ms", "after the answer p50 ms", "p99 ms")
    rows = [("who", *heads), ("CreatePlan's answer", *_milliseconds(seen.answered), "0.0", "0.0")]
    rows += [
        (name, *_milliseconds(seen.from_call[name]), *_milliseconds(seen.from_answer[name]))
        for name in WATCHERS
    ]
    return f"## From CreatePlan to the screen\n\n{aligned(rows)}\n"


def _loads_table(loads: Sequence[Load]) -> str:
    rows = [("page", "requests", "KB", "KB sent", "live after ms")]
    for load in loads:
        figures = (f"{load.bytes / 1024:.1f}", f"{load.sent / 1024:.1f}", f"{load.seconds * 1000:.0f}")
        rows.append((load.what, str(load.requests), *figures))
    return f"## What a load takes\n\n{aligned(rows)}\n"


def _crowd_table(crowd: Crowd) -> str:
    rows = [
        ("pages", "open after s", "KB per page", "told the last after ms", "spread"),
        (
            f"{crowd.pages:,}",
            f"{crowd.open_seconds:.1f}",
            f"{crowd.bytes_each / 1024:.1f}",
            f"{median(crowd.last) * 1000:.0f}",
            f"{min(crowd.last) * 1000:.0f} to {max(crowd.last) * 1000:.0f}",
        ),
    ]
    return f"## Very many pages\n\n{aligned(rows)}\n"


def _waits_table(crowd: Crowd) -> str:
    rows: list[tuple[str, ...]] = [
        ("pages", "calls", "reads p50 ms", "reads p99 ms", "writes p50 ms", "writes p99 ms")
    ]
    for pages, waits in ((0, crowd.before), (crowd.pages, crowd.during)):
        calls = len(waits.reads) + len(waits.writes)
        rows.append((f"{pages:,}", f"{calls:,}", *_milliseconds(waits.reads), *_milliseconds(waits.writes)))
    return f"## What others notice of them\n\n{aligned(rows)}\n"


def _targets(seen: Arrivals, loads: Sequence[Load], crowd: Crowd) -> list[Target]:
    drawn = median(seen.from_answer[DRAWN]) * 1000
    first = loads[0].sent / 1024
    last = median(crowd.last) * 1000
    each = crowd.bytes_each / 1024
    return [
        Target("From CreatePlan's answer to the row on the screen", drawn, SOON_MS, False, " ms"),
        Target("The first load of the page, as sent", first, FIRST_KB, False, " KB"),
        Target(f"Memory for each of {crowd.pages:,} open pages", each, PAGE_KB, False, " KB"),
        Target(f"The last of {crowd.pages:,} open pages is told", last, LAST_MS, False, " ms"),
    ]
