"""Clients of the gate that the server starts as processes: each keeps files in step with the gate."""

from __future__ import annotations

import asyncio
import os
import sys
from asyncio import StreamReader
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from time import monotonic
from typing import Final

from msgspec import Struct

from plangate_server.logs import Log
from plangate_server.settings import Settings

tell = Log(__name__)

COMMAND: Final = ("-m", "plangate.cli", "sync", "--with-parent")
FIRST_DELAY: Final = 1.0
LONGEST_DELAY: Final = 60.0
END_SECONDS: Final = 5.0
FOR_PEOPLE: Final = 1
"""Standard output, where the server speaks to whoever started it: what the process says names their files."""
OTHERS: Final = ("PLANGATE_TOKEN", "PLANGATE_TARGET", "PLANGATE_CA", "PLANGATE_CERT", "PLANGATE_KEY")
"""What would lead the process to another gate, or make it somebody else."""
PREFIX: Final = "plangate: "
LONGEST_LINE: Final = 4096


class Companion(Struct, frozen=True):
    setting: str
    """What it is there for."""
    arguments: tuple[str, ...]
    environment: Mapping[str, str]
    """Who it is."""
    is_logged: bool = False
    """Whether what it says is for the log, because it names nothing but what the operator named."""


def companions(settings: Settings, observer_token: str) -> list[Companion]:
    """Those that the settings ask for. The token is that of an observer of approved_workspace."""
    wanted = []
    if settings.plans_dir is not None:
        tokens = {"PLANGATE_TOKEN_DIR": str(settings.token_dir)}
        wanted.append(Companion("plans_dir", ("--", str(settings.plans_dir)), tokens))
    if settings.approved_to is not None:
        session = (f"--approved-session={settings.approved_session}",) if settings.approved_session else ()
        arguments = (f"--approved-to={settings.approved_to}", *session)
        token = {"PLANGATE_TOKEN": observer_token}
        wanted.append(Companion("approved_to", arguments, token, is_logged=True))
    return wanted


@asynccontextmanager
async def accompanied(each: Iterable[Companion], address: str) -> AsyncIterator[None]:
    """While the block lasts, they call the gate at the address."""
    keeping = [asyncio.create_task(_keep(companion, address)) for companion in each]
    try:
        yield
    finally:
        for task in keeping:
            task.cancel()
        if keeping:
            await asyncio.wait(keeping)


async def _keep(companion: Companion, address: str) -> None:
    """Never returns. A process that ends is started again, the later the less it lived."""
    delay = FIRST_DELAY
    while True:
        began = monotonic()
        code = await _run(companion, address)
        if monotonic() - began > LONGEST_DELAY:
            delay = FIRST_DELAY
        words = f"the process that keeps {companion.setting} in step has ended; it is started again"
        tell.error(f"{companion.setting}_ended", words, exit_code=code, seconds=delay)
        await asyncio.sleep(delay)
        delay = min(2 * delay, LONGEST_DELAY)


async def _run(companion: Companion, address: str) -> int:
    """How the process ended; if nobody waits for that any more, it is ended."""
    environment = {name: value for name, value in os.environ.items() if name not in OTHERS}
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, *COMMAND, "--target", address, *companion.arguments),
        env={**environment, **companion.environment},
        stdin=DEVNULL,
        stdout=DEVNULL,
        stderr=PIPE if companion.is_logged else FOR_PEOPLE,
        limit=LONGEST_LINE,
    )
    words = f"a process keeps {companion.setting} in step"
    tell.info(f"{companion.setting}_started", words, process=process.pid)
    try:
        if process.stderr is not None:
            await _log(companion, process.stderr)
        return await process.wait()
    finally:
        if process.returncode is None:
            await _end(process)


async def _log(companion: Companion, said: StreamReader) -> None:
    """Every line that the process says, until it ends; of what is too long, nothing."""
    while True:
        try:
            line = await said.readline()
        except ValueError:
            continue
        if not line:
            return
        words = line.decode(errors="replace").rstrip("\n").removeprefix(PREFIX)
        tell.warning(f"{companion.setting}_problem", words)


async def _end(process: Process) -> None:
    process.terminate()
    try:
        async with asyncio.timeout(END_SECONDS):
            await process.wait()
    except TimeoutError:
        process.kill()
        await process.wait()
