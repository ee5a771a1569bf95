"""The figures as Markdown that also reads well in a terminal."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import median
from typing import Final

from bench.parts import Contender, Measurement, Sample
from bench.plan import PLAN_BYTES, TODOS
from bench.run import Samples

COLUMNS: Final = ("callers", "contender", "per second", "spread", "of floor", "p50 ms", "p99 ms", "load")


def heading(command: str, machine: str, contenders: Sequence[Contender]) -> str:
    """What was run on what, and how to read the tables."""
    names = "\n".join(f"- {contender.name}: {contender.note}" for contender in contenders)
    return f"""\
# Plangate and what gRPC alone allows

Made by `{command}`. {machine}

{names}

Server and load are separate processes on one machine; the contenders take turns. The plan has {PLAN_BYTES:,}
bytes and {TODOS} todos; all callers share one connection. `per second` is the median of the repeats, `spread`
their lowest and highest, `of floor` the ratio of the medians; `p50` and `p99` are over all repeats; `load` is
how many cores the load generator used: close to 1, it may itself be the limit. Figures vary from machine to
machine: compare those of one run only.
"""


def table(measurement: Measurement, samples: Samples) -> str:
    """One row for each number of callers and contender."""
    floor = next(iter(measurement.contenders))
    rows = [
        _row(callers, contender, taken, samples[callers, floor])
        for (callers, contender), taken in samples.items()
    ]
    return f"## {measurement.name}\n\n{measurement.note}\n\n{_aligned([COLUMNS, *rows])}\n"


def _row(callers: int, contender: Contender, taken: list[Sample], floor: list[Sample]) -> Sequence[str]:
    rates = [sample.per_second for sample in taken]
    latencies = sorted(seconds for sample in taken for seconds in sample.latencies)
    return (
        str(callers),
        contender.name,
        f"{median(rates):,.0f}",
        f"{min(rates):,.0f} to {max(rates):,.0f}",
        f"{median(rates) / median(sample.per_second for sample in floor):.2f}",
        f"{_percentile(latencies, 50) * 1000:.1f}",
        f"{_percentile(latencies, 99) * 1000:.1f}",
        f"{median(sample.load_cores for sample in taken):.2f}",
    )


def _percentile(ordered: Sequence[float], percent: int) -> float:
    return ordered[math.ceil(len(ordered) * percent / 100) - 1]


def _aligned(rows: Sequence[Sequence[str]]) -> str:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    cells = [[cell.rjust(width) for cell, width in zip(row, widths, strict=True)] for row in rows]
    rule = ["-" * (width - 1) + ":" for width in widths]
    return "\n".join(f"| {' | '.join(line)} |" for line in [cells[0], rule, *cells[1:]])
