"""A stream as a client reads it: it waits where there is nothing to tell yet."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

from plangate.testing._fake.messages import copy_of
from plangate.testing._fake.refusals import closed, timed_out
from plangate.testing._fake.service import OVER, Service, Telling


class Reading:
    """For a thread, which blocks."""

    def __init__(self, service: Service, telling: Telling, timeout: float | None) -> None:
        self._service = service
        self._telling = telling
        self._end = None if timeout is None else time.monotonic() + timeout
        self._is_cancelled = False
        self._wake = self._forget = _nothing

    def __iter__(self) -> Iterator[Any]:
        changed = threading.Event()
        self._woken_by(changed.set)
        try:
            while (told := self._told(changed.clear)) is not OVER:
                if told is not None:
                    yield told
                elif not changed.wait(self._left()):
                    raise timed_out()
        finally:
            self._forget()

    def cancel(self) -> None:
        """Nobody waits for it any more; whoever does at this moment is told so."""
        self._is_cancelled = True
        self._forget()
        self._wake()

    def _woken_by(self, wake: Callable[[], None]) -> None:
        self._wake = wake
        self._forget = self._service.state.log.on_change(wake)

    def _told(self, begin: Callable[[], None]) -> Any:
        """What comes next; after ``begin`` a change is noticed."""
        begin()
        if self._is_cancelled:
            raise closed()
        told = self._service.step(self._telling)
        return told if told is None or told is OVER else copy_of(told)

    def _left(self) -> float | None:
        return None if self._end is None else max(self._end - time.monotonic(), 0.0)


class AioReading(Reading):
    """For a task, which awaits."""

    async def __aiter__(self) -> AsyncIterator[Any]:
        changed, loop = asyncio.Event(), asyncio.get_running_loop()
        self._woken_by(lambda: _soon(loop, changed.set))
        try:
            while (told := self._told(changed.clear)) is not OVER:
                if told is not None:
                    yield told
                else:
                    await self._wait(changed)
        finally:
            self._forget()

    async def _wait(self, changed: asyncio.Event) -> None:
        try:
            async with asyncio.timeout(self._left()):
                await changed.wait()
        except TimeoutError:
            raise timed_out() from None


def _soon(loop: asyncio.AbstractEventLoop, wake: Callable[[], None]) -> None:
    """From any thread; where the loop is closed, nobody waits."""
    if not loop.is_closed():
        loop.call_soon_threadsafe(wake)


def _nothing() -> None:
    """Nobody has begun to read."""
