"""The calls that are under way: so that a stop can wait for them, and none waits for its reader for ever."""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from typing import Any, Final, NoReturn

import grpc

from plangate_server.domain.errors import SlowConsumer
from plangate_server.rpc.streaming import cursor_of

Context = grpc.aio.ServicerContext[Any, Any]

SEND_SECONDS: Final = 30.0


class Running:
    """The calls that are under way, and those of them that wait for a reader."""

    def __init__(self) -> None:
        self._count = 0
        self._none = asyncio.Event()
        self._none.set()
        self._sending: dict[asyncio.Task[Any], float] = {}
        self._cut_off: set[asyncio.Task[Any]] = set()

    def __enter__(self) -> None:
        self._count += 1
        self._none.clear()

    def __exit__(self, *_: object) -> None:
        self._count -= 1
        if not self._count:
            self._none.set()

    async def finished(self, patience: float) -> None:
        """Wait until none is left, or the time is over."""
        with suppress(TimeoutError):
            async with asyncio.timeout(patience):
                await self._none.wait()

    async def send(self, response: Any, context: Context, *, after: Any) -> None:
        """Hand a response to a reader, who must take it some time: one that never reads is cut off."""
        task = asyncio.current_task()
        assert task
        self._sending[task] = time.monotonic()
        try:
            await context.write(response)
        except asyncio.CancelledError:
            if task not in self._cut_off:
                raise
            task.uncancel()
            raise _slow_after(after) from None
        finally:
            del self._sending[task]
            self._cut_off.discard(task)

    async def cut_off_slow_readers(self) -> NoReturn:
        """End what waits too long. One look at all now and then: a timer for each would cost more than the
        sending.
        """
        while True:
            await asyncio.sleep(SEND_SECONDS / 10)
            late = time.monotonic() - SEND_SECONDS
            for task in [task for task, since in self._sending.items() if since < late]:
                if task not in self._cut_off:
                    self._cut_off.add(task)
                    task.cancel()


def _slow_after(sent: Any) -> SlowConsumer:
    """Why a reader that takes nothing is cut off; it goes on after what was sent last."""
    slow = SlowConsumer()
    if cursor := cursor_of(sent):
        slow.metadata["cursor"] = cursor
    return slow
