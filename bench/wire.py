"""A gRPC client that costs much less than grpc.aio's, so that it is the server that is measured.

Headers of a response are not decoded: that a call went well shows in its messages, because one that is
refused has none.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Self

from bench import http2
from bench.http2 import Frame


class Call:
    """The answer to a request: an iterator over its messages."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._unread: asyncio.Queue[bytes | Exception | None] = asyncio.Queue()
        self._partial = b""
        self._answered = False

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> bytes:
        message = await self._unread.get()
        if isinstance(message, bytes):
            return message
        raise message or StopAsyncIteration

    def received(self, data: bytes) -> None:
        """Bytes of messages, each of which has a flag and its length before it."""
        data = self._partial + data
        while len(data) >= 5 and len(data) >= (end := 5 + int.from_bytes(data[1:5], "big")):
            self._unread.put_nowait(data[5:end])
            self._answered = True
            data = data[end:]
        self._partial = data

    def ended(self, trailers: bytes) -> None:
        refusal = None if self._answered else RuntimeError(f"{self._path} was refused: {trailers!r}")
        self._unread.put_nowait(refusal)

    def broke(self, problem: Exception) -> None:
        self._unread.put_nowait(problem)


class Connection(asyncio.Protocol):
    """One connection for any number of calls at a time."""

    def __init__(self) -> None:
        self._received = bytearray()
        self._calls: dict[int, Call] = {}
        self._next_stream = 1
        self._room = http2.WINDOW
        self._unsent: deque[tuple[int, bytes]] = deque()
        self._unconfirmed = 0

    def call(self, path: str, message: bytes) -> Call:
        """Send a request; the answer comes as it comes."""
        stream, self._next_stream = self._next_stream, self._next_stream + 2
        self._calls[stream] = call = Call(path)
        body = b"\0" + len(message).to_bytes(4, "big") + message
        self._unsent.append((len(body), http2.request(path, stream, body)))
        self._send()
        return call

    async def unary(self, path: str, message: bytes) -> bytes:
        """The one message of the answer, once the call has ended."""
        [response] = [response async for response in self.call(path, message)]
        return response

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        transport.write(http2.opening())

    def connection_lost(self, exc: Exception | None) -> None:
        for call in self._calls.values():
            call.broke(exc or ConnectionError("the server closed the connection"))

    def data_received(self, data: bytes) -> None:
        received = self._received
        received += data
        start = 0
        while len(received) >= (body := start + 9):
            end = body + int.from_bytes(received[start : start + 3], "big")
            if len(received) < end:
                break
            kind, flags = received[start + 3 : start + 5]
            stream = int.from_bytes(received[start + 5 : body], "big")
            self._take(kind, flags, stream, bytes(received[body:end]))
            start = end
        del received[:start]

    def _take(self, kind: int, flags: int, stream: int, payload: bytes) -> None:
        match kind:
            case Frame.DATA:
                self._calls[stream].received(payload)
                self._make_room(len(payload))
            case Frame.SETTINGS | Frame.PING if not flags & http2.ACKNOWLEDGED:
                echo = payload if kind == Frame.PING else b""
                self._transport.write(http2.frame(Frame(kind), http2.ACKNOWLEDGED, 0, echo))
            case Frame.WINDOW_UPDATE if not stream:
                self._room += int.from_bytes(payload, "big")
                self._send()
            case Frame.RST_STREAM if stream in self._calls:
                self._calls.pop(stream).broke(ConnectionError("the server reset the call"))
        if kind in (Frame.DATA, Frame.HEADERS) and flags & http2.END_STREAM:
            self._calls.pop(stream).ended(payload)

    def _send(self) -> None:
        """What waits, as far as the other side has room for it."""
        while self._unsent and self._unsent[0][0] <= self._room:
            size, frames = self._unsent.popleft()
            self._room -= size
            self._transport.write(frames)

    def _make_room(self, size: int) -> None:
        self._unconfirmed += size
        if self._unconfirmed > http2.LARGEST_WINDOW // 4:
            self._transport.write(http2.allowance(self._unconfirmed))
            self._unconfirmed = 0


@asynccontextmanager
async def connected(address: str) -> AsyncIterator[Connection]:
    host, _, port = address.rpartition(":")
    loop = asyncio.get_running_loop()
    transport, connection = await loop.create_connection(Connection, host, int(port))
    try:
        yield connection
    finally:
        transport.close()
