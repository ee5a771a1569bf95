"""WS /ws and /ws/{session_id}: plans, tool calls and decisions of one session, or of all."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress
from typing import Final

from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from plangate_proto.agent.v1.review_event_pb2 import ReviewEvent
from plangate_server.domain.errors import Refusal
from plangate_server.fronts import Calls, RefusedCall
from plangate_server.web.api import shown_by
from plangate_server.web.bodies import json_message
from plangate_server.web.crowd import let_in
from plangate_server.web.gateway.chunks import Chunk, heard_chunk, refusal_chunk
from plangate_server.web.gateway.desk import Desk, following
from plangate_server.web.gateway.said import named_in, read_message
from plangate_server.web.leaving import until_one_ends
from plangate_server.web.refusals import HTTP
from plangate_server.web.sse import resumed_from

CLOSE: Final = 4000
"""And the status that HTTP has for why: 4401, who is not known; 4503, the gate stops."""


def socket_routes(calls: Calls) -> list[WebSocketRoute]:
    async def talk(socket: WebSocket) -> None:
        await socket.accept()
        desk = Desk(calls, shown_by(socket), socket.path_params.get("session_id", ""))
        with suppress(WebSocketDisconnect):  # nobody is there any more
            try:
                async with aclosing(desk.events(resumed_from(socket))) as events:
                    # Before anything is heard: who may not look on is not listened to.
                    first = await anext(events)
                    let_in(socket)
                    await until_one_ends(_hear(socket, desk), _tell(socket, desk, first, events))
            except (Refusal, RefusedCall) as refusal:
                await _close(socket, refusal)

    return [WebSocketRoute(path, talk) for path in ("/ws", "/ws/{session_id:path}")]


async def _tell(
    socket: WebSocket, desk: Desk, first: ReviewEvent, events: AsyncGenerator[ReviewEvent]
) -> None:
    async with aclosing(following(first, events)) as every:
        async for event in every:
            async with aclosing(desk.chunks(event)) as chunks:
                async for chunk in chunks:
                    await socket.send_json(chunk)


async def _hear(socket: WebSocket, desk: Desk) -> None:
    """Take what the IDE says; what is wrong with it is answered, and the socket lives."""
    while (message := await socket.receive())["type"] != "websocket.disconnect":
        if answer := await _heard(desk, message["bytes"]):
            await socket.send_json(answer)


async def _heard(desk: Desk, data: bytes) -> Chunk | None:
    """What is answered; a decision that is taken is told by what follows from it."""
    about: dict[str, str] = {}
    try:
        message = json_message(data, "the message")
        about = named_in(message)
        said = read_message(message)
        if said is None:
            return heard_chunk(desk.session_id, desk.cursor)
        await desk.decide(said)
    except (Refusal, RefusedCall) as refusal:
        return refusal_chunk(refusal, about)
    return None


async def _close(socket: WebSocket, refusal: Refusal | RefusedCall) -> None:
    """When nobody else speaks any more: nothing can be said behind it."""
    chunk = refusal_chunk(refusal)
    await socket.send_json(chunk)
    await socket.close(CLOSE + HTTP[chunk["metadata"]["code"]], chunk["metadata"]["reason"])
