"""The same JSON as server-sent events: POST /agent/message/stream, and GET /agent/events to look on."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from plangate_proto.agent.v1.review_event_pb2 import ReviewEvent
from plangate_server.fronts import Calls, RefusedCall
from plangate_server.web.api import shown_by, with_refusals
from plangate_server.web.bodies import BadBody, json_body
from plangate_server.web.gateway.chunks import Chunk, error_chunk
from plangate_server.web.gateway.desk import Desk
from plangate_server.web.gateway.said import BadMessage, Decided, read_decision, read_object
from plangate_server.web.gateway.told import ASKED
from plangate_server.web.refusals import call_refusal_body

LONGEST: Final = 512 * 1024
EVENT_STREAM: Final = "text/event-stream"

Ends = Callable[[Chunk], bool]


def stream_routes(calls: Calls) -> list[Route]:
    async def message(request: Request) -> Response:
        session_id, said = _read(await json_body(request, LONGEST))
        desk = Desk(calls, shown_by(request), session_id)
        if said.get("type") == "user_message":
            return await _opened(desk, desk.events(), lambda chunk: chunk["type"] == ASKED)
        decided = _decision(said)
        events = desk.events(snapshot=False)
        # The stream is open before the decision is made: nothing of what follows from it is missed.
        await anext(events)
        plan_id = await desk.decide(decided)
        return _streamed(desk, events, lambda chunk: "is_final" in chunk and chunk["plan_id"] == plan_id)

    async def events(request: Request) -> Response:
        desk = Desk(calls, shown_by(request), request.query_params.get("session_id", ""))
        return await _opened(desk, desk.events(request.headers.get("last-event-id", "")), lambda _: False)

    return [
        Route("/agent/message/stream", with_refusals(message), methods=["POST"]),
        Route("/agent/events", with_refusals(events), methods=["GET"]),
    ]


async def _opened(desk: Desk, events: AsyncGenerator[ReviewEvent], ends: Ends) -> Response:
    """A stream that was let in: a refusal has a status of its own."""
    first = await anext(events)

    async def all_of_them() -> AsyncGenerator[ReviewEvent]:
        yield first
        async with aclosing(events) as others:
            async for event in others:
                yield event

    return _streamed(desk, all_of_them(), ends)


def _streamed(desk: Desk, events: AsyncGenerator[ReviewEvent], ends: Ends) -> Response:
    return StreamingResponse(_written(desk, events, ends), media_type=EVENT_STREAM)


async def _written(desk: Desk, events: AsyncGenerator[ReviewEvent], ends: Ends) -> AsyncIterator[str]:
    try:
        async with aclosing(events):
            async for event in events:
                if (chunk := await desk.chunk(event)) is None:
                    continue
                yield _event(chunk, event.cursor)
                if ends(chunk):
                    return
    except RefusedCall as refusal:
        error = call_refusal_body(refusal)["error"]
        yield _event(error_chunk(error["message"], code=error["code"], reason=error["reason"]))


def _event(chunk: Chunk, cursor: str = "") -> str:
    at = f"id: {cursor}\n" if cursor else ""
    return f"event: message\n{at}data: {json.dumps(chunk, ensure_ascii=False)}\n\n"


def _read(data: bytes) -> tuple[str, dict[str, Any]]:
    try:
        body = read_object(data)
    except BadMessage as bad:
        raise BadBody(str(bad)) from None
    session_id, said = body.get("session_id", ""), body.get("message")
    if not isinstance(session_id, str) or not isinstance(said, dict):
        raise BadBody("send a session_id and a message")
    return session_id, said


def _decision(said: dict[str, Any]) -> Decided:
    try:
        return read_decision(said)
    except BadMessage as bad:
        raise BadBody(str(bad)) from None
