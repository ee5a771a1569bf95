"""Server-sent events: how they are written, and how a line that is silent for long shows that it is there."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from typing import Any, Final

from starlette.requests import HTTPConnection
from starlette.responses import StreamingResponse
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from plangate_server.web.api import Answer, with_refusals
from plangate_server.web.bodies import BadBody
from plangate_server.web.leaving import until_one_ends

EVENT_STREAM: Final = "text/event-stream"
STILL_HERE: Final = ": still here\n\n"
QUIET_SECONDS: Final = 15.0
"""After so long a silence a listener is told that the line is there."""


def text_of(data: Mapping[str, Any]) -> str:
    return json.dumps(data, ensure_ascii=False)


def written(kind: str, text: str, cursor: str = "") -> str:
    at = f"id: {cursor}\n" if cursor else ""
    return f"event: {kind}\n{at}data: {text}\n\n"


def resumed_from(connection: HTTPConnection) -> str:
    """Where a listener goes on, by the header of server-sent events or as a parameter; empty if anew."""
    said = {connection.headers.get("last-event-id", ""), connection.query_params.get("cursor", "")} - {""}
    if len(said) > 1:
        raise BadBody("Last-Event-ID and cursor are two places: send one")
    return said.pop() if said else ""


class EventStream(StreamingResponse):
    """Events as they come, until there are no more or the listener has left."""

    def __init__(self, events: AsyncGenerator[str]) -> None:
        self._lines = _kept_alive(events)
        super().__init__(self._lines, media_type=EVENT_STREAM)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async with aclosing(self._lines):
            await until_one_ends(self.stream_response(send), self.listen_for_disconnect(receive))


def stream_route(path: str, answer: Answer) -> Route:
    route = Route(path, with_refusals(answer), methods=["GET"])
    # Or a HEAD would listen, and hear nothing.
    route.methods = {"GET"}
    return route


async def _kept_alive(events: AsyncGenerator[str]) -> AsyncGenerator[str]:
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
