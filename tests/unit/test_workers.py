"""Work that takes long: callers take turns, nobody else waits, and the end of the server does not either."""

import asyncio
import threading
import time
from collections.abc import AsyncIterator

import pytest

from plangate_server import workers as module
from plangate_server.domain import limits
from plangate_server.domain.errors import Reason, ShuttingDown, TooManyWaiting
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


async def held_places(workers: WorkerThreads, caller: str, count: int) -> list[asyncio.Task[None]]:
    """So many have a place, or wait for one, until they are cancelled."""

    async def hold() -> None:
        async with workers.place(caller):
            await asyncio.Event().wait()

    holding = [asyncio.create_task(hold()) for _ in range(count)]
    await asyncio.sleep(0)
    return holding


async def let_go(holding: list[asyncio.Task[None]]) -> None:
    for each in holding:
        each.cancel()
    await asyncio.gather(*holding, return_exceptions=True)


async def test_one_caller_has_few_places(one_thread: WorkerThreads) -> None:
    """Whoever asks for more is told to come again; another caller has their own, and none is lost."""
    holding = await held_places(one_thread, "loud", limits.HEAVY_CALLS)
    with pytest.raises(TooManyWaiting) as refused:
        async with one_thread.place("loud"):
            pass
    assert (refused.value.reason, refused.value.metadata["limit"]) == (Reason.RATE_LIMITED, "heavy_calls")
    async with asyncio.timeout(PATIENCE):
        async with one_thread.place("quiet"):
            pass
        await let_go(holding)
        async with one_thread.place("loud"):
            pass
    assert not one_thread._places


async def test_nobody_waits_for_a_place_for_ever(
    one_thread: WorkerThreads, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where those before do not end, the call is refused, and takes no place."""
    monkeypatch.setattr(module, "PATIENCE", 0)
    holding = await held_places(one_thread, "loud", module.AT_ONCE)
    with pytest.raises(TooManyWaiting):
        async with one_thread.place("loud"):
            pass
    await let_go(holding)
    assert not one_thread._places
