"""A page of figures while it is being made."""

from __future__ import annotations

from dataclasses import dataclass, field
from statistics import median

from bench import report, targets
from bench.parts import Measurement
from bench.run import Addresses, Samples, measure
from bench.targets import Target


@dataclass(frozen=True, slots=True)
class Options:
    """What whoever runs it can choose."""

    seconds: float
    """Of each sample."""
    repeats: int
    """Samples for each figure."""
    watchers: tuple[int, ...]
    """How many watch while events are sent to all of them."""
    idle: int
    """How many watch while nothing happens."""
    growth: tuple[int, ...]
    """How many plans are in the database."""
    load: int
    """How many streams are opened and left; other floods are in proportion."""
    pages: int
    """How many browsers have the review page open."""

    def command(self, group: str, **numbers: tuple[int, ...]) -> str:
        """How to run that group just so."""
        special = "".join(f" --{name} {','.join(map(str, given))}" for name, given in numbers.items())
        return f"python -m bench {group} --seconds {self.seconds:g} --repeats {self.repeats}{special}"


@dataclass(slots=True)
class Page:
    """What is said on it, part by part; every part is printed as soon as it is there."""

    parts: list[str] = field(default_factory=list)
    targets: list[Target] = field(default_factory=list)
    rates: dict[str, float] = field(default_factory=dict)
    """Approval round trips per second by contender, with as many callers as were measured at most."""

    def say(self, part: str) -> None:
        self.parts.append(part)
        print(part, flush=True)

    def say_targets(self) -> None:
        self.say(targets.table(self.targets))

    def text(self) -> str:
        return "\n".join(self.parts)


async def measure_on(page: Page, measurement: Measurement, at: Addresses, options: Options) -> Samples:
    """A table, and what became of the goals."""
    samples = await measure(measurement, at, seconds=options.seconds, repeats=options.repeats)
    page.say(report.table(measurement, samples))
    page.targets += targets.of_samples(measurement, samples)
    return samples


def rates(measurement: Measurement, samples: Samples) -> dict[str, float]:
    """How many per second each contender had with the most callers."""
    most = max(measurement.callers)
    return {
        contender.name: median(sample.per_second for sample in samples[most, contender])
        for contender in measurement.contenders
    }
