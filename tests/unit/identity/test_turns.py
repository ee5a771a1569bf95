"""Whose call is worked on next: nobody waits behind another caller's flood, and every call gets its turn."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from plangate_server.rpc import turns as module
from plangate_server.rpc.turns import LONG_SECONDS, LineFull, Pace, Turn, Turns
from tests.helpers.conditions import PATIENCE

NEVER = 3600.0
"""Lines are looked at when a test says so."""
PACE = Pace(at_once=8, waiting=2000, all_waiting=3000, seconds=NEVER)
FLOOD = 1000


class Time:
    """Seconds that pass only when a test says so."""

    now = 1000.0

    def __call__(self) -> float:
        return self.now


@asynccontextmanager
async def crowd(
    turns: Turns, name: str, count: int, weight: int = 1
) -> AsyncIterator[list[asyncio.Task[Turn]]]:
    """So many calls of one caller, all of which have come."""
    calls = [asyncio.create_task(turns.take(name, weight)) for _ in range(count)]
    await asyncio.sleep(0)
    yield calls
    for call in calls:
        call.cancel()
    await asyncio.gather(*calls, return_exceptions=True)


def at_work(calls: list[asyncio.Task[Turn]]) -> list[Turn]:
    return [call.result() for call in calls if call.done()]


async def some_looks(turns: Turns, looks: int = 5) -> None:
    """Lines are looked at so often; no clock but the loop's own counts."""
    for _ in range(looks):
        turns._look()
        await asyncio.sleep(0)
        await asyncio.sleep(0)


async def test_nobody_waits_behind_anothers_flood() -> None:
    """A caller who is quiet begins at once, whatever another has sent."""
    turns = Turns(PACE)
    async with crowd(turns, "loud", FLOOD):
        for _ in range(5):
            call = turns.take("quiet")
            with pytest.raises(StopIteration) as ended:
                call.send(None)  # it waits for nothing
            ended.value.value.end()


@pytest.mark.parametrize(("weight", "most"), [(1, 8), (4, 2), (100, 1)])
async def test_so_much_of_a_caller_is_worked_on_at_a_time(weight: int, most: int) -> None:
    """By weight, and one at least; the next begins when one has ended."""
    turns = Turns(PACE)
    async with crowd(turns, "loud", FLOOD, weight) as calls:
        await some_looks(turns)
        assert len(at_work(calls)) == most
        at_work(calls)[0].end()
        await some_looks(turns)
        assert len(at_work(calls)) == most + 1


async def test_every_call_gets_its_turn() -> None:
    """In the order in which they came, with nothing left over of them."""
    turns, begun = Turns(Pace(8, FLOOD, FLOOD)), list[int]()

    async def call(number: int) -> None:
        turn = await turns.take("loud")
        begun.append(number)
        turn.end()
        turn.end()  # once more does no harm

    async with asyncio.timeout(PATIENCE):
        await asyncio.gather(*(call(number) for number in range(FLOOD)))
    assert begun == sorted(begun)
    assert len(begun) == FLOOD
    assert turns._waiting == 0


async def test_while_more_comes_little_begins() -> None:
    """So that what is on its way arrives soon; when nothing more comes, all that may begins."""
    turns = Turns(PACE)
    async with crowd(turns, "loud", 8) as first:
        assert len(at_work(first)) == 8
        for turn in at_work(first):
            turn.end()
        async with crowd(turns, "loud", 200) as more, crowd(turns, "loud", 200) as others:
            for turn in at_work(more):
                turn.end()
            begun = len(at_work(more))
            await some_looks(turns, 1)
            assert len(at_work(more)) == begun + module.SLOW
            await some_looks(turns, 2)
            assert len(at_work(more)) == begun + PACE.at_once
            assert not at_work(others)


async def test_a_long_run_is_interrupted() -> None:
    """However quickly a caller's calls end, now and then it is looked how many more there are."""
    time = Time()
    turns = Turns(PACE, time)
    for _ in range(module.RUN):
        (await turns.take("loud")).end()
    async with crowd(turns, "loud", 1) as calls:
        assert not at_work(calls)
        await some_looks(turns, 1)
        assert len(at_work(calls)) == 1
    for _ in range(module.RUN - 1):
        (await turns.take("loud")).end()
    time.now += 2 * module.QUIET_SECONDS
    for _ in range(module.RUN):
        (await turns.take("loud")).end()


async def test_what_waits_for_something_itself_makes_room() -> None:
    """A call that takes long keeps no other of its caller's out."""
    time = Time()
    turns = Turns(PACE, time)
    async with crowd(turns, "loud", 12) as calls:
        await some_looks(turns)
        assert len(at_work(calls)) == 8
        time.now += 2 * LONG_SECONDS
        await some_looks(turns)
        assert len(at_work(calls)) == 12


@pytest.mark.parametrize("looks", [0, 5])
async def test_whoever_hangs_up_takes_no_turn(looks: int) -> None:
    """Neither while they wait, nor in the moment in which it is their turn."""
    turns = Turns(PACE)
    async with crowd(turns, "loud", 8) as first:
        async with crowd(turns, "loud", 100) as gone:
            for turn in at_work(first)[: looks and 4]:
                turn.end()
            turns._look()
            assert not at_work(gone)
        async with crowd(turns, "loud", 1) as last:
            for turn in at_work(first):
                turn.end()
            await some_looks(turns)
            assert len(at_work(last)) == 1
            assert turns._waiting == 0


async def test_only_so_many_wait() -> None:
    """Of one caller, and of all."""
    turns = Turns(Pace(at_once=1, waiting=3, all_waiting=5, seconds=NEVER))
    async with crowd(turns, "a", 4), crowd(turns, "b", 3):
        with pytest.raises(LineFull):
            await turns.take("a")
        with pytest.raises(LineFull):
            await turns.take("b")
        (await turns.take("c")).end()


async def test_all_lines_together_keep_a_pace() -> None:
    """They take turns: who has sent one call does not wait for another's many."""
    time = Time()
    turns = Turns(Pace(100, 1000, 1000, per_second=1, seconds=5), time)
    time.now += 5
    async with crowd(turns, "loud", 100) as loud, crowd(turns, "quiet", 2) as quiet:
        assert (len(at_work(loud)), len(at_work(quiet))) == (5, 0)
        await some_looks(turns, 1)
        assert len(at_work(quiet)) >= 1
        await some_looks(turns, 2)
        assert len(at_work(quiet)) == 2
        assert len(at_work(loud)) + len(at_work(quiet)) <= 5 * 4


async def test_who_has_no_calls_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many callers there were; those who have some keep their place."""
    monkeypatch.setattr(module, "MOST_LINES", 10)
    turns = Turns(PACE)
    async with crowd(turns, "loud", FLOOD):
        for number in range(1000):
            (await turns.take(number)).end()
            assert len(turns._lines) <= 2 * 10
        assert "loud" in turns._lines


async def test_parts_of_a_line_take_turns() -> None:
    """Who is quiet waits for one call of each other part, not for all that came before."""
    turns = Turns(Pace(1, 1000, 1000, seconds=NEVER))
    begun = list[str]()

    async def call(part: str) -> None:
        turn = await turns.take("address", part=part)
        begun.append(part)
        turn.end()

    first = await turns.take("address")
    calls = [asyncio.create_task(call(part)) for part in ["loud"] * 100 + ["quiet"]]
    await asyncio.sleep(0)
    first.end()
    async with asyncio.timeout(PATIENCE):
        while not all(each.done() for each in calls):
            await some_looks(turns)
    assert begun.index("quiet") == 1


@pytest.mark.parametrize("name", ["address", "elsewhere"])
async def test_where_all_is_full_nobody_quiet_is_kept_out(name: str) -> None:
    """Their call gets the place of the last of those who have most that wait."""
    turns = Turns(Pace(at_once=1, waiting=10, all_waiting=10, seconds=NEVER))
    (await turns.take("elsewhere")).since = NEVER * NEVER  # it does not end
    async with crowd(turns, "address", 11) as loud:
        with pytest.raises(LineFull):
            await turns.take("address")
        quiet = asyncio.create_task(turns.take(name, part="quiet"))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert [isinstance(each.exception(), LineFull) for each in loud if each.done()] == [False, True]
        assert loud[-1].done()
        assert not quiet.done()
        assert turns._waiting == 10
        quiet.cancel()
        await asyncio.gather(quiet, return_exceptions=True)
