"""The frames of HTTP/2 that unary and server-streaming calls over loopback need."""

from __future__ import annotations

from enum import IntEnum
from functools import cache
from typing import Final

WINDOW: Final = 65_535
"""How many bytes may be on their way until the other side allows more."""
LARGEST_WINDOW: Final = 2**31 - 1
FRAME_BYTES: Final = 16_384
END_STREAM: Final = 1
ACKNOWLEDGED: Final = 1
END_HEADERS: Final = 4
CANCEL: Final = (8).to_bytes(4, "big")


class Frame(IntEnum):
    DATA = 0
    HEADERS = 1
    RST_STREAM = 3
    SETTINGS = 4
    PING = 6
    WINDOW_UPDATE = 8


def frame(kind: Frame, flags: int, stream: int, payload: bytes = b"") -> bytes:
    return len(payload).to_bytes(3, "big") + bytes((kind, flags)) + stream.to_bytes(4, "big") + payload


def opening() -> bytes:
    """What a client says first; here also that it takes all it can get."""
    initial_window_size = b"\x00\x04" + LARGEST_WINDOW.to_bytes(4, "big")
    settings = frame(Frame.SETTINGS, 0, 0, initial_window_size)
    return b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + settings + allowance(LARGEST_WINDOW - WINDOW)


def allowance(size: int) -> bytes:
    """Room for so many more bytes on the connection."""
    return frame(Frame.WINDOW_UPDATE, 0, 0, size.to_bytes(4, "big"))


def request(path: str, token: str, stream: int, body: bytes) -> bytes:
    """A whole gRPC request: its headers, and its one message."""
    assert len(body) <= FRAME_BYTES, "a larger message needs several frames"
    headers = frame(Frame.HEADERS, END_HEADERS, stream, _headers(path, token))
    return headers + frame(Frame.DATA, END_STREAM, stream, body)


@cache
def _headers(path: str, token: str) -> bytes:
    fields = {
        ":method": "POST",
        ":scheme": "http",
        ":path": path,
        ":authority": "localhost",
        "content-type": "application/grpc",
        "te": "trailers",
    } | ({"authorization": f"Bearer {token}"} if token else {})
    return b"".join(b"\0" + _text(name) + _text(value) for name, value in fields.items())


def _text(text: str) -> bytes:
    assert len(text) < 127, "longer ones need more than a byte for their length"
    return bytes((len(text),)) + text.encode()
