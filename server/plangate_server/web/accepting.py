"""Takes connections as they come: a few before others have their turn, and only so many that shake hands."""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import Callable
from typing import Final, NoReturn

from plangate_server.logs import Log
from plangate_server.web.crowd import MOST_UNKNOWN

AT_A_TIME: Final = 8
HANDSHAKE_SECONDS: Final = 10.0
AGAIN_SECONDS: Final = 0.1
"""After so long it is tried again, when the process has as many files open as it may."""

tell = Log(__name__)


async def accept_all(
    listening: socket.socket, make: Callable[[], asyncio.Protocol], tls: ssl.SSLContext | None
) -> NoReturn:
    """Give each connection a protocol, until this is cancelled."""
    greeting: dict[asyncio.Task[None], socket.socket] = {}

    def over(task: asyncio.Task[None]) -> None:
        connection = greeting.pop(task)
        if task.cancelled():
            connection.close()

    try:
        while True:
            for _ in range(AT_A_TIME):
                connection = await _accepted(listening)
                task = asyncio.create_task(_greet(connection, make, tls))
                greeting[task] = connection
                task.add_done_callback(over)
                if len(greeting) > MOST_UNKNOWN:
                    next(task for task in greeting if not task.cancelling()).cancel()
            await asyncio.sleep(0)
    finally:
        for task in greeting:
            task.cancel()


async def _accepted(listening: socket.socket) -> socket.socket:
    while True:
        try:
            connection, _ = await asyncio.get_running_loop().sock_accept(listening)
        except ConnectionError:
            """Whoever it was has left already."""
        except OSError as error:
            tell.warning("not_accepted", "the web port cannot take a connection", error=str(error))
            await asyncio.sleep(AGAIN_SECONDS)
        else:
            return connection


async def _greet(
    connection: socket.socket, make: Callable[[], asyncio.Protocol], tls: ssl.SSLContext | None
) -> None:
    """Until the protocol has the connection, which TLS takes a while to hand over."""
    limits = {"ssl_handshake_timeout": HANDSHAKE_SECONDS} if tls else {}
    try:
        await asyncio.get_running_loop().connect_accepted_socket(make, connection, ssl=tls, **limits)
    except OSError:
        """It speaks no TLS, or was too slow; asyncio has closed it."""
