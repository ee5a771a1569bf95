"""How much of the web port one caller may take at a time, and how much is held for one who does not read."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final
from weakref import WeakValueDictionary

from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from plangate_server.fronts import Calls, RefusedCall
from plangate_server.web.api import shown_by
from plangate_server.web.crowd import let_in
from plangate_server.web.refusals import refused, refused_call
from plangate_server.web.sign_in import WHO_AM_I
from plangate_server.web.signing_in import shown_token

AT_A_TIME: Final = 8
"""Requests of one caller; others of theirs wait. A request is over when its answer was taken."""
MOST_WAITING: Final = 250
WAIT_SECONDS: Final = 30.0
MOST_STREAMS: Final = 100
"""Of one caller, sockets included."""
PIECE_BYTES: Final = 64 * 1024
"""Of an answer; the next follows when most of it was taken."""


class TooMany(Exception):
    """One caller has too much under way."""

    def __init__(self, limit: str, maximum: int) -> None:
        super().__init__(f"you have {maximum} {limit} here already: end some of them, and read their answers")
        name = limit.replace(" ", "_")
        self.metadata = {"limit": name, "maximum": str(maximum), "actual": str(maximum + 1)}


class Share:
    """Of one caller."""

    def __init__(self) -> None:
        self._turns = asyncio.Semaphore(AT_A_TIME)
        self._waiting = 0
        self._streams = 0

    def check_line(self) -> bool:
        """Whether another request has to wait."""
        if self._waiting >= MOST_WAITING:
            raise TooMany("waiting requests", MOST_WAITING)
        return self._turns.locked()

    @asynccontextmanager
    async def request(self) -> AsyncIterator[None]:
        self._waiting += 1
        try:
            async with asyncio.timeout(WAIT_SECONDS):
                await self._turns.acquire()
        except TimeoutError:
            raise TooMany("unread answers", AT_A_TIME) from None
        finally:
            self._waiting -= 1
        try:
            yield
        finally:
            self._turns.release()

    @asynccontextmanager
    async def stream(self) -> AsyncIterator[None]:
        if self._streams >= MOST_STREAMS:
            raise TooMany("web streams", MOST_STREAMS)
        self._streams += 1
        try:
            yield
        finally:
            self._streams -= 1


class Shares:
    """Around an app: lets each caller have their share of it, and sends what is long in pieces."""

    def __init__(self, app: ASGIApp, streams: frozenset[str], calls: Calls) -> None:
        self._app = app
        self._calls = calls
        self._paths = streams
        self._shares: WeakValueDictionary[str, Share] = WeakValueDictionary()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        token = shown_token(HTTPConnection(scope)) if scope["type"] in {"http", "websocket"} else ""
        if not token:
            await self._app(scope, receive, send)
            return
        share = self._shares.setdefault(token, Share())
        is_stream = scope["type"] == "websocket" or scope["path"] in self._paths
        try:
            if not is_stream and share.check_line():
                # Nobody waits in line who is not known: they would seem to be many.
                await self._calls.answer(WHO_AM_I.path, shown_by(HTTPConnection(scope)), b"")
                let_in(HTTPConnection(scope))
            async with share.stream() if is_stream else share.request():
                await self._app(scope, receive, _in_pieces(send))
        except TooMany as refusal:
            await _refuse(refusal, scope, receive, send)
        except RefusedCall as refusal:
            await refused_call(refusal)(scope, receive, send)


async def _refuse(refusal: TooMany, scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1013, "reason": str(refusal)})
    else:
        words = refused("RESOURCE_EXHAUSTED", "LIMIT_EXCEEDED", str(refusal), refusal.metadata)
        await words(scope, receive, send)


def _in_pieces(send: Send) -> Send:
    async def send_pieces(message: Message) -> None:
        if message["type"] != "http.response.body":
            await send(message)
            return
        rest = memoryview(message.get("body", b""))
        while len(rest) > PIECE_BYTES:
            await send({**message, "body": bytes(rest[:PIECE_BYTES]), "more_body": True})
            rest = rest[PIECE_BYTES:]
        await send({**message, "body": bytes(rest)})

    return send_pieces
