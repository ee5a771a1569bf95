"""What it costs that every call is guarded, counted and recorded."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from bench import machine, report
from bench.contenders.open_gate import OPEN_GATE
from bench.contenders.sqlite import SQLITE
from bench.measurements.authorize_tool import AUTHORIZE_TOOL
from bench.measurements.get_plan import GET_PLAN
from bench.measurements.round_trip import ROUND_TRIP
from bench.page import Options, Page, measure_on
from bench.parts import Goal, Measurement
from bench.run import running

TITLE: Final = "What tokens, limits, metrics and the hash chain cost"
CALLERS: Final = 64
LEAST: Final = 0.90


def _on_and_off(measurement: Measurement) -> Measurement:
    """The same, on a server as anyone starts it and on one without all that."""
    connect = measurement.contenders[SQLITE]
    return replace(
        measurement,
        contenders={OPEN_GATE: connect, SQLITE: connect},
        callers=(1, CALLERS),
        goals=(Goal(SQLITE, OPEN_GATE, CALLERS, LEAST),),
    )


MEASUREMENTS: Final = tuple(map(_on_and_off, (ROUND_TRIP, GET_PLAN, AUTHORIZE_TOOL)))


async def run(page: Page, options: Options) -> None:
    async with running(MEASUREMENTS) as addresses:
        page.say(report.heading(TITLE, options.command("cost"), machine.description(), [*addresses]))
        for measurement in MEASUREMENTS:
            await measure_on(page, measurement, addresses, options)
    page.say_targets()
