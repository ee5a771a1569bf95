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
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from tests.helpers.conditions import PATIENCE

ROOT = Path(__file__).resolve().parents[2]
SERVER = ("-m", "plangate_server")
UNREAD = "tokens_unread"
SECOND = timedelta(seconds=1)
ANY_WEB_PORT = {"PLANGATE_WEB_LISTEN": "127.0.0.1:0"}
"""For every server that a test starts, so that they can run side by side."""


class Exit(NamedTuple):
    code: int
    output: str
    errors: str

    @property
    def log(self) -> list[dict[str, Any]]:
        """What a server said on standard error that had started: lines of JSON and nothing else."""
        return [json.loads(line) for line in self.errors.splitlines()]

    @property
    def events(self) -> list[str]:
        """What the lines are about, but for looks at the tokens that were given up, as on a busy machine.

        Between two of these are a wait and a whole look of a second each; looks that failed come sooner.
        """
        given_up = [datetime.fromisoformat(line["time"]) for line in self.log if line["event"] == UNREAD]
        assert all(later - earlier > 1.5 * SECOND for earlier, later in pairwise(given_up)), self.errors
        return [line["event"] for line in self.log if line["event"] != UNREAD]


@dataclass(frozen=True, slots=True)
class ServerProcess:
    process: Process
    address: str
    web: str
    welcome: str

    async def exit(self, signal_number: int) -> Exit:
        """Send the signal; the process must end."""
        self.process.send_signal(signal_number)
        async with asyncio.timeout(PATIENCE):
            return await end_of(self.process)


def server_with(**constants: float) -> tuple[str, ...]:
    """The program of a server with other constants, each named like ``rpc__running__SEND_SECONDS``."""
    lines = ["import importlib, sys"]
    for path, value in constants.items():
        module, _, name = path.replace("__", ".").rpartition(".")
        lines.append(f"module = importlib.import_module('plangate_server.{module}')")
        lines.append(f"assert module.{name}; module.{name} = {value!r}")
    lines.append("from plangate_server.__main__ import main; sys.exit(main())")
    return "-c", "\n".join(lines)


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
