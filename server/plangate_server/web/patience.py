"""HTTP with an end to waiting: whoever connects and does not ask, or asks byte by byte, is sent away."""

from __future__ import annotations

import asyncio
from typing import Any, Final, cast

import h11
from uvicorn.config import Config
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

from plangate_server.web.crowd import Crowd, SmallReads, is_known

HEAD_SECONDS: Final = 10.0
"""How long the head of a request may be on its way."""
LEFT_BYTES: Final = 1024 * 1024
LEFT_SECONDS: Final = 2.0
KNOWN_LEFT_BYTES: Final = 32 * 1024 * 1024
KNOWN_LEFT_SECONDS: Final = 30.0
"""What is taken, and how long, of a request that is answered already: until its sender has read that."""
MOST_PARTS: Final = 20_000
"""Of one body: parts of one byte each take a thousand times as long to read as the body."""


class FewParts(h11.Connection):
    """The library's own, which takes a body in however many parts."""

    _parts = 0

    def next_event(self) -> Any:
        event = super().next_event()
        if isinstance(event, h11.Request):
            self._parts = 0
        elif isinstance(event, h11.Data):
            self._parts += 1
            if self._parts > MOST_PARTS:
                raise h11.RemoteProtocolError(f"more than {MOST_PARTS} parts of a body")
        return event


class PatientProtocol(H11Protocol, SmallReads):
    """The library's own, which waits for ever for what has begun."""

    _giving_up: asyncio.TimerHandle | None = None
    _left: int | None = None
    """How much is still taken of a request that is answered already; None while there is none."""
    _was_known = False

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
        self.conn = FewParts(h11.SERVER)
        self._crowd = crowd

    @property
    def is_known(self) -> bool:
        return self._was_known or (not self._is_new and is_known(self.scope))

    @property
    def is_idle(self) -> bool:
        return self._is_new or self.cycle.response_complete

    @property
    def _is_new(self) -> bool:
        """Whether nothing was asked yet."""
        return cast(object, self.cycle) is None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._wait()
        self._crowd.join(self, transport)

    def data_received(self, data: bytes) -> None:
        if self._left is not None:
            self._left -= len(data)
            if self._left < 0:
                self.transport.pause_reading()
                return
        super().data_received(data)
        if self._left is not None and self._is_answered_early():
            return
        if self._left is not None or self.conn.their_state is not h11.IDLE:
            self._stop_waiting()
        if self.conn.their_state is h11.IDLE:
            self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        self._crowd.leave(self)
        super().connection_lost(exc)

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        self._crowd.leave(self)
        super().handle_websocket_upgrade(event)

    def on_response_complete(self) -> None:
        self._was_known = self.is_known
        super().on_response_complete()
        if self._is_answered_early() and self._left is None:
            self._left = KNOWN_LEFT_BYTES if self._was_known else LEFT_BYTES
            self._give_up_in(KNOWN_LEFT_SECONDS if self._was_known else LEFT_SECONDS)

    def send_400_response(self, msg: str) -> None:
        """Only where no answer has begun; and the app, if it was asked something, answers nobody any more."""
        if self.cycle is not None:
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        if self.conn.our_state in {h11.IDLE, h11.SEND_RESPONSE}:
            super().send_400_response(msg)
        else:
            self.transport.close()

    def _is_answered_early(self) -> bool:
        """Whether more of a request is on its way, which nobody waits for."""
        return self.conn.our_state is h11.DONE and self.conn.their_state is h11.SEND_BODY

    def _wait(self) -> None:
        self._give_up_in(HEAD_SECONDS)

    def _give_up_in(self, seconds: float) -> None:
        if self._giving_up is None:
            self._giving_up = self.loop.call_later(seconds, self.transport.abort)

    def _stop_waiting(self) -> None:
        self._left = None
        if self._giving_up is not None:
            self._giving_up.cancel()
            self._giving_up = None
