"""The server as its operator starts it: a process of its own."""

from __future__ import annotations

import asyncio
import json
import os
import re
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[2]
SERVER = ("-m", "plangate_server")
ANY_WEB_PORT = {"PLANGATE_WEB_LISTEN": "127.0.0.1:0"}
"""For every server that a test starts, so that they can run side by side."""
PATIENCE = 30.0
"""Seconds after which something that should have happened long ago has failed."""
QUICKLY = 8.0
"""Seconds within which a server stops that has nothing to finish: less than its grace for running calls."""


class Exit(NamedTuple):
    code: int
    output: str
    errors: str

    @property
    def log(self) -> list[dict[str, Any]]:
        """What a server said on standard error that had started: lines of JSON and nothing else."""
        return [json.loads(line) for line in self.errors.splitlines()]


@dataclass(frozen=True, slots=True)
class ServerProcess:
    process: Process
    address: str
    web: str
    welcome: str

    async def exit(self, signal_number: int) -> Exit:
        """Send the signal; the process must be gone quickly."""
        self.process.send_signal(signal_number)
        async with asyncio.timeout(QUICKLY):
            return await end_of(self.process)


async def start(*arguments: str, program: tuple[str, ...] = SERVER) -> Process:
    command = (sys.executable, *program, *arguments)
    environment = {**os.environ, **ANY_WEB_PORT}
    return await asyncio.create_subprocess_exec(*command, cwd=ROOT, env=environment, stdout=PIPE, stderr=PIPE)


async def run(*arguments: str, program: tuple[str, ...] = SERVER) -> Exit:
    """Start a server that must exit by itself."""
    process = await start(*arguments, program=program)
    try:
        async with asyncio.timeout(PATIENCE):
            return await end_of(process)
    finally:
        await _reap(process)


async def end_of(process: Process) -> Exit:
    output, errors = await process.communicate()
    assert process.returncode is not None
    return Exit(process.returncode, output.decode(), errors.decode())


@asynccontextmanager
async def serving(
    database: Path | str, *options: str, program: tuple[str, ...] = SERVER
) -> AsyncIterator[ServerProcess]:
    """A server over the database, a file or a URL, that has said where it listens."""
    url = database if isinstance(database, str) else f"sqlite:///{database}"
    process = await start("--listen", "127.0.0.1:0", "--database", url, *options, program=program)
    try:
        async with asyncio.timeout(PATIENCE):
            welcome = await _welcome(process)
        address = re.search(r"^ +gRPC +(\S+)$", welcome, re.MULTILINE)
        web = re.search(r"^ +review +http://([^/\s]+)/#code=", welcome, re.MULTILINE)
        assert address, (welcome, await end_of(process))
        assert web, welcome
        yield ServerProcess(process, address[1], web[1], welcome)
    finally:
        await _reap(process)


@asynccontextmanager
async def killed_server(url: str) -> AsyncIterator[None]:
    """A server over the database that is killed at the end of the block, however far it is by then."""
    process = await start("--listen", "127.0.0.1:0", "--database", url)
    try:
        yield
        assert process.returncode is None, await end_of(process)
    finally:
        await _reap(process)


async def _welcome(process: Process) -> str:
    """What it prints up to and with the line that ends the welcome, or all if it ends early."""
    assert process.stdout
    said = ""
    while line := (await process.stdout.readline()).decode():
        said += line
        if line.startswith("Ctrl-C"):
            break
    return said


async def _reap(process: Process) -> None:
    if process.returncode is None:
        process.kill()
    await process.communicate()
