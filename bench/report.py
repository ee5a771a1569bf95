"""The figures as Markdown that also reads well in a terminal."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import median
from typing import Final

from bench.markdown import aligned
from bench.parts import Contender, Measurement, Sample
from bench.plan import PLAN_BYTES, TODOS
from bench.run import Samples

COLUMNS: Final = ("contender", "per second", "spread", "of floor", "p50 ms", "p99 ms", "load")

HOW: Final = f"""\
Server and load are separate processes on one machine; the contenders take turns. The plan has {PLAN_BYTES:,}
bytes and {TODOS} todos. `per second` is the median of the repeats, `spread` their lowest and highest, `of
floor` the ratio of the medians to that of the first contender; `p50` and `p99` are over all repeats; `load`
is how many cores the load generator used: close to 1, it may itself be the limit. Figures vary from machine
to machine: compare those of one run only."""


def heading(title: str, command: str, machine: str, contenders: Sequence[Contender], how: str = HOW) -> str:
    """What was run on what, and how to read the tables."""
    names = "".join(f"- {contender.name}: {contender.note}\n" for contender in contenders)
    return "\n".join(
        [f"# {title}\n\nMade by `{command}`. {machine}\n", *([names] if names else []), f"{how}\n"]
    )


def table(measurement: Measurement, samples: Samples) -> str:
    """One row for each number of callers and contender."""
    floor = next(iter(measurement.contenders))
    rows = [
        _row(callers, contender, taken, samples[callers, floor])
        for (callers, contender), taken in samples.items()
    ]
    columns = (measurement.counted, *COLUMNS)
    return f"## {measurement.name}\n\n{measurement.note}\n\n{aligned([columns, *rows])}\n"


def _row(callers: int, contender: Contender, taken: list[Sample], floor: list[Sample]) -> Sequence[str]:
    rates = [sample.per_second for sample in taken]
    latencies = sorted(seconds for sample in taken for seconds in sample.latencies)
    return (
        f"{callers:,}",
        contender.name,
        f"{median(rates):,.0f}",
        f"{min(rates):,.0f} to {max(rates):,.0f}",
        f"{median(rates) / median(sample.per_second for sample in floor):.2f}",
        f"{percentile(latencies, 50) * 1000:.1f}",
        f"{percentile(latencies, 99) * 1000:.1f}",
        f"{median(sample.load_cores for sample in taken):.2f}",
    )


def percentile(ordered: Sequence[float], percent: int) -> float:
    return ordered[math.ceil(len(ordered) * percent / 100) - 1]
