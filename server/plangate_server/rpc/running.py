"""The calls that are under way: so that a stop can wait for them, and that those end which must."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, Final, NoReturn

import grpc

from plangate_server.domain.errors import InvalidCredentials, Refusal, ShuttingDown, SlowConsumer
from plangate_server.domain.identity import Caller

Context = grpc.aio.ServicerContext[Any, Any]

SEND_SECONDS: Final = 30.0


class Running:
    """The calls that are under way, and which of them are streams, and wait for a reader."""

    def __init__(self) -> None:
        self._count = 0
        self._closed = False
        self.is_cut_off = False
        self._none = asyncio.Event()
        self._none.set()
        self._streams: dict[asyncio.Task[Any], Caller] = {}
        self._sending: dict[asyncio.Task[Any], float] = {}
        self._ended: dict[asyncio.Task[Any], Refusal] = {}

    def begin(self) -> None:
        """What runs now is a call, under way until its task ends: by then gRPC has sent the answer."""
        task = asyncio.current_task()
        assert task
        self._count += 1
        self._none.clear()
        task.add_done_callback(self._left)

    def _left(self, _: object) -> None:
        self._count -= 1
        if not self._count:
            self._none.set()

    def close(self) -> None:
        """From now on nothing new begins: or whoever calls all the time would never let the server end."""
        self._closed = True

    def cut_off(self) -> None:
        """From now on no call can be answered: what fails for that is no fault."""
        self.is_cut_off = True

    def check_open(self) -> None:
        if self._closed:
            raise ShuttingDown

    @contextmanager
    def stream(self, caller: Caller) -> Iterator[None]:
        """A stream of the caller's, while the block lasts. A Refusal, if the stream was made to end."""
        task = asyncio.current_task()
        assert task
        self._streams[task] = caller
        try:
            yield
        except asyncio.CancelledError:
            if task not in self._ended:
                raise
            task.uncancel()
            raise self._ended[task] from None
        finally:
            del self._streams[task]
            self._ended.pop(task, None)

    async def finished(self, patience: float) -> None:
        """Wait until none is left, or the time is over."""
        with suppress(TimeoutError):
            async with asyncio.timeout(patience):
                await self._none.wait()

    async def send(self, response: Any, context: Context) -> None:
        """Hand a response to a reader, who must take it some time: one that never reads is cut off."""
        task = asyncio.current_task()
        assert task
        self._sending[task] = time.monotonic()
        try:
            await context.write(response)
        finally:
            del self._sending[task]

    async def cut_off_slow_readers(self) -> NoReturn:
        """End what waits too long. One look at all now and then: a timer for each would cost more than the
        sending.
        """
        while True:
            await asyncio.sleep(SEND_SECONDS / 10)
            late = time.monotonic() - SEND_SECONDS
            for task in [task for task, since in self._sending.items() if since < late]:
                self._end(task, SlowConsumer())

    def end_strangers(self, holds: Callable[[Caller], bool]) -> None:
        """End the streams of callers whose credentials ended."""
        for task in [task for task, caller in self._streams.items() if not holds(caller)]:
            self._end(task, InvalidCredentials())

    def _end(self, task: asyncio.Task[Any], why: Refusal) -> None:
        if task not in self._ended:
            self._ended[task] = why
            task.cancel()
