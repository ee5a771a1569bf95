"""The same calls on small and on very large databases."""

from __future__ import annotations

from typing import Final

from bench import machine, report
from bench.growth.databases import KINDS
from bench.growth.report import HOW, section, targets
from bench.growth.run import grow
from bench.page import Options, Page

TITLE: Final = "Plangate and very many plans"


async def run(page: Page, options: Options) -> None:
    command = options.command("growth", growth=options.growth)
    page.say(report.heading(TITLE, command, machine.description(), [], HOW))
    for kind in KINDS:
        databases = await grow(kind, options.growth, seconds=options.seconds, repeats=options.repeats)
        page.say(section(kind.name, databases))
        page.targets += targets(kind.name, databases)
    page.say_targets()
