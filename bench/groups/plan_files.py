"""Plan files: how long it takes to read and write them, and to refuse those that were made to do harm."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from statistics import median
from typing import Final

from bench import machine, report
from bench.importing import imported
from bench.markdown import aligned
from bench.page import Options, Page
from bench.targets import Target
from plangate.planfile import PlanFileError, read_plan_file, write_plan_file

TITLE: Final = "Plan files"
HOW: Final = """\
Read from memory and written to memory, one after the other, in one process without a gate. Times are medians
of the repeats; what is imported is imported once. A plan of the usual size has 10 KB and 8 todos, a large one
181 KB and 54 todos."""

IMPORTED: Final = 1000
MOST_SECONDS: Final = 2.0
MOST_REFUSAL_MS: Final = 50.0


def a_plan(kilobytes: int, todos: int) -> bytes:
    items = "".join(
        f"  - id: step-{n}\n    content: Do what is next, number {n}\n    status: pending\n"
        for n in range(todos)
    )
    head = f'---\nname: Move the cache\noverview: "Why: it is slow"\ntodos:\n{items}isProject: false\n---\n\n'
    paragraph = "## Part\n\nWords about it, with `code`.\n\n```mermaid\nflowchart LR\n  a --> b\n```\n\n"
    return (head + paragraph * (kilobytes * 1000 // len(paragraph))).encode()


FILES: Final = {
    "usual": a_plan(10, 8),
    "large": a_plan(181, 54),
    "without quotes": a_plan(10, 8).replace(b"next, number", b"next: number"),
    "plain Markdown": a_plan(10, 8).partition(b"---\n\n")[2],
}
HOSTILE: Final = {
    "4 MiB": b"a" * 4 * 1024**2,
    "2 MiB and a NUL": b"a" * (2 * 1024**2 - 1) + b"\0",
    "30,000 brackets": b"---\nown: " + b"[" * 30_000 + b"\n---\n",
    "30,000 braces": b"---\nown: " + b"{a: " * 30_000 + b"\n---\n",
    "30,000 dashes": b"---\nown:\n  " + b"- " * 30_000 + b"\n---\n",
    "an open quote": b'---\nown: "a\n' + b"  b\n" * 30_000 + b"---\n",
    "an open list": b"---\nown: [a,\n" + b"  b,\n" * 30_000 + b"---\n",
    "60,000 lines": b"---\n" + b"a:\n" * 60_000 + b"---\n",
    "an alias": b"---\nname: a\nown: *a\n---\n",
}


async def run(page: Page, options: Options) -> None:
    page.say(report.heading(TITLE, options.command("plan-files"), machine.description(), [], HOW))
    page.say(_read_and_written(page, options.repeats))
    page.say(_refused(page, options.repeats))
    page.say(await imported(page, FILES["usual"], min(IMPORTED, options.load)))
    page.say_targets()


def _read_and_written(page: Page, repeats: int) -> str:
    rows = [("file", "bytes", "read ms", "write ms", "1,000 read s", "MB/s")]
    for name, data in FILES.items():
        plan = read_plan_file(data)
        read = _seconds(partial(read_plan_file, data), repeats)
        write = _seconds(partial(write_plan_file, plan), repeats)
        if name == "usual":
            page.targets.append(
                Target("1,000 plan files read", read * IMPORTED, MOST_SECONDS, at_least=False, unit=" s")
            )
        speed = len(data) / read / 1e6
        rows.append(
            (
                name,
                f"{len(data):,}",
                f"{read * 1000:.2f}",
                f"{write * 1000:.2f}",
                f"{read * IMPORTED:.2f}",
                f"{speed:.1f}",
            )
        )
    return f"## Read and written\n\n{aligned(rows)}\n"


def _refused(page: Page, repeats: int) -> str:
    rows = [("file", "bytes", "ms", "why")]
    slowest = 0.0
    for name, data in HOSTILE.items():
        taken = _seconds(partial(_reason, data), repeats) * 1000
        slowest = max(slowest, taken)
        rows.append((name, f"{len(data):,}", f"{taken:.1f}", _reason(data)))
    page.targets.append(
        Target(
            "hostile plan files refused, the slowest", slowest, MOST_REFUSAL_MS, at_least=False, unit=" ms"
        )
    )
    return f"## Refused\n\n{aligned(rows)}\n"


def _reason(data: bytes) -> str:
    try:
        read_plan_file(data)
    except PlanFileError as refused:
        return str(refused).replace("|", "/")
    raise AssertionError("it was read")


def _seconds(do: Callable[[], object], repeats: int) -> float:
    """The median of so many samples, each of ten times."""
    samples = []
    for _ in range(repeats):
        started = time.perf_counter()
        for _ in range(10):
            do()
        samples.append((time.perf_counter() - started) / 10)
    return median(samples)
