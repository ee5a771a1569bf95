"""WebSockets whose peer may leave, or send what it likes, at any moment."""

from __future__ import annotations

import asyncio
from asyncio.transports import BaseTransport
from typing import Any, Final

from uvicorn._types import ASGISendEvent
from uvicorn.config import Config
from uvicorn.protocols.utils import ClientDisconnected
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from uvicorn.server import ServerState
from websockets.frames import CloseCode, Frame

from plangate_server.web.crowd import Crowd, SmallReads, is_known

MOST_FRAMES: Final = 1000
"""Of one message: empty ones add nothing to it, and could come for ever."""
MOST_A_MINUTE: Final = 6000
"""Frames of all kinds: a decision is one, and takes a person a while."""
LEFT_BYTES: Final = 1024 * 1024
"""What is taken of a peer who was told goodbye, and has not said so."""


class LeftSocket(WebSocketsSansIOProtocol, SmallReads):
    """The library's own, which logs a fault of the app where a peer has left or broken the protocol."""

    is_idle = False
    _left = LEFT_BYTES
    _frames = 0
    _minute_ends = float("-inf")

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
        *,
        crowd: Crowd,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self._crowd = crowd

    @property
    def is_known(self) -> bool:
        return self.handshake_initiated and is_known(self.scope)

    def connection_made(self, transport: BaseTransport) -> None:
        super().connection_made(transport)
        self._crowd.join(self, self.transport)

    def connection_lost(self, exc: Exception | None) -> None:
        self._crowd.leave(self)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self.close_sent:
            self._left -= len(data)
            if self._left < 0:
                self.transport.abort()
                return
        super().data_received(data)

    def handle_events(self) -> None:
        """What was read together, unless there were too many frames lately."""
        events = self.conn.events_received()
        if self.loop.time() > self._minute_ends:
            self._frames, self._minute_ends = 0, self.loop.time() + 60
        self._frames += len(events)
        if self._frames > MOST_A_MINUTE:
            self._fail(CloseCode.POLICY_VIOLATION, f"more than {MOST_A_MINUTE} frames in a minute")
            return
        self.conn.events.extend(events)
        super().handle_events()

    def _fail(self, code: CloseCode, why: str) -> None:
        self.conn.fail(code, why)
        self.handle_parser_exception()

    async def send(self, message: ASGISendEvent) -> None:
        """Nobody hears it once the line is being closed, by whichever side; the app learns that at once."""
        await self.writable.wait()
        if self.close_sent or self.transport.is_closing():
            raise ClientDisconnected
        await super().send(message)

    def handle_text(self, event: Frame) -> None:
        """As bytes: whoever reads them answers what is no text."""
        self.handle_bytes(event)

    def handle_cont(self, event: Frame) -> None:
        if len(self.frames) >= MOST_FRAMES:
            self._fail(CloseCode.MESSAGE_TOO_BIG, f"more than {MOST_FRAMES} frames of a message")
        else:
            super().handle_cont(event)

    def handle_ping(self) -> None:
        """A peer that does not read gets no answers to more of them."""
        if self.writable.is_set():
            super().handle_ping()
        else:
            self.conn.data_to_send()
