"""What an agent feels at every tool call: may I, and who says so."""

from __future__ import annotations

from typing import Final

from bench import machine, report
from bench.measurements.authorize_tool import AUTHORIZE_TOOL
from bench.measurements.request_approval import BY_PERSON, BY_RULE
from bench.page import Options, Page, measure_on
from bench.run import running

TITLE: Final = "Tool calls, and what gRPC alone allows"
MEASUREMENTS: Final = (AUTHORIZE_TOOL, BY_RULE, BY_PERSON)


async def run(page: Page, options: Options) -> None:
    async with running(MEASUREMENTS) as addresses:
        page.say(report.heading(TITLE, options.command("tools"), machine.description(), [*addresses]))
        for measurement in MEASUREMENTS:
            await measure_on(page, measurement, addresses, options)
    page.say_targets()
