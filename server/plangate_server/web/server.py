"""Serves a web app in the event loop of its caller, and leaves signals and the log to the process."""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Final, cast

import uvicorn
from starlette.types import ASGIApp
from uvicorn.server import ServerState

from plangate_server.web.accepting import accept_all
from plangate_server.web.bodies import LONGEST_MESSAGE
from plangate_server.web.crowd import MOST_CONNECTIONS, Crowd
from plangate_server.web.patience import PatientProtocol
from plangate_server.web.sockets import LeftSocket

BACKLOG: Final = 1024
"""Connections that wait to be taken; the system may let fewer wait."""
LAST_SECONDS: Final = 1
"""For answers that are under way when the server stops."""
UNREAD_SECONDS: Final = 60
"""After so long a connection ends whose peer takes nothing of what it is sent."""


@asynccontextmanager
async def web_server(app: ASGIApp, address: str, tls: ssl.SSLContext | None = None) -> AsyncIterator[str]:
    """The app, open; gives the address it has. OSError if the address cannot be had."""
    crowd = Crowd()
    config = uvicorn.Config(
        app,
        ws=cast(type[asyncio.Protocol], partial(LeftSocket, crowd=crowd)),
        ws_max_size=LONGEST_MESSAGE,
        lifespan="off",
        log_config=None,
        access_log=False,
        # Or anyone here could claim to be someone else, who is then believed.
        proxy_headers=False,
        server_header=False,
        limit_concurrency=MOST_CONNECTIONS,
        # Later than ours, which ends answers without a fault.
        timeout_graceful_shutdown=2 * LAST_SECONDS,
    )
    config.load()
    listening = _bound(address)
    # Not serve(), which takes the signals and raises them again when it has ended.
    server = uvicorn.Server(config)
    server.lifespan = config.lifespan_class(config)
    server.servers = []
    make = partial(
        PatientProtocol, config=config, server_state=server.server_state, app_state={}, crowd=crowd
    )
    chores = [
        asyncio.create_task(server.main_loop()),
        asyncio.create_task(accept_all(listening, make, tls)),
    ]
    try:
        yield f"{address.rpartition(':')[0]}:{listening.getsockname()[1]}"
    finally:
        for chore in chores:
            chore.cancel()
        await asyncio.wait(chores)
        listening.close()
        await _close(server)


def _bound(address: str) -> socket.socket:
    host, _, port = address.rpartition(":")
    family = socket.AF_INET6 if host.startswith("[") else socket.AF_INET
    try:
        listening = socket.create_server((host.strip("[]"), int(port)), family=family, backlog=BACKLOG)
    except OSError as error:
        raise OSError(f"cannot listen on {address}: is another server there?") from error
    # asyncio does not see that it is TCP: the body of each answer would wait until its head is acknowledged.
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    if hasattr(socket, "TCP_USER_TIMEOUT"):  # where there is none, such a connection stays
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, round(UNREAD_SECONDS * 1000))
    listening.setblocking(False)
    return listening


async def _close(server: uvicorn.Server) -> None:
    """Whoever is connected and asks nothing is not waited for, and not for long whoever does not read."""
    state = server.server_state
    if not state.connections and not state.tasks:
        return  # the library's way takes a tenth of a second even so
    cut = asyncio.get_running_loop().call_later(LAST_SECONDS, _cut, state)
    try:
        await server.shutdown()
    finally:
        cut.cancel()
        _cut(state)


def _cut(state: ServerState) -> None:
    for connection in list(state.connections):
        connection.transport.abort()
