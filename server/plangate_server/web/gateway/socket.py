"""WS /ws and /ws/{session_id}: plans and decisions of one session, or of all."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from typing import Final

from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from plangate_server.fronts import Calls, RefusedCall
from plangate_server.web.api import shown_by
from plangate_server.web.gateway.chunks import error_chunk
from plangate_server.web.gateway.desk import Desk
from plangate_server.web.gateway.said import BadMessage, read_decision, read_object
from plangate_server.web.refusals import call_refusal_body

NOT_KNOWN: Final = 4401
ENDED: Final = 4503
"""Close codes: the token is missing or ended; the gate stops, or the IDE did not read."""


def socket_routes(calls: Calls) -> list[WebSocketRoute]:
    async def talk(socket: WebSocket) -> None:
        await socket.accept()
        desk = Desk(calls, shown_by(socket), socket.path_params.get("session_id", ""))
        hearing = asyncio.create_task(_hear(socket, desk))
        telling = asyncio.create_task(_tell(socket, desk))
        try:
            await asyncio.wait((hearing, telling), return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (hearing, telling):
                task.cancel()
            await asyncio.gather(hearing, telling, return_exceptions=True)

    return [WebSocketRoute(path, talk) for path in ("/ws", "/ws/{session_id:path}")]


async def _tell(socket: WebSocket, desk: Desk) -> None:
    try:
        async with aclosing(desk.events()) as events:
            async for event in events:
                if chunk := await desk.chunk(event):
                    await socket.send_json(chunk)
    except RefusedCall as refusal:
        await socket.send_json(_refused(refusal))
        await socket.close(NOT_KNOWN if refusal.code == "UNAUTHENTICATED" else ENDED)
    except WebSocketDisconnect:
        return  # nobody is there any more


async def _hear(socket: WebSocket, desk: Desk) -> None:
    """Take what the IDE says; what is wrong with it is answered, and the socket lives."""
    while (message := await socket.receive())["type"] != "websocket.disconnect":
        try:
            said = message.get("text") or message.get("bytes") or b""
            await desk.decide(read_decision(read_object(said)))
        except BadMessage as bad:
            await socket.send_json(error_chunk(str(bad), code="INVALID_ARGUMENT", reason="MALFORMED_REQUEST"))
        except RefusedCall as refusal:
            await socket.send_json(_refused(refusal))


def _refused(refusal: RefusedCall) -> dict[str, object]:
    error = call_refusal_body(refusal)["error"]
    return error_chunk(error["message"], code=error["code"], reason=error["reason"])
