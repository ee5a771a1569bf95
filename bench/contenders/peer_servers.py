"""The servers that some peers need, on loopback and with every write flushed to the disk."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from bench import background
from bench.peers.environment import RESTATE, TEMPORAL


@asynccontextmanager
async def restate(folder: Path) -> AsyncIterator[str]:
    """Gives the addresses for calls and for administration; its log is flushed unless told otherwise."""
    ingress, admin, node = (f"127.0.0.1:{port}" for port in background.free_ports(3))
    # Not the npm script: it starts this program, and a signal would end only the script.
    [program] = RESTATE.folder.glob("node_modules/@restatedev/restate-server-*/bin/restate-server")
    settings = {
        "RESTATE_INGRESS__BIND_ADDRESS": ingress,
        "RESTATE_ADMIN__BIND_ADDRESS": admin,
        "RESTATE_BIND_ADDRESS": node,
        "RESTATE_LISTEN_MODE": "tcp",
        "RESTATE_LOG_FILTER": "warn",
        "RESTATE_DISABLE_TELEMETRY": "true",
        "DO_NOT_TRACK": "1",
    }
    command = (str(program), "--no-logo", "--node-name", "bench", "--base-dir", str(folder / "data"))
    async with background.running(*command, folder=folder, settings=settings) as server:
        await server.until(lambda: _is_healthy(ingress, "/restate/health"))
        await server.until(lambda: _is_healthy(admin, "/health"))
        yield f"{ingress},{admin}"


@asynccontextmanager
async def temporal(folder: Path) -> AsyncIterator[str]:
    """Temporal's own development server, told to keep its data in a file and to flush every commit."""
    [port] = background.free_ports(1)
    options = ("--ip", "127.0.0.1", "--port", str(port), "--headless", "--log-level", "error")
    durable = ("--sqlite-pragma", "journal_mode=wal", "--sqlite-pragma", "synchronous=2")
    command = (TEMPORAL.program("temporal"), "server", "start-dev", *options, *durable)
    async with background.running(
        *command, "--db-filename", str(folder / "temporal.db"), folder=folder
    ) as server:

        async def is_up() -> bool:
            return "Temporal Server:" in await asyncio.to_thread(background.tail, server.log)

        await server.until(is_up)
        yield f"127.0.0.1:{port}"


async def _is_healthy(address: str, path: str) -> bool:
    host, _, port = address.rpartition(":")
    try:
        reader, writer = await asyncio.open_connection(host, int(port))
    except OSError:
        return False
    writer.write(f"GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n".encode())
    answer = await reader.readline()
    writer.close()
    return answer.startswith(b"HTTP/1.1 200")
