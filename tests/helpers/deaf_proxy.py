"""A way to PostgreSQL on which no notification arrives, whoever sends it."""

from __future__ import annotations

import asyncio
import struct
from asyncio import StreamReader, StreamWriter
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager, suppress
from typing import Any
from urllib.parse import urlsplit

NOTIFICATION = b"A"
"""The type of a NotificationResponse in PostgreSQL's protocol."""


@asynccontextmanager
async def deaf(url: str) -> AsyncIterator[str]:
    """The URL of the same database, with every notification left out."""
    to = urlsplit(url)

    async def serve(reader: StreamReader, writer: StreamWriter) -> None:
        upstream_reader, upstream_writer = await asyncio.open_connection(to.hostname, to.port)
        with suppress(OSError, asyncio.IncompleteReadError):
            await _first_to_end(_copy(reader, upstream_writer), _copy_answers(upstream_reader, writer))
        for end in (writer, upstream_writer):
            end.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        # Without these the connection would begin with questions that have untyped answers.
        yield f"postgresql://{to.username}@127.0.0.1:{port}{to.path}?sslmode=disable&gssencmode=disable"


async def _first_to_end(*ways: Coroutine[Any, Any, None]) -> None:
    tasks = [asyncio.create_task(way) for way in ways]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _copy(reader: StreamReader, writer: StreamWriter) -> None:
    while data := await reader.read(65536):
        writer.write(data)
        await writer.drain()


async def _copy_answers(reader: StreamReader, writer: StreamWriter) -> None:
    while True:
        head = await reader.readexactly(5)
        kind, (length,) = head[:1], struct.unpack("!I", head[1:])
        body = await reader.readexactly(length - 4)
        if kind != NOTIFICATION:
            writer.write(head + body)
            await writer.drain()
