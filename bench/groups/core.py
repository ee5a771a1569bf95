"""What every user feels: the round trip, todo updates, reads and writes."""

from __future__ import annotations

from typing import Final

from bench import machine, report
from bench.measurements.create_plan import CREATE_PLAN
from bench.measurements.get_plan import GET_PLAN
from bench.measurements.round_trip import ROUND_TRIP
from bench.measurements.todo_updates import TODO_UPDATES
from bench.page import Options, Page, measure_on, rates
from bench.run import running

TITLE: Final = "Plangate and what gRPC alone allows"
MEASUREMENTS: Final = (ROUND_TRIP, TODO_UPDATES, GET_PLAN, CREATE_PLAN)


async def run(page: Page, options: Options) -> None:
    async with running(MEASUREMENTS) as addresses:
        page.say(report.heading(TITLE, options.command("core"), machine.description(), [*addresses]))
        for measurement in MEASUREMENTS:
            samples = await measure_on(page, measurement, addresses, options)
            if measurement is ROUND_TRIP:
                page.rates = rates(measurement, samples)
    page.say_targets()
