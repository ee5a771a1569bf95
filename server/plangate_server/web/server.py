"""Serves a web app in the event loop of its caller, and leaves signals and the log to the process."""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

import uvicorn
from starlette.types import ASGIApp

MOST_CONNECTIONS: Final = 1000
LONGEST_MESSAGE: Final = 512 * 1024
LAST_SECONDS: Final = 1
"""For answers that are under way when the server stops."""


@asynccontextmanager
async def web_server(app: ASGIApp, address: str, tls: ssl.SSLContext | None = None) -> AsyncIterator[str]:
    """The app, open; gives the address it has. OSError if the address cannot be had."""
    config = uvicorn.Config(
        app,
        http="h11",
        ws="websockets-sansio",
        ws_max_size=LONGEST_MESSAGE,
        lifespan="off",
        log_config=None,
        access_log=False,
        # Or anyone here could claim to be someone else, who is then believed.
        proxy_headers=False,
        server_header=False,
        limit_concurrency=MOST_CONNECTIONS,
        timeout_graceful_shutdown=LAST_SECONDS,
    )
    config.load()
    config.ssl = tls
    listening = _bound(address)
    # Not serve(), which takes the signals and raises them again when it has ended.
    server = uvicorn.Server(config)
    server.lifespan = config.lifespan_class(config)
    await server.startup(sockets=[listening])
    ticking = asyncio.create_task(server.main_loop())
    try:
        yield f"{address.rpartition(':')[0]}:{listening.getsockname()[1]}"
    finally:
        ticking.cancel()
        await _close(server)


def _bound(address: str) -> socket.socket:
    host, _, port = address.rpartition(":")
    family = socket.AF_INET6 if host.startswith("[") else socket.AF_INET
    try:
        return socket.create_server((host.strip("[]"), int(port)), family=family)
    except OSError as error:
        raise OSError(f"cannot listen on {address}: is another server there?") from error


async def _close(server: uvicorn.Server) -> None:
    """Whoever is connected and asks nothing is not waited for."""
    state = server.server_state
    if not state.connections and not state.tasks:
        for listener in server.servers:
            listener.close()
        return  # the library's way takes a tenth of a second even so
    await server.shutdown()
    for connection in list(state.connections):
        connection.transport.abort()
