"""Server-sent events: how they are written, and how a line that is silent for long shows that it is there."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing
from typing import Any, Final

from starlette.responses import StreamingResponse
from starlette.routing import Route

from plangate_server.web.api import Answer, with_refusals

EVENT_STREAM: Final = "text/event-stream"
STILL_HERE: Final = ": still here\n\n"
QUIET_SECONDS: Final = 15.0
"""After so long a silence a listener is told that the line is there."""


def text_of(data: Mapping[str, Any]) -> str:
    return json.dumps(data, ensure_ascii=False)


def written(kind: str, text: str, cursor: str = "") -> str:
    at = f"id: {cursor}\n" if cursor else ""
    return f"event: {kind}\n{at}data: {text}\n\n"


def event_stream(events: AsyncGenerator[str]) -> StreamingResponse:
    return StreamingResponse(_kept_alive(events), media_type=EVENT_STREAM)


def stream_route(path: str, answer: Answer) -> Route:
    route = Route(path, with_refusals(answer), methods=["GET"])
    # Or a HEAD would listen, and hear nothing.
    route.methods = {"GET"}
    return route


async def _kept_alive(events: AsyncGenerator[str]) -> AsyncIterator[str]:
    async with aclosing(events):
        coming = asyncio.create_task(_next(events))
        try:
            while True:
                done, _ = await asyncio.wait([coming], timeout=QUIET_SECONDS)
                if not done:
                    yield STILL_HERE
                    continue
                event = coming.result()
                if event is None:
                    return
                yield event
                coming = asyncio.create_task(_next(events))
        finally:
            coming.cancel()
            await asyncio.wait([coming])


async def _next(events: AsyncGenerator[str]) -> str | None:
    """The next event; None if there is none."""
    return await anext(events, None)
