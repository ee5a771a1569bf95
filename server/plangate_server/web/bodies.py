"""What comes with a request: read as far as it is allowed to be long, and no further."""

from __future__ import annotations

from typing import Final

from starlette.requests import Request

JSON: Final = "application/json"


class BadBody(Exception):
    """Its words are for whoever sent it."""


async def json_body(request: Request, most: int) -> bytes:
    """The body of a request that says it is JSON: a form of a foreign page cannot say so."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != JSON:
        raise BadBody(f"send {JSON}: the Content-Type header has something else")
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > most:
            raise BadBody(f"the request has more than {most} bytes")
        parts.append(part)
    return b"".join(parts)
