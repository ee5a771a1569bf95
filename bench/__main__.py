"""``python -m bench``: measure, print the tables, and keep them as Markdown and as a plot."""

from __future__ import annotations

import argparse
import asyncio
import signal
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Final

from bench import figures
from bench.groups import (
    alternatives,
    core,
    cost,
    fairness,
    fan_out,
    growth,
    load,
    page,
    plan_files,
    sdk,
    startup,
    tools,
)
from bench.page import Options, Page
from bench.plot import plot

RESULTS: Final = Path(__file__).resolve().parent / "results"
GROUPS: Final[dict[str, Callable[[Page, Options], Coroutine[None, None, None]]]] = {
    "core": core.run,
    "tools": tools.run,
    "sdk": sdk.run,
    "fan-out": fan_out.run,
    "growth": growth.run,
    "cost": cost.run,
    "load": load.run,
    "fairness": fairness.run,
    "plan-files": plan_files.run,
    "startup": startup.run,
    "page": page.run,
    "alternatives": alternatives.run,
}


def main() -> int:
    parser = _parser()
    given = parser.parse_args()
    if given.seconds <= 0 or min(given.repeats, given.idle, given.load, given.pages) < 1:
        parser.error("--seconds must be more than 0, --repeats, --idle, --load and --pages at least 1")
    if len(given.growth) < 2 or sorted(set(given.growth)) != [*given.growth]:
        parser.error("--growth needs two sizes or more, the smallest first")
    unknown = set(given.groups) - set(GROUPS)
    if unknown:
        parser.error(f"{', '.join(sorted(unknown))}: there is only {', '.join(GROUPS)}")
    options = Options(
        given.seconds, given.repeats, given.watchers, given.idle, given.growth, given.load, given.pages
    )
    given.output.mkdir(parents=True, exist_ok=True)
    # Like Ctrl-C: the servers are stopped first.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        for group in given.groups or GROUPS:
            _run(group, options, given.output)
    except KeyboardInterrupt:
        return 130
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench", description="Measure side by side.")
    add = parser.add_argument
    add("groups", nargs="*", metavar="GROUP", help=f"{', '.join(GROUPS)} (default all)")
    add("--seconds", type=float, default=1.25, help="per sample (default %(default)s)")
    add("--repeats", type=int, default=5, help="samples for each figure (default %(default)s)")
    add(
        "--output",
        type=Path,
        default=RESULTS,
        help="folder for the pages and the plot (default bench/results)",
    )
    add("--watchers", type=_numbers, default="1,100,1000", help="how many are told (default %(default)s)")
    add("--idle", type=int, default=10_000, help="how many just wait (default %(default)s)")
    sizes = "1000,100000,1000000"
    add("--growth", type=_numbers, default=sizes, help="plans in the databases (default %(default)s)")
    add("--load", type=int, default=load.FULL, help="streams that are opened and left (default %(default)s)")
    add("--pages", type=int, default=200, help="open review pages (default %(default)s)")
    return parser


def _numbers(text: str) -> tuple[int, ...]:
    numbers = tuple(int(part) for part in text.split(","))
    if min(numbers) < 1:
        raise ValueError("every number must be at least 1")
    return numbers


def _run(group: str, options: Options, output: Path) -> None:
    made = Page()
    asyncio.run(GROUPS[group](made, options))
    (output / f"{group}.md").write_text(made.text(), encoding="utf-8")
    all_figures = figures.keep(output, group, made)
    (output / "plot.svg").write_text(plot(all_figures), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
