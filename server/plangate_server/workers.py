"""Threads for work that takes long, so that it holds up neither other callers nor the end of the server."""

from __future__ import annotations

import asyncio
import threading
from collections import OrderedDict, deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from plangate_server.domain import limits
from plangate_server.domain.errors import ShuttingDown, TooManyWaiting

Result = TypeVar("Result")

THREADS: Final = 2
"""More would only take turns: one of them at a time runs Python."""


AT_ONCE: Final = 2
"""Places of one caller whose work is under way: what it needs is in memory."""
PATIENCE: Final = 20.0
"""Seconds that a call waits for a place."""


class _Places:
    """Of one caller."""

    __slots__ = ("free", "taken")

    def __init__(self) -> None:
        self.taken = 0
        """By those who wait, too."""
        self.free = asyncio.Semaphore(AT_ONCE)


@dataclass(slots=True)
class _Task:
    work: Callable[[], Any]
    answer: asyncio.Future[Any]

    def settle(self, result: Any, error: Exception | None) -> None:
        """On the event loop."""
        if self.answer.done():
            return
        if error is not None:
            self.answer.set_exception(error)
        else:
            self.answer.set_result(result)


class WorkerThreads:
    """A few threads; those who wait for one take turns, each caller with one piece of work at a time.

    The threads are daemons: work that does not end is left alone when the process does.
    """

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._changed = threading.Condition()
        self._waiting: OrderedDict[str, deque[_Task]] = OrderedDict()
        self._places: dict[str, _Places] = {}
        self._is_closed = self._is_abandoned = False
        for number in range(THREADS):
            threading.Thread(target=self._serve, name=f"plangate-worker-{number}", daemon=True).start()

    @asynccontextmanager
    async def place(self, caller: str) -> AsyncIterator[None]:
        """Of one caller only so many take long at a time, before they load anything; few wait, and not for
        ever. Nobody waits for a place of another caller.
        """
        places = self._places.setdefault(caller, _Places())
        if places.taken >= limits.HEAVY_CALLS:
            raise _too_many()
        places.taken += 1
        try:
            await _acquire(places.free)
            try:
                yield
            finally:
                places.free.release()
        finally:
            places.taken -= 1
            if not places.taken:
                del self._places[caller]

    async def run(self, caller: str, work: Callable[[], Result]) -> Result:
        """What comes of the work. A caller that gives up before its turn has none of it done."""
        task = _Task(work, self._loop.create_future())
        with self._changed:
            if self._is_closed:
                raise ShuttingDown
            self._waiting.setdefault(caller, deque()).append(task)
            self._changed.notify()
        result: Result = await task.answer
        return result

    def close(self) -> None:
        """Begin nothing any more; what has begun may finish."""
        with self._changed:
            self._is_closed = True
            waiting = [task for tasks in self._waiting.values() for task in tasks]
            self._waiting.clear()
            self._changed.notify_all()
        for task in waiting:
            task.settle(None, ShuttingDown())

    def abandon(self) -> None:
        """Nobody waits any more for what is not finished."""
        with self._changed:
            self._is_abandoned = True

    def _serve(self) -> None:
        while (task := self._next()) is not None:
            if task.answer.cancelled():
                continue
            result, error = None, None
            try:
                result = task.work()
            except Exception as raised:
                error = raised
            with self._changed:
                if not self._is_abandoned:
                    self._loop.call_soon_threadsafe(task.settle, result, error)

    def _next(self) -> _Task | None:
        """The next caller's first; None when there will be no more."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._is_closed)
            if not self._waiting:
                return None
            caller, tasks = self._waiting.popitem(last=False)
            task = tasks.popleft()
            if tasks:
                self._waiting[caller] = tasks
            return task


async def _acquire(free: asyncio.Semaphore) -> None:
    try:
        async with asyncio.timeout(PATIENCE):
            await free.acquire()
    except TimeoutError:
        raise _too_many() from None


def _too_many() -> TooManyWaiting:
    return TooManyWaiting("heavy_calls", limits.HEAVY_CALLS)
