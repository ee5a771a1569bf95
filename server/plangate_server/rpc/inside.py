"""Calls from inside the process, by the very way that gRPC's calls take: the same door, table, log, limits.

The review page speaks JSON to people's browsers. What it asks for is asked for here, as bytes, so that there
is no second way into the gate which could forget something.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from typing import Any, Final, NoReturn, cast

import grpc
from msgspec import Struct

from plangate_server.fronts import Coming, RefusedCall, Shown
from plangate_server.rpc.boundary import DETAILS, Boundary
from plangate_server.rpc.principal import AUTHORIZATION
from plangate_server.rpc.running import Context
from plangate_server.rpc.streaming import serialize

END: Final = object()


class Inside:
    """Every method of the gate, for those who speak another language than gRPC to their callers."""

    def __init__(self, boundary: Boundary, handlers: Sequence[grpc.GenericRpcHandler]) -> None:
        self._boundary = boundary
        self._handlers = handlers

    async def answer(self, method: str, shown: Shown, request: bytes | Coming) -> bytes:
        """The answer, as bytes. RefusedCall, if there is none."""
        handler = await self._handler(method)
        context = _Context(shown, request)
        # A task of its own: the call is under way until its task ends.
        return serialize(await asyncio.create_task(handler.stream_unary(None, cast(Context, context))))

    async def gathered(self, method: str, shown: Shown, requests: AsyncIterator[bytes]) -> bytes:
        """The answer to a stream of requests, as bytes. RefusedCall, if there is none."""
        handler = await self._handler(method)
        context = _Context(shown, b"")
        return serialize(await asyncio.create_task(handler.stream_unary(requests, cast(Context, context))))

    async def stream(self, method: str, shown: Shown, request: bytes) -> AsyncGenerator[bytes]:
        """The answers, as bytes. RefusedCall, if they end otherwise than well."""
        handler = await self._handler(method)
        context = _Context(shown, request)
        # A task of its own: the gate ends streams by ending their tasks.
        task = asyncio.create_task(context.run(handler.stream_stream))
        try:
            while (response := await context.sent.get()) is not END:
                yield serialize(cast(Any, response))
                context.taken.set()
            await task
        finally:
            task.cancel()
            await asyncio.wait([task])

    async def _handler(self, method: str) -> Any:
        details = _Details(method)
        return await self._boundary.intercept_service(self._find, cast(grpc.HandlerCallDetails, details))

    async def _find(self, details: grpc.HandlerCallDetails) -> Any:
        return next(found for each in self._handlers if (found := each.service(details)) is not None)


class _Details(Struct, frozen=True):
    method: str
    invocation_metadata: tuple[()] = ()


class _Context:
    """As much of gRPC's as the boundary and the door use."""

    def __init__(self, shown: Shown, request: bytes | Coming) -> None:
        self._shown = shown
        self._request = request
        self.sent: asyncio.Queue[object] = asyncio.Queue()
        self.taken = asyncio.Event()

    async def run(self, behaviour: Any) -> None:
        try:
            await behaviour(None, cast(Context, self))
        finally:
            self.sent.put_nowait(END)

    def invocation_metadata(self) -> tuple[tuple[str, str], ...]:
        token = self._shown.token
        authorization = ((AUTHORIZATION, f"Bearer {token}"),) if token else ()
        return (*authorization, *self._shown.metadata)

    def set_trailing_metadata(self, metadata: object) -> None:
        """Whoever asked from inside gets no trailers."""

    def peer(self) -> str:
        return f"web:{self._shown.address}:"

    def auth_context(self) -> dict[str, list[bytes]]:
        return {}

    async def read(self) -> bytes:
        return self._request if isinstance(self._request, bytes) else await self._request()

    async def write(self, response: object) -> None:
        """Wait until it was taken: who does not read is cut off by the same clock as everybody."""
        self.taken.clear()
        self.sent.put_nowait(response)
        await self.taken.wait()

    async def abort(self, code: grpc.StatusCode, _: str, metadata: Sequence[tuple[str, Any]]) -> NoReturn:
        raise RefusedCall(code.name, dict(metadata)[DETAILS])
