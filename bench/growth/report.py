"""What became of the times when the database grew."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import Final

from bench.growth.run import Grown
from bench.markdown import aligned
from bench.targets import Target

MOST_TIMES: Final = 1.5
MOST_START_SECONDS: Final = 2.0

HOW: Final = """\
The first plans of a database were made by the server, the others are copies of their rows under other ids.
They are small and decided; beside them, the same number at every size waits for a decision. One caller does
one thing after the other, in turn on databases of all sizes:

- CreatePlan: in a session of its own
- SubmitReview: about the plan that waits longest, which was created before the server started
- GetPlan: of any of all plans
- ListReviews: the first page of what waits
- WatchReviews: until its CHECKPOINT, with a snapshot of all that waits, and resumed where it was before
- ListEvents: all of any plan
- ReviewPlan: of that plan, resumed from its first event, until the decision

Times are medians. PostgreSQL has analysed its tables, as it does by itself in time."""


def section(kind: str, databases: Sequence[Grown]) -> str:
    """One row for each thing that was done, one column for each size."""
    empty, *grown = databases
    heading = ("median ms", *(f"{database.plans:,} plans" for database in grown), "last of first")
    rows = [heading]
    for name in grown[0].latencies:
        medians = [median(database.latencies[name]) * 1000 for database in grown]
        rows.append((name, *(f"{each:.1f}" for each in medians), f"{medians[-1] / medians[0]:.2f}"))
    starts = [_start(database) for database in grown]
    rows.append(
        ("start until GetPlan", *(f"{s * 1000:,.0f}" for s in starts), f"{starts[-1] / starts[0]:.2f}")
    )
    note = f"With one plan in all, the start takes {_start(empty) * 1000:,.0f} ms."
    return f"## {kind}\n\n{note}\n\n{aligned(rows)}\n"


def targets(kind: str, databases: Sequence[Grown]) -> list[Target]:
    empty, smallest, *_, largest = databases
    found = [
        Target(
            f"{kind}, {name}: {largest.plans:,} plans against {smallest.plans:,}",
            median(largest.latencies[name]) / median(smallest.latencies[name]),
            MOST_TIMES,
            at_least=False,
        )
        for name in smallest.latencies
    ]
    later = Target(
        f"{kind}, start: how much longer with {largest.plans:,} plans",
        _start(largest) - _start(empty),
        MOST_START_SECONDS,
        at_least=False,
        unit=" s",
    )
    return [*found, later]


def _start(database: Grown) -> float:
    return median(database.starts)
