"""What comes with a request: read as far as it may be long, and no further, and only as strict JSON."""

from __future__ import annotations

import asyncio
import json
import math
from typing import Any, Final, NoReturn

from starlette.requests import ClientDisconnect, Request

from plangate_server.domain.errors import Reason, Refusal

JSON: Final = "application/json"
LONGEST_MESSAGE: Final = 512 * 1024
"""Of an IDE, by a socket or as a request."""
BODY_SECONDS: Final = 30
"""How long a body may be on its way: as long as a request over gRPC."""


class BadBody(Refusal):
    """Its words are for whoever sent it."""

    reason = Reason.MALFORMED_REQUEST


async def json_body(request: Request, most: int) -> bytes:
    """The body of a request that says it is JSON: a form of a foreign page cannot say so."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != JSON:
        raise BadBody(f"send {JSON}: the Content-Type header has something else")
    try:
        async with asyncio.timeout(BODY_SECONDS):
            return await _read(request, most)
    except TimeoutError:
        raise BadBody(f"the request has not come within {BODY_SECONDS} seconds") from None
    except ClientDisconnect:
        raise BadBody("the connection ended before the request did") from None


async def _read(request: Request, most: int) -> bytes:
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > most:
            raise BadBody(f"the request has more than {most} bytes")
        parts.append(part)
    return b"".join(parts)


def json_object(data: str | bytes, what: str = "the request") -> dict[str, Any]:
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
        twice = next(name for place, (name, _) in enumerate(pairs) if name in dict(pairs[:place]))
        raise BadBody(f"{twice!r} is there twice: send each name once")
    return named


def _no_number(word: str) -> NoReturn:
    raise BadBody(f"{word} is no number in JSON")


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise BadBody("a number is too large")
    return number
