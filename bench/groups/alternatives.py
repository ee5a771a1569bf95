"""The round trip on what one would pick instead; installs those the first time."""

from __future__ import annotations

from typing import Final

from bench import machine, report
from bench.measurements.alternatives import ALTERNATIVES
from bench.page import Options, Page, measure_on, rates
from bench.run import running

TITLE: Final = "Plangate and what one would pick instead"


async def run(page: Page, options: Options) -> None:
    async with running([ALTERNATIVES]) as addresses:
        page.say(report.heading(TITLE, options.command("alternatives"), machine.description(), [*addresses]))
        page.rates = rates(ALTERNATIVES, await measure_on(page, ALTERNATIVES, addresses, options))
