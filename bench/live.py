"""Pages that listen, without a browser: each signs in and holds a stream of server-sent events."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from http.client import HTTPConnection
from typing import Final

from bench.token import OTHER_TOKEN

OPENED: Final = b"REVIEW_EVENT_TYPE_CHECKPOINT"
"""What a page is told when it has heard of all plans that wait."""
TAIL: Final = 64
"""So much of what came before is looked at again: words can come in two parts."""
PATIENCE_SECONDS: Final = 60


class Listener(asyncio.Protocol):
    """The stream of one page: what came when, of which only certain words are looked for."""

    def __init__(self, head: bytes) -> None:
        self._head = head
        self._came: list[tuple[float, bytes]] = []
        self._more = asyncio.Event()
        self._problem: Exception | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        transport.write(self._head)

    def data_received(self, data: bytes) -> None:
        self._came.append((time.time(), data))
        self._more.set()

    def connection_lost(self, exc: Exception | None) -> None:
        self._problem = exc or ConnectionError("the server closed the stream")
        self._more.set()

    async def heard(self, words: bytes) -> float:
        """When these words came; what came before is forgotten."""
        seen = b""
        async with asyncio.timeout(PATIENCE_SECONDS):
            while True:
                for place, (when, data) in enumerate(self._came):
                    seen = seen[-TAIL:] + data
                    if words in seen:
                        del self._came[:place]
                        return when
                self._came.clear()
                if self._problem is not None:
                    raise self._problem
                self._more.clear()
                await self._more.wait()


@asynccontextmanager
async def listening(web: str, pages: int) -> AsyncIterator[list[Listener]]:
    """So many pages, each signed in on its own, and told all that waits."""
    host, _, port = web.rpartition(":")
    loop = asyncio.get_running_loop()
    lines: list[tuple[asyncio.Transport, Listener]] = []
    try:
        for _ in range(pages):
            head = await asyncio.to_thread(_signed_in, web)
            line = await loop.create_connection(partial(Listener, head), host, int(port))
            lines.append(line)
            await line[1].heard(OPENED)
        yield [listener for _, listener in lines]
    finally:
        for transport, _ in lines:
            transport.close()


def _signed_in(web: str) -> bytes:
    """The head of the request that opens the stream, as the page sends it."""
    connection = HTTPConnection(web, timeout=PATIENCE_SECONDS)
    try:
        body = json.dumps({"token": OTHER_TOKEN})
        connection.request("POST", "/sign-in", body, {"Content-Type": "application/json"})
        answer = connection.getresponse()
        cookie = (answer.getheader("Set-Cookie") or "").partition(";")[0]
        key = json.load(answer)["key"]
    finally:
        connection.close()
    return (
        f"GET /api/live HTTP/1.1\r\nHost: {web}\r\nCookie: {cookie}\r\nX-Plangate-Key: {key}\r\n\r\n"
    ).encode()
