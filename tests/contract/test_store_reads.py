"""Whoever looks sees all that was written before, in one consistent state, and waits for nobody."""

import asyncio
import threading
from pathlib import Path

import pytest

from plangate_server.domain.events import Change
from plangate_server.domain.plan import Plan
from plangate_server.ports import EventFilter, PlanFilter, Reading, Writing
from tests.helpers.backends import (
    ALL,
    Backend,
    every_backend,
    every_database,
    go_on,
    plan_in,
    save,
    whole_log,
)
from tests.helpers.conditions import PATIENCE
from tests.helpers.domain import a_proposal, approval_request_id, commented, decided, plan_id, started


@every_backend
async def test_a_store_that_was_just_made_is_empty(backend: Backend, tmp_path: Path) -> None:
    """What is not there is not found, and that is no error."""

    def look(reading: Reading) -> None:
        assert reading.plan(plan_id(1)) is None
        assert reading.plan_under_review(approval_request_id(1)) is None
        assert reading.revision(plan_id(1), 1) is None
        assert reading.plans(PlanFilter(), after="", limit=ALL) == []
        assert reading.events(EventFilter(), after=0, limit=ALL) == []
        assert reading.last_sequence() == 0

    async with backend.open(tmp_path) as node:
        await node.store.read("acme", look)


@every_backend
async def test_a_read_sees_every_write_that_returned(backend: Backend, tmp_path: Path) -> None:
    """Many writers look right after their write, each on its own, and each finds it."""

    async def write_and_look(number: int) -> bool:
        plan = await save(node.store, a_proposal(number))
        return await plan_in(node.store, "acme", plan.plan_id) == plan

    async with backend.open(tmp_path) as node:
        assert all(await asyncio.gather(*map(write_and_look, range(1, 51))))


@every_database
async def test_a_look_is_consistent_and_waits_for_nobody(backend: Backend, tmp_path: Path) -> None:
    """While someone looks, others write; the look goes on seeing what it saw first."""
    looked, written = threading.Event(), threading.Event()

    def look(reading: Reading) -> tuple[int, int, Plan | None]:
        first = reading.last_sequence()
        looked.set()
        assert written.wait(PATIENCE)
        return first, reading.last_sequence(), reading.plan(plan_id(2))

    async with backend.open(tmp_path) as node:
        await save(node.store, a_proposal(1))
        looking = asyncio.create_task(node.store.read("acme", look))
        await asyncio.to_thread(looked.wait, PATIENCE)
        await save(node.store, a_proposal(2))
        written.set()
        assert await looking == (2, 2, None)


@every_database
async def test_a_read_does_not_wait_for_a_write(backend: Backend, tmp_path: Path) -> None:
    """While a write takes its time, others look and see the state before it."""
    begun, may_end = threading.Event(), threading.Event()

    def slowly(plan: Plan) -> Change:
        begun.set()
        assert may_end.wait(PATIENCE)
        return decided(plan)

    async with backend.open(tmp_path) as node:
        before = await save(node.store, a_proposal(1))
    # Opened anew, the store remembers no plan: the write runs where it may block, and not on the loop.
    async with backend.open(tmp_path) as node:
        writing = asyncio.create_task(go_on(node.store, before, slowly))
        await asyncio.to_thread(begun.wait, PATIENCE)
        assert await plan_in(node.store, "acme", plan_id(1)) == before
        may_end.set()
        after = await writing
        assert await plan_in(node.store, "acme", plan_id(1)) == after != before


@every_backend
async def test_a_read_that_raises_says_so(backend: Backend, tmp_path: Path) -> None:
    """What a look raises reaches the caller, and the store goes on."""

    def look(reading: Reading) -> None:
        raise LookupError(reading.last_sequence())

    async with backend.open(tmp_path) as node:
        for _ in range(20):
            with pytest.raises(LookupError):
                await node.store.read("acme", look)
        assert await node.store.read("acme", lambda reading: reading.last_sequence()) == 0


@every_backend
async def test_a_write_reads_what_it_wrote(backend: Backend, tmp_path: Path) -> None:
    """Inside a transaction, what it saved can be read, and changed again."""

    def work(writing: Writing) -> Change:
        proposal = a_proposal(1, session_id="s")
        writing.save(proposal)
        assert writing.plan(plan_id(1)) == proposal.plan
        assert writing.revision(plan_id(1), 1) == proposal.plan.revision
        approval = decided(proposal.plan)
        writing.save(approval)
        assert writing.plan_under_review(approval_request_id(1)) == approval.plan
        build = started(approval.plan, "b" * 32)
        writing.save(build)
        assert writing.plan_of_build("b" * 32) == build.plan
        comment = commented(build.plan, "c" * 32)
        writing.save(comment)
        assert writing.comment("c" * 32) == comment.comments[0]
        return comment

    async with backend.open(tmp_path) as node:
        last = await node.store.write("acme", work)
        events = await node.store.read("acme", whole_log)
        assert [event.sequence for event in events] == [1, 2, 3, 4, 5]
        assert events[-1].plan == last.events[0].in_short.plan
        assert await plan_in(node.store, "acme", plan_id(1)) == last.plan
