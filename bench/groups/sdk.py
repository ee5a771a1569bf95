"""What an agent's program pays for our clients."""

from __future__ import annotations

from typing import Final

from bench import machine, report
from bench.measurements.sdk import MEASUREMENTS
from bench.page import Options, Page, measure_on
from bench.run import running

TITLE: Final = "The Python clients, and what bare stubs do"


async def run(page: Page, options: Options) -> None:
    async with running(MEASUREMENTS) as addresses:
        page.say(report.heading(TITLE, options.command("sdk"), machine.description(), [*addresses]))
        for measurement in MEASUREMENTS:
            await measure_on(page, measurement, addresses, options)
    page.say_targets()
