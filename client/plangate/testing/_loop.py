"""An event loop that belongs to no thread: whoever turns it runs what can run, in their own."""

from __future__ import annotations

import asyncio
import heapq
import itertools
import logging
import sys
import time
from collections import deque
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from contextvars import Context
from typing import Any, TypeVar, TypeVarTuple, Unpack

Result = TypeVar("Result")
Ts = TypeVarTuple("Ts")

tell = logging.getLogger(__name__)


class Loop(asyncio.AbstractEventLoop):
    """Between two turns nothing happens in it, so that a gate needs no thread. One turn at a time: see to
    that with a lock that the same thread can take twice.

    It has what tasks, futures and timers need, and neither sockets, nor processes, nor signals.
    """

    def __init__(self) -> None:
        self._ready: deque[asyncio.Handle] = deque()
        self._timers: list[tuple[float, int, asyncio.TimerHandle]] = []
        self._numbers = itertools.count()
        self._is_turning = False
        self._fault: BaseException | None = None

    def turn(self) -> None:
        """Run everything that can run now, also with another event loop running in this thread."""
        if self._is_turning:  # and a finalizer asks for another turn: this one sees to what it wants
            return
        self._is_turning = True
        try:
            with self._in_place_of_others():
                self._run()
        finally:
            self._is_turning = False
        if self._fault is not None:
            fault, self._fault = self._fault, None
            raise fault

    def next_time(self) -> float | None:
        """When it must be turned for a timer, by its own clock."""
        return self._timers[0][0] if self._timers else None

    def _run(self) -> None:
        self._take_due()
        while self._ready:
            handle = self._ready.popleft()
            if not handle.cancelled():
                handle._run()

    def _take_due(self) -> None:
        now = self.time()
        while self._timers and self._timers[0][0] <= now:
            self._ready.append(heapq.heappop(self._timers)[2])

    @contextmanager
    def _in_place_of_others(self) -> Iterator[None]:
        """Tasks ask which loop and which task run: for the time of a turn, they are ours."""
        outer = asyncio._get_running_loop()
        task = asyncio.current_task() if outer else None
        hooks = sys.get_asyncgen_hooks()
        if outer and task:
            asyncio.tasks._leave_task(outer, task)
        asyncio._set_running_loop(self)
        sys.set_asyncgen_hooks(None, None)
        try:
            yield
        finally:
            sys.set_asyncgen_hooks(*hooks)
            asyncio._set_running_loop(outer)
            if outer and task:
                asyncio.tasks._enter_task(outer, task)

    def time(self) -> float:
        return time.monotonic()

    def call_soon(
        self, callback: Callable[[Unpack[Ts]], object], *args: *Ts, context: Context | None = None
    ) -> asyncio.Handle:
        handle = asyncio.Handle(callback, args, self, context)
        self._ready.append(handle)
        return handle

    def call_later(
        self,
        delay: float,
        callback: Callable[[Unpack[Ts]], object],
        *args: *Ts,
        context: Context | None = None,
    ) -> asyncio.TimerHandle:
        return self.call_at(self.time() + delay, callback, *args, context=context)

    def call_at(
        self,
        when: float,
        callback: Callable[[Unpack[Ts]], object],
        *args: *Ts,
        context: Context | None = None,
    ) -> asyncio.TimerHandle:
        handle = asyncio.TimerHandle(when, callback, args, self, context)
        heapq.heappush(self._timers, (when, next(self._numbers), handle))
        return handle

    def _timer_handle_cancelled(self, handle: asyncio.TimerHandle) -> None:
        self._timers = [timer for timer in self._timers if timer[2] is not handle]
        heapq.heapify(self._timers)

    def create_future(self) -> asyncio.Future[Any]:
        return asyncio.Future(loop=self)

    def create_task(self, coro: Coroutine[Any, Any, Result], **options: Any) -> asyncio.Task[Result]:  # type: ignore[override]
        return asyncio.Task(coro, loop=self, **options)

    def get_debug(self) -> bool:
        return False

    def is_running(self) -> bool:
        return self._is_turning

    def is_closed(self) -> bool:
        return False

    def call_exception_handler(self, context: dict[str, Any]) -> None:
        """What fails in a turn fails whoever turns. Tasks that still waited when their gate was forgotten
        are no fault.
        """
        error = context.get("exception")
        if error is not None and "handle" in context:
            self._fault = self._fault or error
        elif error is not None:
            tell.error("%s", context["message"], exc_info=error)
