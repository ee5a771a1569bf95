"""What many streams need is looked up once, and nobody takes it from the others."""

import asyncio

import pytest

from plangate_server.usecases.sharing import MOST, Shared


class Look:
    """Gives 7 as soon as it may, and counts how often it was asked to."""

    def __init__(self) -> None:
        self.times = 0
        self.may_end = asyncio.Event()
        self.may_end.set()

    async def __call__(self) -> int:
        self.times += 1
        await self.may_end.wait()
        return 7


async def test_all_who_ask_share_one_look() -> None:
    """However many ask at once or later, it is made once."""
    shared: Shared[int] = Shared()
    look = Look()
    assert await asyncio.gather(*(shared.get(("acme", 1), look) for _ in range(5))) == [7] * 5
    assert await shared.get(("acme", 1), look) == 7
    assert look.times == 1


async def test_one_that_gives_up_does_not_end_it() -> None:
    """The others get what they wait for."""
    shared: Shared[int] = Shared()
    look = Look()
    look.may_end.clear()
    first, second = (asyncio.create_task(shared.get(("acme", 1), look)) for _ in range(2))
    await asyncio.sleep(0)
    first.cancel()
    look.may_end.set()
    assert await second == 7
    assert look.times == 1


async def test_a_failure_is_not_kept() -> None:
    """Whoever asks next has another try."""
    shared: Shared[int] = Shared()

    async def fail() -> int:
        raise LookupError

    with pytest.raises(LookupError):
        await shared.get(("acme", 1), fail)
    assert await shared.get(("acme", 1), Look()) == 7


async def test_only_the_last_are_kept() -> None:
    """What is long past is looked up anew."""
    shared: Shared[int] = Shared()
    look = Look()
    for number in [*range(MOST + 1), 0]:
        await shared.get(("acme", number), look)
    assert look.times == MOST + 2
