"""Events to everybody who watches, and what it costs to have very many who do."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from bench import idle, machine, report
from bench.measurements.fan_out import FAN_OUT
from bench.page import Options, Page, measure_on
from bench.run import running

TITLE: Final = "Events to many watchers"


async def run(page: Page, options: Options) -> None:
    command = options.command("fan-out", watchers=options.watchers, idle=(options.idle,))
    async with running([FAN_OUT]) as addresses:
        page.say(report.heading(TITLE, command, machine.description(), [*addresses]))
        # First, because memory that was used before would be used again.
        seen = [await idle.idle(contender, at, options.idle) for contender, at in addresses.items()]
        page.say(idle.section(seen))
        page.targets += idle.targets(seen)
        await measure_on(page, replace(FAN_OUT, callers=options.watchers), addresses, options)
    page.say_targets()
