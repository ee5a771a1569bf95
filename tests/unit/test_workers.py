"""Work that takes long: callers take turns, nobody else waits, and the end of the server does not either."""

import asyncio
import threading
import time
from collections.abc import AsyncIterator

import pytest

from plangate_server import workers as module
from plangate_server.domain.errors import ShuttingDown
from plangate_server.workers import WorkerThreads
from tests.helpers.conditions import PATIENCE


@pytest.fixture
async def one_thread(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[WorkerThreads]:
    monkeypatch.setattr(module, "THREADS", 1)
    workers = WorkerThreads()
    yield workers
    workers.close()
    workers.abandon()


class Held:
    """Work that goes on until it is let go."""

    def __init__(self) -> None:
        self.begun = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self._over = threading.Event()

    def __call__(self) -> str:
        self._loop.call_soon_threadsafe(self.begun.set)
        self._over.wait(PATIENCE)
        return "done"

    def let_go(self) -> None:
        self._over.set()


async def test_what_comes_of_the_work_is_given(one_thread: WorkerThreads) -> None:
    """A result as it is, and an error as it was raised."""
    assert await one_thread.run("ada", lambda: 1 + 1) == 2
    with pytest.raises(ZeroDivisionError):
        await one_thread.run("ada", lambda: 1 // 0)


async def test_callers_take_turns(one_thread: WorkerThreads) -> None:
    """Whoever comes with one piece of work waits for one of each other caller, not for all of them."""
    held, order = Held(), list[str]()
    first = asyncio.create_task(one_thread.run("loud", held))
    await held.begun.wait()
    rest = [asyncio.create_task(one_thread.run("loud", lambda: order.append("loud"))) for _ in range(5)]
    await asyncio.sleep(0)
    rest.append(asyncio.create_task(one_thread.run("quiet", lambda: order.append("quiet"))))
    await asyncio.sleep(0)
    held.let_go()
    await asyncio.gather(first, *rest)
    assert order.index("quiet") == 1


async def test_who_gives_up_has_nothing_done(one_thread: WorkerThreads) -> None:
    """Work whose caller is gone before its turn is not begun."""
    held, done = Held(), list[str]()
    first = asyncio.create_task(one_thread.run("ada", held))
    await held.begun.wait()
    given_up = asyncio.create_task(one_thread.run("bob", lambda: done.append("bob")))
    await asyncio.sleep(0)
    given_up.cancel()
    await asyncio.gather(given_up, return_exceptions=True)
    held.let_go()
    assert await first == "done"
    assert await one_thread.run("cyd", lambda: [*done]) == []


async def test_the_end_waits_for_nothing(one_thread: WorkerThreads) -> None:
    """What waits is refused at once, what runs may finish, and stuck work keeps nobody."""
    held = Held()
    running = asyncio.create_task(one_thread.run("ada", held))
    await held.begun.wait()
    waiting = asyncio.create_task(one_thread.run("ada", lambda: "never"))
    await asyncio.sleep(0)
    begun = time.monotonic()
    one_thread.close()
    for refused in (waiting, one_thread.run("bob", lambda: "late")):
        with pytest.raises(ShuttingDown):
            await refused
    assert time.monotonic() - begun < PATIENCE
    assert not running.done()
    held.let_go()
    assert await running == "done"
