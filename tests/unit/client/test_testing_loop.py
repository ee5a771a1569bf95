"""The event loop of the gate for tests: it runs when it is turned, whatever else runs in the thread."""

from __future__ import annotations

import asyncio

import pytest

from plangate.testing._loop import Loop


@pytest.fixture
def loop() -> Loop:
    return Loop()  # type: ignore[abstract]


def test_tasks_go_on_when_it_is_turned(loop: Loop) -> None:
    """As far as they can; what they wait for brings them further the next time."""
    news: asyncio.Future[str] = loop.create_future()

    async def work() -> str:
        await asyncio.sleep(0)
        return await news

    task = loop.create_task(work())
    assert not task.done()
    loop.turn()
    assert not task.done()
    news.set_result("done")
    assert not task.done()
    loop.turn()
    assert task.result() == "done"


def test_timers_run_when_they_are_due(loop: Loop) -> None:
    """In the order of their times; one that was cancelled does not, and is not waited for."""
    ran: list[str] = []
    now = loop.time()
    loop.call_at(now - 1, ran.append, "second")
    loop.call_at(now - 2, ran.append, "first")
    loop.call_at(now - 3, ran.append, "never").cancel()
    loop.call_at(now + 1000, ran.append, "later")
    loop.turn()
    assert ran == ["first", "second"]
    assert loop.next_time() == now + 1000


async def test_another_loop_goes_on_after_a_turn(loop: Loop) -> None:
    """Inside a turn its own task is the current one; afterwards it is that of the loop that runs."""
    outer = asyncio.get_running_loop(), asyncio.current_task()

    async def work() -> tuple[object, object]:
        await asyncio.sleep(0)
        return asyncio.get_running_loop(), asyncio.current_task()

    task = loop.create_task(work())
    loop.turn()
    assert task.result() == (loop, task)
    assert (asyncio.get_running_loop(), asyncio.current_task()) == outer
    async with asyncio.timeout(1):
        await asyncio.sleep(0)


def test_a_turn_within_a_turn_is_left_to_the_outer_one(loop: Loop) -> None:
    """As when a stream is collected while the gate works."""
    ran: list[str] = []

    def inner() -> None:
        loop.call_soon(ran.append, "what the inner one wanted")
        loop.turn()
        ran.append("the inner one has ended")

    loop.call_soon(inner)
    loop.turn()
    assert ran == ["the inner one has ended", "what the inner one wanted"]


def test_what_fails_in_a_turn_fails_whoever_turns(loop: Loop) -> None:
    """A fault of the gate is not lost, and the next turn goes on."""
    ran: list[str] = []

    def fail() -> None:
        raise ZeroDivisionError

    loop.call_soon(fail)
    loop.call_soon(ran.append, "what came after it")
    with pytest.raises(ZeroDivisionError):
        loop.turn()
    loop.turn()
    assert ran == ["what came after it"]
