"""A flood of one caller, or of nobody, is no matter to the others: half of their calls hardly wait longer."""

from __future__ import annotations

import asyncio
from pathlib import Path
from statistics import median

import pytest

from bench import bystander, process
from bench.token import token_folder
from bench.wire import Connection, connected
from tests.e2e.processes import serving
from tests.helpers.conditions import PATIENCE

pytestmark = pytest.mark.load

TIMES = 20
QUICK_SECONDS = 0.005
"""Where nobody waits at all, a few milliseconds more are no matter."""


@pytest.mark.parametrize(
    ("flood", "count"),
    [("opens", 20_000), ("strangers", 10_000), ("nobody", 2000), ("tokens", 10_000)],
)
async def test_others_wait_hardly_longer(tmp_path: Path, flood: str, count: int) -> None:
    """Half of the reads that come at intervals, and half of the writes of who works meanwhile."""
    with token_folder() as tokens:
        async with (
            serving(tmp_path / "plangate.db", "--token-dir", str(tokens)) as server,
            connected(server.address) as reading,
            connected(server.address) as working,
        ):
            await bystander.work_for(working, 0.5)
            quiet = await waits_while(reading, working, asyncio.create_task(asyncio.sleep(1)))
            begun = asyncio.Event()
            arguments = ("-m", "bench.floods", flood, server.address, str(count))
            flooding = asyncio.create_task(process.helper(*arguments, begins=begun.set))
            async with asyncio.timeout(PATIENCE):
                await begun.wait()
            during = await waits_while(reading, working, flooding)
            await flooding
    for before, meanwhile in zip(quiet, during, strict=True):
        assert meanwhile < TIMES * max(before, QUICK_SECONDS)


async def waits_while(
    reading: Connection, working: Connection, over: asyncio.Task[None]
) -> tuple[float, float]:
    """The median seconds of reads and of writes."""
    ended = asyncio.Event()
    over.add_done_callback(lambda _: ended.set())
    reads, waits = await asyncio.gather(
        bystander.read_at_intervals(reading, ended), bystander.work(working, ended)
    )
    return median(reads), median(waits.writes)
