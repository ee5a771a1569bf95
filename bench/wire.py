"""A gRPC client that costs much less than grpc.aio's, so that it is the server that is measured.

Headers of a response are not decoded: that a call went well shows in its messages, because one that is
refused has none.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from bench import http2
from bench.call import Answer, Call
from bench.http2 import Frame
from bench.token import TOKEN


class Connection(asyncio.Protocol):
    """One connection for any number of calls at a time."""

    def __init__(self, token: str = TOKEN) -> None:
        self._token = token
        self._received = bytearray()
        self._calls: dict[int, Answer] = {}
        self._next_stream = 1
        self._room = http2.WINDOW
        self._unsent: deque[tuple[int, bytes]] = deque()
        self._unconfirmed = 0
        self.is_lost = False
        """Whether the other side has hung up."""

    def call(self, path: str, message: bytes) -> Call:
        """Send a request; the answer comes as it comes."""
        call = Call(path)
        self.begin(call, path, message)
        return call

    def begin(self, answer: Answer, path: str, message: bytes) -> None:
        """Send a request whose answer goes to what is given."""
        answer.stream, self._next_stream = self._next_stream, self._next_stream + 2
        self._calls[answer.stream] = answer
        body = b"\0" + len(message).to_bytes(4, "big") + message
        self._unsent.append((len(body), http2.request(path, self._token, answer.stream, body)))
        self._send()

    def stop_reading(self) -> None:
        """Leave what comes where it is."""
        self._transport.pause_reading()

    def cancel(self, answer: Answer) -> None:
        """End a call early; what was on its way is passed over."""
        self._calls.pop(answer.stream, None)
        self._transport.write(http2.frame(Frame.RST_STREAM, 0, answer.stream, http2.CANCEL))

    async def unary(self, path: str, message: bytes) -> bytes:
        """The one message of the answer, once the call has ended."""
        [response] = [response async for response in self.call(path, message)]
        return response

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        transport.write(http2.opening())

    def connection_lost(self, exc: Exception | None) -> None:
        self.is_lost = True
        for call in self._calls.values():
            call.end(exc or ConnectionError("the server closed the connection"))

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
                self._make_room(len(payload))
                if call := self._calls.get(stream):
                    call.received(payload)
            case Frame.SETTINGS | Frame.PING if not flags & http2.ACKNOWLEDGED:
                echo = payload if kind == Frame.PING else b""
                self._transport.write(http2.frame(Frame(kind), http2.ACKNOWLEDGED, 0, echo))
            case Frame.WINDOW_UPDATE if not stream:
                self._room += int.from_bytes(payload, "big")
                self._send()
            case Frame.RST_STREAM if stream in self._calls:
                self._calls.pop(stream).end(ConnectionError("the server reset the call"))
        ends = kind in (Frame.DATA, Frame.HEADERS) and flags & http2.END_STREAM
        if ends and (call := self._calls.pop(stream, None)):
            call.ended(payload)

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
async def connected(address: str, token: str = TOKEN) -> AsyncIterator[Connection]:
    host, _, port = address.rpartition(":")
    loop = asyncio.get_running_loop()
    transport, connection = await loop.create_connection(lambda: Connection(token), host, int(port))
    try:
        yield connection
    finally:
        transport.close()
