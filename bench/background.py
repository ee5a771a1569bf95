"""Servers that are not ours: started with a log of their own, awaited until they are up, and stopped."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

START_SECONDS: Final = 60
STOP_SECONDS: Final = 15


@dataclass(frozen=True, slots=True)
class Server:
    name: str
    process: asyncio.subprocess.Process
    log: Path

    async def until(self, up: Callable[[], Awaitable[bool]]) -> None:
        """Wait until it is up; raises with what it said if it ends before that, or never is."""
        try:
            async with asyncio.timeout(START_SECONDS):
                while not await up():
                    if self.process.returncode is not None:
                        raise RuntimeError(
                            f"{self.name} ended with {self.process.returncode}:\n{tail(self.log)}"
                        )
                    await asyncio.sleep(0.05)
        except TimeoutError:
            problem = f"{self.name} was not up after {START_SECONDS} seconds:\n{tail(self.log)}"
            raise RuntimeError(problem) from None


@asynccontextmanager
async def running(
    *command: str,
    folder: Path,
    user: str | None = None,
    settings: Mapping[str, str] | None = None,
    stop_with: signal.Signals = signal.SIGTERM,
) -> AsyncIterator[Server]:
    """Run it in the folder, as that user and with those variables more in its environment."""
    name = Path(command[0]).name
    log = folder / f"{name}.log"
    with log.open("wb") as file:
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=file,
            stderr=file,
            user=user,
            cwd=folder,
            env={**os.environ, **(settings or {})},
        )
    try:
        yield Server(name, process, log)
    finally:
        await stopped(process, stop_with)


async def stopped(process: asyncio.subprocess.Process, stop_with: signal.Signals = signal.SIGTERM) -> None:
    """Ask it to end, and make it end if it does not."""
    if process.returncode is None:
        process.send_signal(stop_with)
    try:
        async with asyncio.timeout(STOP_SECONDS):
            await process.wait()
    except TimeoutError:
        process.kill()
        await process.wait()


def tail(log: Path) -> str:
    """The last that it said."""
    return log.read_text(encoding="utf-8", errors="replace")[-2000:]


def free_ports(count: int) -> Sequence[int]:
    """Ports of loopback that nobody listens on."""
    listening = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports: list[int] = [one.getsockname()[1] for one in listening]
    for one in listening:
        one.close()
    return ports
