"""Channels that lead nowhere: a client's calls are answered in its own process."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any, NoReturn, cast

import grpc

from plangate.testing._refusals import timed_out
from plangate.testing._service import Service

STREAMS = "/agent.v1.PlanService/ReviewPlan"


def channel(service: Service) -> grpc.Channel:
    """For a Client."""
    return cast(grpc.Channel, _Channel(service))


def aio_channel(service: Service) -> grpc.aio.Channel:
    """For an AsyncClient."""
    return cast(grpc.aio.Channel, _AioChannel(service))


class _Channel:
    """What a client needs of a channel."""

    def __init__(self, service: Service) -> None:
        self._service = service

    def unary_unary(self, path: str, **_: Any) -> Callable[..., Any]:
        def call(request: Any, **_: Any) -> Any:
            return _answer(self._service, path, request)

        return call

    def unary_stream(self, path: str, **_: Any) -> Callable[..., Any]:
        _check_stream(path)

        def call(request: Any, timeout: float | None = None, **_: Any) -> _Told:
            return _Told(self._service, _copy(request), timeout)

        return call

    def stream_unary(self, path: str, **_: Any) -> Callable[..., Any]:
        _refuse(path)

    def close(self) -> None:
        """There is nothing to close."""


class _AioChannel(_Channel):
    def unary_unary(self, path: str, **_: Any) -> Callable[..., Any]:
        async def call(request: Any, **_: Any) -> Any:
            return _answer(self._service, path, request)

        return call

    def unary_stream(self, path: str, **_: Any) -> Callable[..., Any]:
        _check_stream(path)

        def call(request: Any, timeout: float | None = None, **_: Any) -> _AioTold:
            return _AioTold(self._service, _copy(request), timeout)

        return call

    async def close(self) -> None:  # type: ignore[override]
        """There is nothing to close."""


class _Told:
    """A stream of a plan's events."""

    def __init__(self, service: Service, request: Any, timeout: float | None) -> None:
        self._service = service
        self._request = request
        self._end = None if timeout is None else time.monotonic() + timeout

    def __iter__(self) -> Iterator[Any]:
        changed = threading.Event()
        forget = self._service.on_change(changed.set)
        try:
            position, is_over = None, False
            while not is_over:
                changed.clear()
                events, position, is_over = self._service.told(self._request, position)
                yield from events
                if not events and not is_over and not changed.wait(self._left()):
                    raise timed_out()
        finally:
            forget()

    def _left(self) -> float | None:
        return None if self._end is None else max(self._end - time.monotonic(), 0.0)

    def cancel(self) -> None:
        """Whoever reads no further is gone."""


class _AioTold(_Told):
    async def __aiter__(self) -> AsyncIterator[Any]:
        changed, loop = asyncio.Event(), asyncio.get_running_loop()

        def wake() -> None:
            loop.call_soon_threadsafe(changed.set)

        forget = self._service.on_change(wake)
        try:
            position, is_over = None, False
            while not is_over:
                changed.clear()
                events, position, is_over = self._service.told(self._request, position)
                for event in events:
                    yield event
                if not events and not is_over:
                    await self._wait(changed)
        finally:
            forget()

    async def _wait(self, changed: asyncio.Event) -> None:
        try:
            async with asyncio.timeout(self._left()):
                await changed.wait()
        except TimeoutError:
            raise timed_out() from None


def _answer(service: Service, path: str, request: Any) -> Any:
    return _copy(service.call(path, _copy(request)))


def _copy(message: Any) -> Any:
    """As it would arrive: nobody holds what belongs to the other side."""
    return type(message).FromString(message.SerializeToString())


def _check_stream(path: str) -> None:
    if path != STREAMS:
        _refuse(path)


def _refuse(path: str) -> NoReturn:
    raise NotImplementedError(f"FakeGate does not do {path.rpartition('/')[2]}: test against a gate")
