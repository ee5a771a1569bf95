"""Starts a server in a process of its own and stops it again."""

from __future__ import annotations

import asyncio
import re
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Final, Self
from urllib.parse import urlsplit

from bench.token import token_folder

ROOT: Final = Path(__file__).resolve().parent.parent
START_SECONDS: Final = 60
STOP_SECONDS: Final = 15


class Address(str):
    """Where a server listens, and in which process it runs."""

    __slots__ = ("link", "pid")
    pid: int
    link: str
    """What signs a browser in, if the server prints that."""

    def __new__(cls, text: str, pid: int, link: str = "") -> Self:
        address = super().__new__(cls, text)
        address.pid = pid
        address.link = link
        return address

    @property
    def web(self) -> str:
        """Where it answers browsers."""
        return urlsplit(self.link).netloc

    def resident_bytes(self) -> int:
        """How much memory the process has in use."""
        status = Path(f"/proc/{self.pid}/status").read_text(encoding="ascii")
        [kilobytes] = re.findall(r"^VmRSS:\s+(\d+) kB$", status, re.MULTILINE)
        return int(kilobytes) * 1024

    def descriptors(self) -> int:
        """How many files and connections the process has open."""
        return len(list(Path(f"/proc/{self.pid}/fd").iterdir()))

    def threads(self) -> int:
        return len(list(Path(f"/proc/{self.pid}/task").iterdir()))


@asynccontextmanager
async def python(*arguments: str, has_web: bool = False) -> AsyncIterator[Address]:
    """Run ``python`` with the arguments; gives the addresses that it prints once it listens.

    Its log goes to a file, as it would for anyone who keeps it: writing it is part of what is measured.
    """
    with TemporaryFile() as log:
        process = await asyncio.create_subprocess_exec(
            sys.executable, *arguments, cwd=ROOT, stdout=asyncio.subprocess.PIPE, stderr=log
        )
        try:
            async with asyncio.timeout(START_SECONDS):
                grpc = await _printed(process, log, "gRPC")
                link = await _printed(process, log, "review") if has_web else ""
            yield Address(grpc, process.pid, link)
        finally:
            await _stop(process)


@asynccontextmanager
async def plangate(
    database: str, *, program: str = "plangate_server", calls_per_second: int = 1_000_000
) -> AsyncIterator[Address]:
    """Run our server as anyone would, over that database; with room for all load to come from one caller."""
    with token_folder() as tokens:
        where = ("--listen", "127.0.0.1:0", "--web-listen", "127.0.0.1:0", "--database", database)
        caller = ("--token-dir", str(tokens), "--max-calls-per-second", str(calls_per_second))
        has_web = program == "plangate_server"
        async with python("-m", program, *where, *caller, has_web=has_web) as address:
            yield address


async def helper(*arguments: str, begins: Callable[[], object] = lambda: None) -> None:
    """Run ``python`` with the arguments until it ends, and say when it begins: it prints a line then. What
    floods must not share a process with who waits.
    """
    running = await asyncio.create_subprocess_exec(
        sys.executable, *arguments, cwd=ROOT, stdout=asyncio.subprocess.PIPE
    )
    try:
        assert running.stdout
        await running.stdout.readline()
        begins()
        if await running.wait():
            raise RuntimeError(f"{' '.join(arguments)} failed")
    finally:
        await _stop(running)


async def _printed(process: asyncio.subprocess.Process, log: IO[bytes], name: str) -> str:
    assert process.stdout
    async for line in process.stdout:
        match line.decode().split():
            case [first, address, *_] if first == name:
                return address
    code = await process.wait()
    log.seek(0)
    raise RuntimeError(f"the server ended with {code} before it listened:\n{log.read().decode()}")


async def _stop(process: asyncio.subprocess.Process) -> None:
    if process.returncode is None:
        process.terminate()
    try:
        async with asyncio.timeout(STOP_SECONDS):
            await process.communicate()
    except TimeoutError:
        process.kill()
        await process.wait()
