"""Work that takes long, in threads beside the event loop: few at a time, and one of each caller.

They are not the loop's own threads, for which the process waits before it ends.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Final, TypeVar
from weakref import WeakValueDictionary

AT_A_TIME: Final = 2
"""Of which one caller has one: whoever sends what takes long keeps nobody else waiting."""
THREAD: Final = "worker"

Result = TypeVar("Result")
IsWanted = Callable[[], bool]
"""Whether anybody still waits for the result: work that looks now and then can end early."""


class Workers:
    def __init__(self) -> None:
        self._turns = asyncio.Semaphore(AT_A_TIME)
        self._callers: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def do(self, caller: str, work: Callable[[IsWanted], Result]) -> Result:
        """The result, or what the work raises. The turn is over when the thread is, also if nobody waits."""
        own = self._callers.setdefault(caller, asyncio.Lock())
        await own.acquire()
        try:
            await self._turns.acquire()
        except asyncio.CancelledError:
            own.release()
            raise

        def over() -> None:
            self._turns.release()
            own.release()

        return await _in_thread(work, over)


async def _in_thread(work: Callable[[IsWanted], Result], over: Callable[[], None]) -> Result:
    loop = asyncio.get_running_loop()
    done: asyncio.Future[Result] = loop.create_future()

    def tell(settle: Callable[[], None]) -> None:
        over()
        if not done.done():
            settle()

    def run() -> None:
        try:
            settle = partial(done.set_result, work(lambda: not done.cancelled()))
        except Exception as error:
            settle = partial(done.set_exception, error)
        with suppress(RuntimeError):  # the loop has ended, and nobody waits any more
            loop.call_soon_threadsafe(tell, settle)

    try:
        threading.Thread(target=run, name=THREAD, daemon=True).start()
    except BaseException:  # there can be no more threads: the turn is over all the same
        over()
        raise
    return await done
