"""What was hoped for, and whether it was reached."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from bench.markdown import aligned
from bench.parts import Measurement
from bench.run import Samples


@dataclass(frozen=True, slots=True)
class Target:
    what: str
    measured: float
    wanted: float
    at_least: bool = True
    """Whether more is better; else less is."""
    unit: str = ""

    @property
    def reached(self) -> bool:
        return self.measured >= self.wanted if self.at_least else self.measured <= self.wanted


def of_samples(measurement: Measurement, samples: Samples) -> list[Target]:
    """The goals of a measurement, as far as it was taken with so many callers."""
    found = []
    for goal in measurement.goals:
        if (goal.callers, goal.contender) in samples:
            ours, theirs = (
                median(sample.per_second for sample in samples[goal.callers, contender])
                for contender in (goal.contender, goal.against)
            )
            counted = measurement.counted.removesuffix("s") if goal.callers == 1 else measurement.counted
            what = (
                f"{measurement.name}, {goal.callers:,} {counted}: {goal.contender.name} against "
                f"{goal.against.name}"
            )
            found.append(Target(what, ours / theirs, goal.least))
    return found


def table(targets: Sequence[Target]) -> str:
    rows = [("target", "wanted", "measured", "reached")]
    for target in targets:
        bound = "at least" if target.at_least else "at most"
        wanted, measured = (f"{number:.2f}{target.unit}" for number in (target.wanted, target.measured))
        rows.append((target.what, f"{bound} {wanted}", measured, "yes" if target.reached else "no"))
    return f"## Targets\n\n{aligned(rows)}\n"
