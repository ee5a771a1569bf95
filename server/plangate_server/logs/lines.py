"""An event as one line of JSON, in ASCII: no text in it can move a cursor, hide, or begin another line."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from functools import lru_cache
from typing import Final, Protocol

from msgspec.json import Encoder

NOT_ASCII: Final = b"\xff"

# Whatever is logged, the line must not fail whoever logs it.
_encode: Final = Encoder(enc_hook=str).encode


class Written(Protocol):
    """What becomes a line when it is written: for what happens too often to be put into words at once."""

    def line(self) -> bytes: ...


def line(
    level: str, event: str, message: str, fields: Mapping[str, object], nanoseconds: int | None = None
) -> bytes:
    """A line that begins with its time, now if none is given; fields are texts, numbers and lists of them."""
    moment = _rfc3339(time.time_ns() if nanoseconds is None else nanoseconds)
    return encoded({"time": moment, "level": level, "event": event, "message": message, **fields})


def encoded(fields: Mapping[str, object]) -> bytes:
    """One line of JSON. Nearly every one is ASCII as it is; only the others take the long way."""
    try:
        raw = _encode(fields)
    except UnicodeEncodeError:  # half of a pair, as in the name of a file that is not UTF-8
        raw = NOT_ASCII
    if not raw.isascii():
        raw = json.dumps(fields, separators=(",", ":"), default=str).encode()
    return raw.replace(b"\x7f", b"\\u007f") + b"\n"


def _rfc3339(nanoseconds: int) -> str:
    """In UTC, always with six digits: lines sort by it."""
    seconds, rest = divmod(nanoseconds, 1_000_000_000)
    return f"{_second(seconds)}.{rest // 1000:06d}Z"


@lru_cache(maxsize=2)
def _second(seconds: int) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds))
