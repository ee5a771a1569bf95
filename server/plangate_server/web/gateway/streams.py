"""The same JSON as server-sent events: POST /agent/message/stream, and GET /agent/events to look on."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack, aclosing
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from plangate_proto.agent.v1.review_event_pb2 import ReviewEvent
from plangate_server.fronts import Calls, RefusedCall
from plangate_server.web.api import shown_by, with_refusals
from plangate_server.web.bodies import LONGEST_MESSAGE, BadBody, json_body, json_object
from plangate_server.web.crowd import let_in
from plangate_server.web.gateway.chunks import Chunk, heard_chunk, refusal_chunk
from plangate_server.web.gateway.desk import Desk, following
from plangate_server.web.gateway.said import Answered, Decided, read_message, said_text
from plangate_server.web.gateway.told import ASKS
from plangate_server.web.sign_in import WHO_AM_I
from plangate_server.web.sse import EventStream, resumed_from, stream_route, text_of, written

Ends = Callable[[Chunk], bool]


def stream_routes(calls: Calls) -> list[Route]:
    async def message(request: Request) -> Response:
        shown = shown_by(request)
        # Of whoever is not known nothing is read.
        await calls.answer(WHO_AM_I.path, shown, b"")
        let_in(request)
        session_id, said = _read(await json_body(request, LONGEST_MESSAGE))
        desk = Desk(calls, shown, session_id)
        if said is None:
            return await _looking_on(desk, heard_chunk(session_id))
        return await _deciding(desk, said)

    async def events(request: Request) -> Response:
        desk = Desk(calls, shown_by(request), request.query_params.get("session_id", ""))
        watched = desk.events(resumed_from(request))
        # Before the answer begins: a refusal has a status of its own.
        first = await anext(watched)
        let_in(request)
        return EventStream(_written(desk, following(first, watched), lambda _: False))

    return [
        Route("/agent/message/stream", with_refusals(message), methods=["POST"]),
        stream_route("/agent/events", events),
    ]


async def _looking_on(desk: Desk, heard: Chunk) -> Response:
    """Tell what the agent does, until it asks."""
    watched = desk.events()
    first = await anext(watched)
    return EventStream(_written(desk, following(first, watched), lambda chunk: chunk["type"] in ASKS, heard))


async def _deciding(desk: Desk, said: Decided | Answered) -> Response:
    """Decide, and tell what follows from it, until it has ended."""
    async with AsyncExitStack() as stack:
        watched = await stack.enter_async_context(aclosing(desk.events(snapshot=False)))
        # The stream is open before the decision is made: nothing of what follows from it is missed.
        await anext(watched)
        about = await desk.decide(said)
        stack.pop_all()
    return EventStream(
        _written(desk, watched, lambda chunk: "is_final" in chunk and about.items() <= chunk.items())
    )


async def _written(
    desk: Desk, events: AsyncGenerator[ReviewEvent], ends: Ends, heard: Chunk | None = None
) -> AsyncGenerator[str]:
    if heard:
        yield written("message", text_of(heard))
    try:
        async with aclosing(events):
            async for event in events:
                async with aclosing(desk.chunks(event)) as chunks:
                    async for chunk in chunks:
                        yield written("message", text_of(chunk), chunk.get("cursor", ""))
                        if ends(chunk):
                            return
    except RefusedCall as refusal:
        yield written("message", text_of(refusal_chunk(refusal)))


def _read(data: bytearray) -> tuple[str, Decided | Answered | None]:
    body: dict[str, Any] = json_object(data)
    said = body.get("message")
    if not isinstance(said, dict):
        raise BadBody("send a session_id and a message")
    return said_text(body, "session_id"), read_message(said)
