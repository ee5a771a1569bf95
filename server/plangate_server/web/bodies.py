"""What comes with a request: read as far as it may be long, and no further, and only as strict JSON.

A few bytes of JSON become a hundred times as much in memory, and nobody can stop a parser at work. So what
there is to parse is counted first, part by part as it comes, and refused where it is too much.
"""

from __future__ import annotations

import asyncio
import json
import math
import re
from collections import Counter
from itertools import accumulate
from reprlib import repr as shortly
from typing import Any, Final, NoReturn

from starlette.requests import ClientDisconnect, Request

from plangate_server.domain.errors import MessageTooLarge, Reason, Refusal

JSON: Final = "application/json"
LONGEST_MESSAGE: Final = 512 * 1024
"""Of an IDE, by a socket or as a request."""
BODY_SECONDS: Final = 30
"""How long a body may be on its way: as long as a request over gRPC."""
DEEPEST: Final = 100
"""As deep as protobuf reads JSON."""
MOST_VALUES: Final = 150_000
"""Of a call: a plan with all the dependencies that it may have is less."""
FEW_VALUES: Final = 1000
"""Of all that is not a call, which has one object with a few texts."""

_ESCAPE: Final = re.compile(rb"\\.", re.DOTALL)
_STEPS: Final = {"[": 1, "{": 1, "]": -1, "}": -1}
_NOT_MARKS: Final = bytes(byte for byte in range(256) if byte not in b"[]{},")


class BadBody(Refusal):
    """Its words are for whoever sent it."""

    reason = Reason.MALFORMED_REQUEST


class TooMuchJson(BadBody):
    reason = Reason.LIMIT_EXCEEDED

    def __init__(self, limit: str, maximum: int, actual: int) -> None:
        super().__init__(
            f"the request passes the limit {limit}: {actual} or more of at most {maximum}",
            limit=limit,
            maximum=maximum,
            actual=actual,
        )


class Shape:
    """How much there is to parse in JSON that comes part by part. TooMuchJson, as soon as it is too much."""

    def __init__(self, most_values: int, most_bytes: int) -> None:
        self._most_values = most_values
        self._most_bytes = most_bytes
        self._bytes = 0
        self._values = 1
        self._depth = 0
        self._in_string = False
        self._begun_escape = b""

    def feed(self, part: bytes) -> None:
        # What is written as an escape is six times as long as it is.
        self._bytes += len(part) - 5 * part.count(rb"\u")
        if self._bytes > self._most_bytes:
            raise MessageTooLarge(self._most_bytes, self._bytes)
        pieces = self._whole_escapes(part).split(b'"')
        outside = b"".join(pieces[self._in_string :: 2])
        self._in_string ^= len(pieces) % 2 == 0
        marks = outside.translate(None, _NOT_MARKS).decode()
        # Each value but the first is behind a comma or an opening bracket.
        self._values += sum(map(marks.count, ",[{"))
        if self._values > self._most_values:
            raise TooMuchJson("json_values", self._most_values, self._values)
        depths = list(accumulate(map(_STEPS.__getitem__, marks.replace(",", "")), initial=self._depth))
        if (deepest := max(depths)) > DEEPEST:
            raise TooMuchJson("json_depth", DEEPEST, deepest)
        if min(depths) < 0:
            raise BadBody("the request is not JSON")
        self._depth = depths[-1]

    def _whole_escapes(self, part: bytes) -> bytes:
        """Without the escapes, of which one that is not whole waits for the next part."""
        if not self._begun_escape and b"\\" not in part:
            return part
        plain = _ESCAPE.sub(b"", self._begun_escape + part)
        self._begun_escape = b"\\" if plain.endswith(b"\\") else b""
        return plain.removesuffix(b"\\")


async def json_body(request: Request, most: int, shape: Shape | None = None) -> bytearray:
    """The body of a request that says it is JSON: a form of a foreign page cannot say so."""
    shape = shape or Shape(FEW_VALUES, most)
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != JSON:
        raise BadBody(f"send {JSON}: the Content-Type header has something else")
    try:
        async with asyncio.timeout(BODY_SECONDS):
            return await _read(request, most, shape)
    except TimeoutError:
        raise BadBody(f"the request has not come within {BODY_SECONDS} seconds") from None
    except ClientDisconnect:
        raise BadBody("the connection ended before the request did") from None


async def _read(request: Request, most: int, shape: Shape) -> bytearray:
    """All of it also if it is refused for its shape: whoever still sends does not read why."""
    body, size = bytearray(), 0
    refusal: Refusal | None = None
    async for part in request.stream():
        size += len(part)
        if size > most:
            raise BadBody(f"the request has more than {most} bytes")
        if refusal is None:
            try:
                shape.feed(part)
                body += part
            except Refusal as found:
                refusal = found
                body.clear()
    if refusal is not None:
        raise refusal
    return body


def json_message(data: bytes, what: str) -> dict[str, Any]:
    """A message that has come as a whole; as little of it as of a body is parsed."""
    Shape(FEW_VALUES, LONGEST_MESSAGE).feed(data)
    return json_object(data, what)


def json_object(data: bytes | bytearray, what: str = "the request") -> dict[str, Any]:
    """An object, of which everybody who reads it reads the same."""
    try:
        value = json.loads(
            data, object_pairs_hook=_named_once, parse_constant=_no_number, parse_float=_finite
        )
    except (ValueError, RecursionError):
        raise BadBody(f"{what} is not JSON") from None
    if not isinstance(value, dict):
        raise BadBody(f"{what} is not a JSON object")
    return value


def _named_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Of a name that is there twice, some readers take the first and some the last."""
    named = dict(pairs)
    if len(named) < len(pairs):
        twice, _ = Counter(name for name, _ in pairs).most_common(1)[0]
        raise BadBody(f"{shortly(twice)} is there twice: send each name once")
    return named


def _no_number(word: str) -> NoReturn:
    raise BadBody(f"{word} is no number in JSON")


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise BadBody("a number is too large")
    return number
