"""How long it takes until the plans of a folder wait for people."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from bench.commands import PLANGATE, at, seconds
from bench.markdown import aligned
from bench.page import Page
from bench.process import plangate
from bench.targets import Target

HOW: Final = (
    "Files of the usual size, proposed one after the other to a gate over SQLite, each of them durable. The "
    "program only reads and proposes. The command also asks the gate for its plans first, to propose none "
    "twice; the second time it finds all of them there."
)
LEAST_OF_PROGRAM: Final = 0.80
OURS: Final = "plangate import"
PROGRAM: Final = """
import sys, pathlib
from plangate import Client
from plangate.planfile import read_plan_file
from plangate.planfile.api import to_create_args
with Client() as gate:
    for path in sorted(pathlib.Path(sys.argv[1]).glob("*.md")):
        args = to_create_args(read_plan_file(path.read_bytes(), path.name))
        gate.create_plan(args.plan, name=args.name, overview=args.overview, todos=args.todos)
"""


async def imported(page: Page, file: bytes, count: int) -> str:
    """A table, from files on the disk to reviews that wait."""
    with TemporaryDirectory(prefix="plangate-bench-") as name:
        folder = Path(name)
        _fill(folder, file, count)
        command = (*PLANGATE, "import", name)
        taken = {
            "one program, with Client": await _seconds(folder / "program.db", "-c", PROGRAM, name),
            OURS: await _seconds(folder / "command.db", *command),
            f"{OURS}, again": await _seconds(folder / "command.db", *command),
        }
    floor, *_ = taken.values()
    rows = [("by", "files", "s", "per second", "of one program")]
    rows += [
        (program, f"{count:,}", f"{spent:.2f}", f"{count / spent:,.0f}", f"{floor / spent:.2f}")
        for program, spent in taken.items()
    ]
    page.targets.append(Target(f"{OURS} against one program", floor / taken[OURS], LEAST_OF_PROGRAM))
    return f"## Imported\n\n{HOW}\n\n{aligned(rows)}\n"


def _fill(folder: Path, file: bytes, count: int) -> None:
    for number in range(count):
        text = file.replace(b"name: Move the cache", b"name: Move cache %d" % number)
        (folder / f"{number:04}.plan.md").write_bytes(text)


async def _seconds(database: Path, *arguments: str) -> float:
    async with plangate(f"sqlite:///{database}") as address:
        return await seconds(at(address), *arguments)
