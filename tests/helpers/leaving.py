"""Browsers and programs that are gone in the middle of what they asked the web port for."""

from __future__ import annotations

import asyncio
import json
import socket
import struct
from collections.abc import Awaitable, Callable

from tests.helpers.conditions import PATIENCE
from tests.helpers.tokens import local_token

UPGRADE = (
    "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
)
LIST = "POST /api/aiserver.v1.PlanReviewService/ListReviews"
HELLO = {"type": "user_message", "content": "hello"}
CLOSE, NO_TEXT, NO_FRAME = b"\x88\x80\0\0\0\0", b"\x81\x82\0\0\0\0\xff\xfe", b"\xff" * 20
GARBAGE = b"2\r\n{}\r\nzz\r\n\r\n"


def requests(web: str) -> dict[str, bytes]:
    """Everything that takes long to ask or to answer, well-formed and not, as it goes over the line."""
    socket_open, chunked = _head(web, "GET /ws", UPGRADE), "Transfer-Encoding: chunked\r\n"
    large = b'{"text": "' + b"a line \\n" * 500 + b'"}'
    return {
        "the live stream": _head(web, "GET /api/live"),
        "three streams on one line": _head(web, "GET /api/live") * 3,
        "events of an IDE": _head(web, "GET /agent/events"),
        "a message of an IDE": _with_body(web, "POST /agent/message/stream", _json({"message": HELLO})),
        "a socket": socket_open,
        "a socket that talks": socket_open + 5 * _frame(json.dumps(HELLO)),
        "a socket that talks nonsense": socket_open + 5 * _frame("{"),
        "a socket that says no text": socket_open + NO_TEXT,
        "a socket that says no frame": socket_open + NO_FRAME,
        "a socket that is closed": socket_open + CLOSE,
        "a download": _with_body(web, LIST, b'{"pageSize": 1000}'),
        "an upload": _with_body(web, "POST /api/render", large),
        "a body of no chunks": _head(web, LIST, chunked) + GARBAGE,
        "a body of nobody": f"{LIST} HTTP/1.1\r\nHost: {web}\r\n{chunked}\r\n".encode() + GARBAGE,
    }


async def once_asked(line: socket.socket) -> None:
    """At once."""


async def once_answered(line: socket.socket) -> None:
    """When the answer has begun; or the line was closed."""
    async with asyncio.timeout(PATIENCE):
        try:
            await asyncio.get_running_loop().sock_recv(line, 1)
        except ConnectionError:
            """It had nothing to say."""


async def leave(
    web: str, data: bytes, when: Callable[[socket.socket], Awaitable[object]], *, reset: bool = True
) -> None:
    """Send it, wait, and be gone: with a reset, as from a process that was killed, or by closing."""
    loop = asyncio.get_running_loop()
    host, _, port = web.rpartition(":")
    with socket.socket() as line:
        line.setblocking(False)
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        await loop.sock_connect(line, (host, int(port)))
        if reset:
            line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        try:
            await loop.sock_sendall(line, data)
        except ConnectionError:
            return  # it was sent away
        await when(line)


def _head(web: str, what: str, more: str = "") -> bytes:
    shown = f"Authorization: Bearer {local_token('reviewer')}\r\nContent-Type: application/json\r\n"
    return f"{what} HTTP/1.1\r\nHost: {web}\r\n{shown}{more}\r\n".encode()


def _with_body(web: str, what: str, body: bytes) -> bytes:
    return _head(web, what, f"Content-Length: {len(body)}\r\n") + body


def _json(value: object) -> bytes:
    return json.dumps(value).encode()


def _frame(text: str) -> bytes:
    assert len(text) < 126
    return bytes([0x81, 0x80 | len(text), 0, 0, 0, 0]) + text.encode()
