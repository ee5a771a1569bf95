"""Channels that lead nowhere: a client's calls are answered in its own process."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar, cast
from weakref import WeakSet

import grpc

from plangate.testing._fake.messages import copy_of
from plangate.testing._fake.reading import AioReading, Reading
from plangate.testing._fake.service import Service
from plangate.testing._fake.writing import AioWriting, Writing
from plangate_proto.agent.v1.plan_service_pb2 import DraftPlanRequest

Kind = TypeVar("Kind", bound=Reading)


def channel(service: Service, person: str) -> grpc.Channel:
    """For a Client."""
    return cast(grpc.Channel, _Channel(service, person))


def aio_channel(service: Service, person: str) -> grpc.aio.Channel:
    """For an AsyncClient."""
    return cast(grpc.aio.Channel, _AioChannel(service, person))


class _Shared:
    """What a client needs of a channel of either kind."""

    def __init__(self, service: Service, person: str) -> None:
        self._service = service
        self._person = person
        self._open: WeakSet[Reading] = WeakSet()
        self._is_closed = False

    def _answer(self, path: str, request: Any) -> Any:
        self._check_open()
        # Copied both ways: nobody holds what belongs to the other side.
        return copy_of(self._service.call(path, copy_of(request), self._person))

    def _read(self, kind: type[Kind], path: str, request: Any, timeout: float | None) -> Kind:
        self._check_open()
        reading = kind(self._service, self._service.open(path, copy_of(request)), timeout)
        self._open.add(reading)
        return reading

    def _check_open(self) -> None:
        if self._is_closed:
            raise ValueError("the channel is closed")

    def _hang_up(self) -> None:
        self._is_closed = True
        for reading in [*self._open]:
            reading.cancel()


class _Channel(_Shared):
    def unary_unary(self, path: str, **_: Any) -> Callable[..., Any]:
        def call(request: Any, **_: Any) -> Any:
            return self._answer(path, request)

        return call

    def unary_stream(self, path: str, **_: Any) -> Callable[..., Reading]:
        def call(request: Any, timeout: float | None = None, **_: Any) -> Reading:
            return self._read(Reading, path, request, timeout)

        return call

    def stream_unary(self, _: str, **__: Any) -> Writing:
        return Writing(self._service, self._person)

    def close(self) -> None:
        """End every open stream."""
        self._hang_up()


class _AioChannel(_Shared):
    def unary_unary(self, path: str, **_: Any) -> Callable[..., Any]:
        async def call(request: Any, **_: Any) -> Any:
            return self._answer(path, request)

        return call

    def unary_stream(self, path: str, **_: Any) -> Callable[..., AioReading]:
        def call(request: Any, timeout: float | None = None, **_: Any) -> AioReading:
            return self._read(AioReading, path, request, timeout)

        return call

    def stream_unary(self, _: str, **__: Any) -> Callable[..., AioWriting]:
        def call(parts: Iterable[DraftPlanRequest] = (), **_: Any) -> AioWriting:
            return AioWriting(self._service, self._person, parts)

        return call

    async def close(self) -> None:
        """End every open stream."""
        self._hang_up()
