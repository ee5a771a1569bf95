"""Channels that lead nowhere: a client's calls are answered in its own process."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable
from typing import Any, Final, TypeVar, cast
from weakref import WeakSet

import grpc

from plangate.testing._in_process import Service
from plangate.testing._streams import AioReading, AioWriting, Reading, Writing, Written, end_of
from plangate_server.fronts import Shown

Kind = TypeVar("Kind", bound=Reading)
Write = Callable[[Any], bytes]
Read = Callable[[bytes], Any]
Metadata = Iterable[tuple[str, str]]

AUTHORIZATION: Final = "authorization"


def channel(service: Service, token: str) -> grpc.Channel:
    """For a Client whose calls show this token."""
    return cast(grpc.Channel, _Channel(service, token))


def aio_channel(service: Service, token: str) -> grpc.aio.Channel:
    """For an AsyncClient."""
    return cast(grpc.aio.Channel, _AioChannel(service, token))


class _Shared:
    """What a client needs of a channel of either kind."""

    def __init__(self, service: Service, token: str) -> None:
        self._service = service
        self._token = token
        self._open: WeakSet[Reading] = WeakSet()
        self._is_closed = False

    def _begin(self, path: str, request: bytes, metadata: Metadata) -> asyncio.Task[bytes]:
        shown = self._shown(metadata)
        return self._service.begin(self._service.inside.answer(path, shown, request))

    def _told(self, path: str, request: bytes, metadata: Metadata) -> AsyncGenerator[bytes]:
        return self._service.inside.stream(path, self._shown(metadata), request)

    def _noted(self, reading: Kind) -> Kind:
        """The stream, which ends with the channel."""
        self._open.add(reading)
        return reading

    def _writing(self, path: str, metadata: Metadata, read: Read) -> Written:
        return Written(self._service, path, self._shown(metadata), read)

    def _shown(self, metadata: Metadata) -> Shown:
        """The client's own token, which may come from the environment, is for another gate."""
        if self._is_closed:
            raise ValueError("the channel is closed")
        return Shown(self._token, tuple(pair for pair in metadata if pair[0] != AUTHORIZATION))

    def _hang_up(self) -> None:
        self._is_closed = True
        for reading in [*self._open]:
            reading.cancel()


class _Channel(_Shared):
    def unary_unary(
        self, path: str, request_serializer: Write, response_deserializer: Read
    ) -> Callable[..., Any]:
        def call(request: Any, timeout: float | None = None, metadata: Metadata = ()) -> Any:
            end = end_of(timeout)
            answer = self._begin(path, request_serializer(request), metadata)
            return response_deserializer(self._service.wait(answer, end))

        return call

    def unary_stream(
        self, path: str, request_serializer: Write, response_deserializer: Read
    ) -> Callable[..., Reading]:
        def call(request: Any, timeout: float | None = None, metadata: Metadata = ()) -> Reading:
            told = self._told(path, request_serializer(request), metadata)
            return self._noted(Reading(self._service, told, timeout, response_deserializer))

        return call

    def stream_unary(self, path: str, request_serializer: Write, response_deserializer: Read) -> _Drafts:
        def begin(parts: Iterable[Any], metadata: Metadata) -> Writing:
            return Writing(
                lambda: self._writing(path, metadata, response_deserializer), request_serializer, parts
            )

        return _Drafts(begin)

    def close(self) -> None:
        """End every open stream."""
        self._hang_up()


class _Drafts:
    """Makes calls whose request comes in parts: at once, or as a future."""

    def __init__(self, begin: Callable[[Iterable[Any], Metadata], Writing]) -> None:
        self._begin = begin

    def __call__(self, parts: Iterable[Any], timeout: float | None = None, metadata: Metadata = ()) -> Any:
        return self._begin(parts, metadata).result(timeout)

    def future(self, parts: Iterable[Any], metadata: Metadata = ()) -> Writing:
        return self._begin(parts, metadata)


class _AioChannel(_Shared):
    def unary_unary(
        self, path: str, request_serializer: Write, response_deserializer: Read
    ) -> Callable[..., Any]:
        def call(request: Any, timeout: float | None = None, metadata: Metadata = ()) -> Awaitable[Any]:
            return answer(request, end_of(timeout), metadata)

        async def answer(request: Any, end: float | None, metadata: Metadata) -> Any:
            await asyncio.sleep(0)  # as on a network, whoever asks again and again lets others run
            task = self._begin(path, request_serializer(request), metadata)
            return response_deserializer(await self._service.awaited(task, end))

        return call

    def unary_stream(
        self, path: str, request_serializer: Write, response_deserializer: Read
    ) -> Callable[..., AioReading]:
        def call(request: Any, timeout: float | None = None, metadata: Metadata = ()) -> AioReading:
            told = self._told(path, request_serializer(request), metadata)
            return self._noted(AioReading(self._service, told, timeout, response_deserializer))

        return call

    def stream_unary(
        self, path: str, request_serializer: Write, response_deserializer: Read
    ) -> Callable[..., AioWriting]:
        def call(
            parts: Iterable[Any] = (), timeout: float | None = None, metadata: Metadata = ()
        ) -> AioWriting:
            written = self._writing(path, metadata, response_deserializer)
            return AioWriting(written, request_serializer, parts, timeout)

        return call

    async def close(self) -> None:
        """End every open stream."""
        self._hang_up()
