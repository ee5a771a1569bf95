"""A folder of plan files, kept in step by a client of the gate, which the server starts as a process."""

from __future__ import annotations

import asyncio
import os
import sys
from asyncio.subprocess import DEVNULL, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from time import monotonic
from typing import Final

from plangate_server.logs import Log

tell = Log(__name__)

COMMAND: Final = ("-m", "plangate.cli", "sync", "--with-parent")
FIRST_DELAY: Final = 1.0
LONGEST_DELAY: Final = 60.0
END_SECONDS: Final = 5.0
FOR_PEOPLE: Final = 1
"""Standard output, where the server speaks to whoever started it: what the process says names files."""
OTHERS: Final = ("PLANGATE_TOKEN", "PLANGATE_TARGET", "PLANGATE_CA", "PLANGATE_CERT", "PLANGATE_KEY")
"""What would lead the process to another gate, or make it somebody else."""


@asynccontextmanager
async def in_step(folder: Path | None, address: str, tokens: Path) -> AsyncIterator[None]:
    """While the block lasts, the folder, if there is one, is kept in step with the gate at the address."""
    if folder is None:
        yield
        return
    keeping = asyncio.create_task(_keep(folder, address, tokens))
    try:
        yield
    finally:
        keeping.cancel()
        await asyncio.wait([keeping])


async def _keep(folder: Path, address: str, tokens: Path) -> None:
    """Never returns. A process that ends is started again, the later the less it lived."""
    delay = FIRST_DELAY
    while True:
        began = monotonic()
        code = await _run(folder, address, tokens)
        if monotonic() - began > LONGEST_DELAY:
            delay = FIRST_DELAY
        words = "the process that keeps plans_dir in step has ended; it is started again"
        tell.error("plans_dir_ended", words, exit_code=code, seconds=delay)
        await asyncio.sleep(delay)
        delay = min(2 * delay, LONGEST_DELAY)


async def _run(folder: Path, address: str, tokens: Path) -> int:
    """How the process ended; if nobody waits for that any more, it is ended."""
    environment = {name: value for name, value in os.environ.items() if name not in OTHERS}
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, *COMMAND, "--target", address, str(folder)),
        env={**environment, "PLANGATE_TOKEN_DIR": str(tokens)},
        stdin=DEVNULL,
        stdout=DEVNULL,
        stderr=FOR_PEOPLE,
    )
    tell.info("plans_dir_started", "a process keeps plans_dir in step", process=process.pid)
    try:
        return await process.wait()
    finally:
        if process.returncode is None:
            await _end(process)


async def _end(process: Process) -> None:
    process.terminate()
    try:
        async with asyncio.timeout(END_SECONDS):
            await process.wait()
    except TimeoutError:
        process.kill()
        await process.wait()
