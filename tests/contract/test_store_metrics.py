"""What a database store measures of itself."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import pytest
from msgspec.structs import replace

from plangate_server.domain.errors import InvalidField
from plangate_server.domain.events import Change
from plangate_server.domain.lifecycle import approve_by_rule
from plangate_server.domain.plan import Plan
from plangate_server.domain.review import Option, ReviewOptions
from plangate_server.metrics import Metrics
from plangate_server.ports import EventFilter, Store, Writing
from plangate_server.storage.hub import Hub
from plangate_server.storage.postgres import open_postgres
from plangate_server.storage.sqlite import open_sqlite
from tests.helpers.backends import at_once, first_steps, following, go_on, on, save, take
from tests.helpers.conditions import PATIENCE
from tests.helpers.domain import LATER, NOW, a_draft, a_proposal, decided
from tests.helpers.postgres import database_of
from tests.helpers.scraping import Numbers
from tests.helpers.sqlite_file import new_database

SECONDS = (LATER - NOW).total_seconds()


@dataclass(frozen=True, slots=True)
class Measured:
    store: Store
    feed: Hub
    metrics: Metrics

    def __call__(self, name: str) -> float:
        return Numbers(self.metrics.text().decode())(name)


@asynccontextmanager
async def measured(database: str, folder: Path) -> AsyncIterator[Measured]:
    hub, metrics = Hub(), Metrics()
    sqlite = open_sqlite(new_database(folder / "plangate.db"), hub, metrics)
    async with sqlite if database == "sqlite" else open_postgres(database_of(folder), hub, metrics) as store:
        yield Measured(store, hub, metrics)


@pytest.fixture(params=on("sqlite", "postgres"))
async def node(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Measured]:
    async with measured(request.param, tmp_path) as node:
        yield node


def put(change: Change, writing: Writing) -> Plan:
    writing.save(change)
    return change.plan


async def test_writes_that_share_a_commit(node: Measured) -> None:
    """How many there were in each, and that none waits any more when all are answered."""
    before = node.metrics.writer_batch_size.count, node.metrics.writer_batch_size.total
    works = [("acme", partial(put, a_proposal(number))) for number in range(1, 6)]
    await at_once(node.store, works)
    after = node.metrics.writer_batch_size.count, node.metrics.writer_batch_size.total
    assert after[1] - before[1] >= 6, "and what kept the writer busy"
    assert after[0] - before[0] < 6
    assert node("plangate_writer_queue_length") == 0


async def test_writes_that_wait_can_be_seen(node: Measured) -> None:
    """While a commit is under way, the next ones queue."""
    begun, may_end = threading.Event(), threading.Event()

    def keep_busy(_: Writing) -> None:
        begun.set()
        may_end.wait(PATIENCE)

    async with asyncio.timeout(PATIENCE):
        busy = asyncio.create_task(node.store.write("busy", keep_busy))
        await asyncio.to_thread(begun.wait, PATIENCE)
        others = [asyncio.create_task(save(node.store, a_proposal(number))) for number in (1, 2, 3)]
        await first_steps()
        assert node("plangate_writer_queue_length") >= 3
        may_end.set()
        await asyncio.gather(busy, *others)
    assert node("plangate_writer_queue_length") == 0


async def test_events_reach_the_streams_at_once(node: Measured) -> None:
    """Each event that is written here counts once, and its lag is no more than the time that has passed."""
    lag = node.metrics.event_lag_seconds
    count, total, begun = lag.count, lag.total, time.monotonic()
    with following(node, "") as stream:
        # Of now: if the node sees it in the table first, it measures from the time of the event.
        await save(node.store, a_proposal(1, now=datetime.now(UTC)))
        await take(stream, 2)
    assert lag.count - count == 2
    assert 0 <= lag.total - total <= 2 * (time.monotonic() - begun)


async def test_only_what_people_decide_is_counted(node: Measured) -> None:
    """Every choice that ends a review, from its request on; neither rules nor the clock, and no part of a
    quorum.
    """
    options = (Option.APPROVE, Option.REJECT, Option.REQUEST_CHANGES, Option.EDIT)
    for number, option in enumerate(options, 1):
        plan = await save(node.store, a_proposal(number))
        edited = a_draft("# Edited") if option is Option.EDIT else None
        await go_on(node.store, plan, partial(decided, option=option, edited=edited))
    assert node("plangate_decision_seconds_count") == len(options)
    assert node("plangate_decision_seconds_sum") == pytest.approx(SECONDS * len(options))
    await save(node.store, approve_by_rule(a_proposal(5), "rule", LATER))
    assert node("plangate_decision_seconds_count") == len(options)
    quorum = await save(node.store, a_proposal(6, options=ReviewOptions(required_approvals=2)))
    await go_on(node.store, quorum, decided)
    assert node("plangate_decision_seconds_count") == len(options)
    await go_on(node.store, quorum, lambda plan: decided(plan, reviewer="grace"))
    assert node("plangate_decision_seconds_count") == len(options) + 1


async def test_what_was_nearly_committed_with_something_else_is_counted(node: Measured) -> None:
    """A decision whose neighbour cannot be stored counts, and reaches the streams at once."""
    plan = await save(node.store, a_proposal(1))

    def decide(writing: Writing) -> Plan:
        stored = writing.plan(plan.plan_id)
        assert stored
        return put(decided(stored), writing)

    untaken = a_proposal(2)
    untaken = replace(untaken, plan=replace(untaken.plan, session_id="\ud800"), events=())
    lag = node.metrics.event_lag_seconds
    with following(node, plan.plan_id) as stream:
        before = lag.count
        works: list[Callable[[Writing], Plan]] = [partial(put, untaken), decide]
        refused, done = await at_once(node.store, [("acme", work) for work in works])
        assert isinstance(refused, InvalidField)
        assert isinstance(done, Plan)
        assert len(await take(stream, 1)) == 1
    assert node("plangate_decision_seconds_count") == 1
    assert lag.count - before == 1


@pytest.mark.postgres
async def test_another_node_measures_from_the_time_of_the_event(tmp_path: Path) -> None:
    """It counts what it hands to its streams; the decision itself is counted where it was taken."""
    async with measured("postgres", tmp_path) as writer, measured("postgres", tmp_path) as reader:
        with following(reader, "") as stream:
            now = datetime.now(UTC)
            plan = await save(writer.store, a_proposal(1, now=now))
            await go_on(writer.store, plan, decided)
            assert len(await take(stream, 3)) == 3
        assert reader.metrics.event_lag_seconds.count == 3
        counted = [node("plangate_decision_seconds_count") for node in (writer, reader)]
        assert counted == [1, 0]


async def test_the_reader_that_is_furthest_behind() -> None:
    """Of all streams, it is the longest queue that is told."""
    hub = Hub()
    assert hub.longest_queue() == 0
    with hub.follow("acme", EventFilter()) as slow, hub.follow("acme", EventFilter()) as quick:
        hub.publish(a_proposal(1).events)
        assert hub.longest_queue() == 2
        await quick.next(0)
        assert hub.longest_queue() == 2
        await slow.next(0)
        assert hub.longest_queue() == 1
    assert hub.longest_queue() == 0
