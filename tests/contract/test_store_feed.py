"""Streams: every event of a plan that is committed while someone follows it, once and in order."""

import asyncio
import gc
import weakref
from collections.abc import Sequence
from pathlib import Path

import pytest

from plangate_server.domain.errors import ShuttingDown, SlowConsumer
from plangate_server.domain.events import Event
from plangate_server.domain.plan import Plan
from plangate_server.ports import EventFilter, Stream, Writing
from tests.helpers.backends import (
    Backend,
    Node,
    events_in,
    every_backend,
    first_steps,
    following,
    go_on,
    save,
    take,
)
from tests.helpers.domain import a_note, a_proposal, decided, plan_id

pytestmark = every_backend


def sequences(events: Sequence[Event]) -> list[int]:
    return [event.sequence for event in events]


async def note(node: Node, plan: Plan, times: int = 1) -> None:
    await go_on(node.store, plan, lambda stored: a_note(stored, times=times))


async def test_a_stream_tells_what_happens_from_now_on(backend: Backend, tmp_path: Path) -> None:
    """Events that are committed after following began arrive as they were stored, earlier ones do not."""
    async with backend.open(tmp_path) as node:
        plan = await save(node.store, a_proposal(1))
        with following(node, plan.plan_id) as stream:
            await go_on(node.store, plan, decided)
            await note(node, plan, times=2)
            assert await take(stream, 3) == (await events_in(node.store, plan))[2:]


async def test_a_stream_may_begin_before_its_plan(backend: Backend, tmp_path: Path) -> None:
    """Who follows an id that nothing has yet sees everything from the first event on."""
    async with backend.open(tmp_path) as node:
        with following(node, plan_id(1)) as stream:
            await save(node.store, a_proposal(1))
            assert sequences(await take(stream, 2)) == [1, 2]


async def test_a_stream_waits_for_what_comes(backend: Backend, tmp_path: Path) -> None:
    """A reader that is ahead gets the next event when it is committed."""
    async with backend.open(tmp_path) as node:
        plan = await save(node.store, a_proposal(1))
        with following(node, plan.plan_id) as stream:
            reading = asyncio.create_task(take(stream, 1))
            await note(node, plan)
            assert sequences(await reading) == [3]


async def test_a_stream_is_about_one_plan(backend: Backend, tmp_path: Path) -> None:
    """Events of other plans, committed before, between and after, do not arrive."""
    async with backend.open(tmp_path) as node:
        one, other = [await save(node.store, a_proposal(n)) for n in (1, 2)]
        with following(node, one.plan_id) as stream:
            for plan in (other, one, other, one):
                await note(node, plan)
            assert sequences(await take(stream, 2)) == [6, 8]


async def test_everyone_who_follows_gets_everything(backend: Backend, tmp_path: Path) -> None:
    """Streams of the same plan do not take events away from each other."""
    async with backend.open(tmp_path) as node:
        plan = await save(node.store, a_proposal(1))
        with following(node, plan.plan_id) as one, following(node, plan.plan_id) as other:
            await note(node, plan, times=3)
            assert await take(one, 3) == await take(other, 3)


async def test_what_is_refused_is_not_told(backend: Backend, tmp_path: Path) -> None:
    """A write that raises after saving leaves no trace in any stream."""

    def change_of_mind(writing: Writing) -> None:
        plan = writing.plan(plan_id(1))
        assert plan is not None
        writing.save(decided(plan))
        raise LookupError

    async with backend.open(tmp_path) as node:
        plan = await save(node.store, a_proposal(1))
        with following(node, plan.plan_id) as stream:
            with pytest.raises(LookupError):
                await node.store.write("acme", change_of_mind)
            await note(node, plan)
            assert await take(stream, 1) == (await events_in(node.store, plan))[2:]


async def test_under_many_writers_each_stream_is_its_plans_log(backend: Backend, tmp_path: Path) -> None:
    """While 200 writes go on at once, every stream gives exactly what its plan's log gets, in that order."""

    async def follow(plan: Plan) -> list[Event]:
        with following(node, plan.plan_id) as stream:
            return await take(stream, 20)

    async with backend.open(tmp_path) as node:
        plans = [await save(node.store, a_proposal(n)) for n in range(1, 11)]
        streams = [asyncio.create_task(follow(plan)) for plan in plans]
        await first_steps()
        await asyncio.gather(*(note(node, plan) for plan in plans * 20))
        for plan, told in zip(plans, await asyncio.gather(*streams), strict=True):
            assert told == (await events_in(node.store, plan))[2:]


async def test_nothing_falls_between_the_store_and_the_stream(backend: Backend, tmp_path: Path) -> None:
    """Who follows first and reads then has every event, however the writes fall around the two."""

    async def look_and_go_on() -> list[int]:
        with following(node, plan.plan_id) as stream:
            seen = sequences(await events_in(node.store, plan))
            while seen[-1] < 102:
                (number,) = sequences(await take(stream, 1))
                seen += [number] if number > seen[-1] else []
        return seen

    async with backend.open(tmp_path) as node:
        plan = await save(node.store, a_proposal(1))
        looking = []
        async with asyncio.TaskGroup() as group:
            for _ in range(100):
                group.create_task(note(node, plan))
                looking.append(group.create_task(look_and_go_on()))
    assert [task.result() for task in looking] == [list(range(1, 103))] * 100


async def _write_past(backend: Backend, node: Node, plan: Plan, reader: Stream) -> list[Event]:
    """Append more than a stream may lag behind, while one reader keeps up; gives what that one got."""
    step = backend.backlog // 10
    kept_up = []
    for _ in range(12):
        await note(node, plan, times=step)
        kept_up += await take(reader, step)
    return kept_up


async def test_a_reader_that_lags_is_cut_off_without_a_gap(backend: Backend, tmp_path: Path) -> None:
    """It gets what waited for it, in order from its first event, and then SlowConsumer; others get all."""
    async with backend.open(tmp_path) as node:
        plan = await save(node.store, a_proposal(1))
        with (
            following(node, plan.plan_id) as slow,
            following(node, plan.plan_id) as quick,
        ):
            kept_up = await _write_past(backend, node, plan, quick)
            got = await take(slow, backend.backlog)
            with pytest.raises(SlowConsumer):
                await take(slow, 1)
            await note(node, plan)
            assert sequences(await take(quick, 1)) == [len(kept_up) + 3]
        assert sequences(kept_up) == list(range(3, len(kept_up) + 3))
        assert got == kept_up[: backend.backlog]


async def test_a_reader_that_lags_delays_no_write(backend: Backend, tmp_path: Path) -> None:
    """Writes go on, and a stream of another plan stays as it was."""
    async with backend.open(tmp_path) as node:
        plan, other = [await save(node.store, a_proposal(n)) for n in (1, 2)]
        with following(node, plan.plan_id), following(node, other.plan_id) as elsewhere:
            for _ in range(3):
                await note(node, plan, times=backend.backlog)
            await note(node, other)
            (event,) = await take(elsewhere, 1)
        assert event.plan.plan_id == other.plan_id


async def test_shutting_down_ends_every_stream(backend: Backend, tmp_path: Path) -> None:
    """Waiting readers are told at once, lagging ones after what waits for them, late ones right away."""
    async with backend.open(tmp_path) as node:
        plan = await save(node.store, a_proposal(1))
        with (
            following(node, plan_id(9)) as idle,
            following(node, plan.plan_id) as lagging,
        ):
            waiting = asyncio.create_task(take(idle, 1))
            await note(node, plan)
            node.end_streams()
            with pytest.raises(ShuttingDown):
                await waiting
            assert sequences(await take(lagging, 1)) == [3]
            with pytest.raises(ShuttingDown):
                await take(lagging, 1)
        with following(node, plan.plan_id) as late, pytest.raises(ShuttingDown):
            await take(late, 1)


async def test_writes_go_on_while_streams_are_ended(backend: Backend, tmp_path: Path) -> None:
    """Ending the streams does not refuse or lose the writes that are still running."""
    async with backend.open(tmp_path) as node:
        plan = await save(node.store, a_proposal(1))
        node.end_streams()
        await note(node, plan)
        assert sequences(await events_in(node.store, plan)) == [1, 2, 3]


async def test_a_stream_that_was_left_costs_nothing(backend: Backend, tmp_path: Path) -> None:
    """Nothing holds on to a stream after its block, so that coming and going does not add up."""
    async with backend.open(tmp_path) as node:
        plan = await save(node.store, a_proposal(1))
        with node.feed.follow("acme", EventFilter(plan_id=plan.plan_id)) as stream:
            left = weakref.ref(stream)
        del stream
        await note(node, plan)
        gc.collect()
        assert left() is None
