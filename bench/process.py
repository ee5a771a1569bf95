"""Starts a server in a process of its own and stops it again."""

from __future__ import annotations

import asyncio
import re
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
START_SECONDS: Final = 30
STOP_SECONDS: Final = 15


@asynccontextmanager
async def python(*arguments: str) -> AsyncIterator[str]:
    """Run ``python`` with the arguments; gives the gRPC address that it prints once it listens."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, *arguments, cwd=ROOT, stdout=asyncio.subprocess.PIPE
    )
    try:
        async with asyncio.timeout(START_SECONDS):
            address = await _address(process)
        yield address
    finally:
        await _stop(process)


async def _address(process: asyncio.subprocess.Process) -> str:
    assert process.stdout
    async for line in process.stdout:
        if found := re.fullmatch(r"\s*gRPC\s+(\S+)\s*", line.decode()):
            return found.group(1)
    raise RuntimeError(f"the server ended with {await process.wait()} before it listened")


async def _stop(process: asyncio.subprocess.Process) -> None:
    if process.returncode is None:
        process.terminate()
    try:
        async with asyncio.timeout(STOP_SECONDS):
            await process.communicate()
    except TimeoutError:
        process.kill()
        await process.wait()
