"""Streams between a client and the gate in its process: those that are read, and those that are written."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator, Iterable, Iterator
from typing import Any

from plangate.testing._in_process import Service
from plangate.testing._refused import closed
from plangate_server.fronts import Shown


class Reading:
    """For a thread, which blocks where there is nothing to tell yet."""

    def __init__(
        self,
        service: Service,
        told: AsyncGenerator[bytes],
        timeout: float | None,
        read: Callable[[bytes], Any],
    ) -> None:
        self._service = service
        self._told = told
        self._end = end_of(timeout)
        self._read = read
        self._next: asyncio.Task[bytes | None] | None = None
        self._is_cancelled = False

    def __iter__(self) -> Iterator[Any]:
        while (told := self._service.wait(self._begin(), self._end)) is not None:
            yield self._read(told)

    def cancel(self) -> None:
        """Nobody waits for it any more; whoever does at this moment is told so."""
        if not self._is_cancelled:
            self._is_cancelled = True
            self._service.begin(self._hang_up())

    def _begin(self) -> asyncio.Task[bytes | None]:
        if self._is_cancelled:
            raise closed()
        self._next = self._service.begin(_next(self._told))
        return self._next

    async def _hang_up(self) -> None:
        if self._next is not None and not self._next.done():
            self._next.cancel()
            await asyncio.wait([self._next])
        await self._told.aclose()


class AioReading(Reading):
    """For a task, which awaits."""

    async def __aiter__(self) -> AsyncIterator[Any]:
        while (told := await self._service.awaited(self._begin(), self._end)) is not None:
            yield self._read(told)


async def _next(told: AsyncGenerator[bytes]) -> bytes | None:
    """None at the end."""
    return await anext(told, None)


class Written:
    """A call whose request comes in parts."""

    def __init__(self, service: Service, path: str, shown: Shown, read: Callable[[bytes], Any]) -> None:
        self._service = service
        self._read = read
        self._parts: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._answer = service.begin(service.inside.gathered(path, shown, self._taken()))

    async def _taken(self) -> AsyncIterator[bytes]:
        while (part := await self._parts.get()) is not None:
            yield part

    def put(self, part: bytes | None) -> None:
        """A part, which the gate takes at once; None is the end."""
        self._service.do(lambda: self._parts.put_nowait(part))

    def result(self, end: float | None) -> Any:
        return self._read(self._service.wait(self._answer, end))

    async def awaited(self, end: float | None) -> Any:
        return self._read(await self._service.awaited(self._answer, end))

    def cancel(self) -> None:
        self._service.do(self._answer.cancel)


class Writing:
    """For a thread. Parts are taken when their writer asks for the result: no other thread reads them."""

    def __init__(
        self, begin: Callable[[], Written], write: Callable[[Any], bytes], parts: Iterable[Any]
    ) -> None:
        self._begin = begin
        self._write = write
        self._parts = parts

    def result(self, timeout: float | None = None) -> Any:
        end, written = end_of(timeout), self._begin()
        for part in self._parts:
            written.put(self._write(part))
        written.put(None)
        return written.result(end)

    def cancel(self) -> None:
        """Nothing runs before its result is asked for, and then to its end."""


class AioWriting:
    """For a task. Each part is taken when it is written."""

    def __init__(
        self, written: Written, write: Callable[[Any], bytes], parts: Iterable[Any], timeout: float | None
    ) -> None:
        self._written = written
        self._write = write
        self._parts = parts
        self._end = end_of(timeout)

    async def write(self, part: Any) -> None:
        self._written.put(self._write(part))

    async def done_writing(self) -> None:
        self._written.put(None)

    def __await__(self) -> Generator[Any, None, Any]:
        return self._result().__await__()

    async def _result(self) -> Any:
        for part in self._parts:
            await self.write(part)
        if self._parts:
            await self.done_writing()
        return await self._written.awaited(self._end)

    def cancel(self) -> None:
        self._written.cancel()


def end_of(timeout: float | None) -> float | None:
    """When a call's time is over."""
    return None if timeout is None else time.monotonic() + timeout
