"""WS /ws and /ws/{session_id}: plans and decisions of one session, or of all."""

from __future__ import annotations

import asyncio
from contextlib import aclosing, suppress
from typing import Final

from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from plangate_server.fronts import Calls, RefusedCall
from plangate_server.web.api import shown_by
from plangate_server.web.bodies import BadBody, json_object
from plangate_server.web.gateway.chunks import heard_chunk, refusal_chunk
from plangate_server.web.gateway.desk import Desk
from plangate_server.web.gateway.said import read_message
from plangate_server.web.refusals import HTTP

CLOSE: Final = 4000
"""And the status that HTTP has for why: 4401, who is not known; 4503, the gate stops."""


def socket_routes(calls: Calls) -> list[WebSocketRoute]:
    async def talk(socket: WebSocket) -> None:
        await socket.accept()
        desk = Desk(calls, shown_by(socket), socket.path_params.get("session_id", ""))
        both = [asyncio.create_task(each(socket, desk)) for each in (_hear, _tell)]
        try:
            ended, _ = await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in both:
                task.cancel()
            await asyncio.wait(both)
        with suppress(WebSocketDisconnect):  # nobody is there any more
            for task in ended:
                task.result()

    return [WebSocketRoute(path, talk) for path in ("/ws", "/ws/{session_id:path}")]


async def _tell(socket: WebSocket, desk: Desk) -> None:
    try:
        async with aclosing(desk.events()) as events:
            async for event in events:
                if chunk := await desk.chunk(event):
                    await socket.send_json(chunk)
    except RefusedCall as refusal:
        chunk = refusal_chunk(refusal)
        await socket.send_json(chunk)
        await socket.close(CLOSE + HTTP[refusal.code], chunk["metadata"]["reason"])


async def _hear(socket: WebSocket, desk: Desk) -> None:
    """Take what the IDE says; what is wrong with it is answered, and the socket lives."""
    while (message := await socket.receive())["type"] != "websocket.disconnect":
        try:
            said = read_message(
                json_object(message.get("text") or message.get("bytes") or b"", "the message")
            )
            if said is None:
                await socket.send_json(heard_chunk(desk.session_id))
            else:
                await desk.decide(said)
        except (BadBody, RefusedCall) as refusal:
            await socket.send_json(refusal_chunk(refusal))
