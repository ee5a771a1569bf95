"""Writes: all of one or nothing of it, each on its own, numbered without a gap in the order of commit."""

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from plangate_server.domain.errors import PlanNotFound
from plangate_server.ports import PlanFilter, Reading, RequestKey, Writing
from tests.helpers.backends import (
    ALL,
    Backend,
    Node,
    at_once,
    events_in,
    every_backend,
    every_database,
    first_steps,
    go_on,
    plan_in,
    save,
    whole_log,
)
from tests.helpers.conditions import PATIENCE
from tests.helpers.domain import a_plan, a_proposal, approval_request_id, decided, plan_id

KEY = RequestKey("bot", "r-1", "fingerprint")


def saving(number: int) -> Callable[[Writing], None]:
    return lambda writing: writing.save(a_proposal(number))


def failing(number: int, error: Exception) -> Callable[[Writing], None]:
    """A write that does all that it can do, and then raises."""

    def work(writing: Writing) -> None:
        change = a_proposal(number)
        writing.save(change)
        writing.remember(KEY, change)
        raise error

    return work


async def log_of(node: Node, workspace: str = "acme") -> list[int]:
    events = await node.store.read(workspace, whole_log)
    return [event.sequence for event in events]


@every_backend
async def test_a_write_that_raises_stores_nothing(backend: Backend, tmp_path: Path) -> None:
    """Plan, revision, review, events and answer of a write that raised are all absent."""

    def look(writing: Writing) -> None:
        assert writing.plan(plan_id(1)) is None
        assert writing.revision(plan_id(1), 1) is None
        assert writing.plan_under_review(approval_request_id(1)) is None
        assert writing.recall(KEY) is None

    async with backend.open(tmp_path) as node:
        with pytest.raises(PlanNotFound):
            await node.store.write("acme", failing(1, PlanNotFound("uri")))
        await node.store.write("acme", look)
        assert await log_of(node) == []


@every_backend
async def test_the_caller_gets_the_very_error(backend: Backend, tmp_path: Path) -> None:
    """What a write raises reaches its caller as it is, with all that it carries."""
    error = PlanNotFound("uri")
    async with backend.open(tmp_path) as node:
        with pytest.raises(PlanNotFound) as raised:
            await node.store.write("acme", failing(1, error))
        assert raised.value is error


@every_database
async def test_a_write_that_raises_does_not_touch_the_others(backend: Backend, tmp_path: Path) -> None:
    """Of many writes at once, those that raise are refused and all others are stored, without a gap."""
    numbers = range(1, 101)
    failures = {n: ValueError(n) for n in numbers if n % 3 == 0}
    works = [failing(n, failures[n]) if n in failures else saving(n) for n in numbers]

    async with backend.open(tmp_path) as node:
        results = await at_once(node.store, [("acme", work) for work in works])
        assert results == [failures.get(n) for n in numbers]
        kept = await node.store.read("acme", lambda r: r.plans(PlanFilter(), after="", limit=ALL))
        assert kept == [a_plan(n) for n in numbers if n not in failures]
        assert await log_of(node) == list(range(1, 2 * (100 - len(failures)) + 1))


@every_backend
async def test_any_error_is_an_answer(backend: Backend, tmp_path: Path) -> None:
    """Whatever exception a write raises, it and the others that wait are answered."""
    works = [failing(1, StopIteration()), saving(2)]
    async with backend.open(tmp_path) as node, asyncio.timeout(PATIENCE):
        await asyncio.gather(*(node.store.write("acme", work) for work in works), return_exceptions=True)


@every_backend
async def test_many_writers_make_one_log_per_workspace(backend: Backend, tmp_path: Path) -> None:
    """Under 200 writers at once, events are numbered 1 to n without a gap, each commit's in one piece."""

    async def propose_and_decide(number: int) -> tuple[int, list[int]]:
        workspace = "acme" if number % 2 else "elsewhere"
        plan = await save(node.store, a_proposal(number, workspace=workspace))
        seen = await node.store.read(workspace, lambda reading: reading.last_sequence())
        await go_on(node.store, plan, decided)
        return seen, [event.sequence for event in await events_in(node.store, plan)]

    async with backend.open(tmp_path) as node:
        told = await asyncio.gather(*map(propose_and_decide, range(1, 201)))
        for workspace in ("acme", "elsewhere"):
            assert await log_of(node, workspace) == list(range(1, 301))
    for seen, (created, asked, approved) in told:
        assert asked == created + 1
        assert approved > seen >= asked


@every_backend
async def test_a_look_sees_whole_commits_only(backend: Backend, tmp_path: Path) -> None:
    """Whoever looks while others write sees every number up to the newest, and both events of each plan."""

    def look(reading: Reading) -> None:
        assert [event.sequence for event in whole_log(reading)] == list(range(1, reading.last_sequence() + 1))
        assert reading.last_sequence() % 2 == 0

    async with backend.open(tmp_path) as node:
        writes = [asyncio.create_task(save(node.store, a_proposal(n))) for n in range(1, 101)]
        while not all(write.done() for write in writes):
            await node.store.read("acme", look)
            await first_steps()
        await asyncio.gather(*writes)


@every_database
async def test_a_caller_that_gives_up_undoes_nothing(backend: Backend, tmp_path: Path) -> None:
    """A write that has begun is finished, though nobody waits for it any more."""
    begun, may_end = threading.Event(), threading.Event()

    def work(writing: Writing) -> None:
        begun.set()
        assert may_end.wait(PATIENCE)
        writing.save(a_proposal(1))

    async with backend.open(tmp_path) as node:
        caller = asyncio.create_task(node.store.write("acme", work))
        await asyncio.to_thread(begun.wait, PATIENCE)
        caller.cancel()
        with pytest.raises(asyncio.CancelledError):
            await caller
        may_end.set()
        await save(node.store, a_proposal(2))
        assert await plan_in(node.store, "acme", plan_id(1)) == a_plan(1)


@every_database
async def test_callers_that_give_up_in_the_queue_break_nothing(backend: Backend, tmp_path: Path) -> None:
    """Writes that were given up in the queue are wholly in or wholly out, and the others are answered."""
    begun, may_end = threading.Event(), threading.Event()

    def keep_busy(_: Writing) -> None:
        begun.set()
        assert may_end.wait(PATIENCE)

    async with backend.open(tmp_path) as node:
        busy = asyncio.create_task(node.store.write("acme", keep_busy))
        await asyncio.to_thread(begun.wait, PATIENCE)
        writes = [asyncio.create_task(save(node.store, a_proposal(n))) for n in range(1, 21)]
        await first_steps()
        for write in writes[::2]:
            write.cancel()
        may_end.set()
        async with asyncio.timeout(PATIENCE):
            results = await asyncio.gather(*writes, return_exceptions=True)
        await busy
        kept = [result for result in results if not isinstance(result, asyncio.CancelledError)]
        assert kept == [a_plan(n) for n in range(2, 21, 2)]
        for number in range(1, 21):
            stored = await plan_in(node.store, "acme", plan_id(number))
            assert stored == a_plan(number) or (stored is None and number % 2)
        log = await log_of(node)
        assert log == list(range(1, len(log) + 1))
