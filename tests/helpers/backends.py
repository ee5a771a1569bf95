"""Every store that must keep the contract of the ports, and what the contract's tests do with any of them."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import pytest
from _pytest.mark.structures import ParameterSet

from plangate_server.domain.events import Change, Event
from plangate_server.domain.plan import Plan
from plangate_server.ports import EventFilter, Feed, Reading, Result, Store, Stream, Writing
from plangate_server.storage.hub import BACKLOG, Hub
from plangate_server.storage.memory import MemoryStore
from plangate_server.storage.postgres import open_postgres
from plangate_server.storage.sqlite import open_sqlite
from tests.helpers.conditions import PATIENCE
from tests.helpers.postgres import database_of
from tests.helpers.sqlite_file import new_database

ALL = 1_000_000
"""A limit that lets everything through."""


class HasFeed(Protocol):
    @property
    def feed(self) -> Feed: ...


@dataclass(frozen=True, slots=True)
class Node:
    """One running store with its feed; ``end_streams`` is what a server does when it shuts down."""

    store: Store
    feed: Feed
    end_streams: Callable[[], None]


@dataclass(frozen=True, slots=True)
class Backend:
    """A kind of store. The same folder opens the same data again, where data outlives the store."""

    name: str
    open: Callable[[Path], AbstractAsyncContextManager[Node]]
    prepare: Callable[[Path], object] = lambda folder: None
    """What must be there before another process opens the folder."""
    backlog: int = BACKLOG
    """How many events a stream may lag behind before it is cut off."""


@asynccontextmanager
async def _memory(_: Path) -> AsyncIterator[Node]:
    hub = Hub()
    yield Node(MemoryStore(hub), hub, hub.close)


@asynccontextmanager
async def _sqlite(folder: Path) -> AsyncIterator[Node]:
    hub = Hub()
    async with open_sqlite(new_database(folder / "plangate.db"), hub) as store:
        yield Node(store, hub, hub.close)


@asynccontextmanager
async def _postgres(folder: Path) -> AsyncIterator[Node]:
    hub = Hub()
    async with open_postgres(database_of(folder), hub) as store:
        yield Node(store, hub, hub.close)


BACKENDS = {
    backend.name: backend
    for backend in [
        Backend("memory", _memory),
        Backend("sqlite", _sqlite),
        Backend("postgres", _postgres, database_of),
    ]
}

MARKS = dict.fromkeys(("postgres", "two nodes"), pytest.mark.postgres)
"""What a test needs that runs on a kind of store, or on nodes over one."""


def on(*kinds: str) -> list[ParameterSet]:
    """The kinds as parameters of a test, each with the mark of what it needs."""
    return [pytest.param(kind, marks=MARKS.get(kind, ())) for kind in kinds]


def _parameters(*names: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("backend", [_parameter(BACKENDS[name]) for name in names])


def _parameter(backend: Backend) -> ParameterSet:
    return pytest.param(backend, id=backend.name, marks=MARKS.get(backend.name, ()))


every_backend = _parameters(*BACKENDS)
every_database = _parameters("sqlite", "postgres")
"""The stores that keep what they were given; memory ends with the process."""


async def save(store: Store, change: Change) -> Plan:
    """Store a plan that is new."""
    await store.write(change.plan.workspace, lambda writing: writing.save(change))
    return change.plan


async def go_on(store: Store, plan: Plan, verb: Callable[[Plan], Change]) -> Plan:
    """Read a stored plan and save what the verb makes of it, in one transaction."""

    def work(writing: Writing) -> Plan:
        stored = writing.plan(plan.plan_id)
        assert stored is not None
        change = verb(stored)
        writing.save(change)
        return change.plan

    return await store.write(plan.workspace, work)


async def plan_in(store: Store, workspace: str, plan_id: str) -> Plan | None:
    return await store.read(workspace, lambda reading: reading.plan(plan_id))


async def events_in(store: Store, plan: Plan) -> Sequence[Event]:
    """Every stored event of a plan."""
    which = EventFilter(plan_id=plan.plan_id)
    found = await store.read(plan.workspace, lambda reading: reading.events(which, after=0, limit=ALL))
    return [event for event in found if isinstance(event, Event)]


def whole_log(reading: Reading) -> list[Event]:
    """Every event of the workspace's plans, in order."""
    every = reading.events(EventFilter(), after=0, limit=ALL)
    return [event for event in every if isinstance(event, Event)]


async def at_once(
    store: Store, works: Sequence[tuple[str, Callable[[Writing], Result]]]
) -> list[Result | BaseException]:
    """Submit writes while the store is busy, so that a store that commits in batches takes them together."""
    begun, may_end = threading.Event(), threading.Event()

    def keep_busy(_: Writing) -> None:
        begun.set()
        may_end.wait(PATIENCE)

    async with asyncio.timeout(PATIENCE):
        busy = asyncio.create_task(store.write("busy", keep_busy))
        await asyncio.to_thread(begun.wait, PATIENCE)
        tasks = [asyncio.create_task(store.write(workspace, work)) for workspace, work in works]
        await first_steps()
        may_end.set()
        await busy
        return await asyncio.gather(*tasks, return_exceptions=True)


async def first_steps() -> None:
    """Come back when every task has taken its first step, like submitting a write or beginning to follow."""
    done = asyncio.Event()
    asyncio.get_running_loop().call_soon(done.set)
    await done.wait()


@contextmanager
def following(node: HasFeed, plan_id: str, workspace: str = "acme") -> Iterator[Stream]:
    """The events of a plan from now on; of all plans, if none is named."""
    with node.feed.follow(workspace, EventFilter(plan_id=plan_id)) as stream:
        yield stream


async def take(stream: Stream, count: int) -> list[Event]:
    """The next events of a stream."""
    events: list[Event] = []
    for _ in range(count):
        event = await stream.next(PATIENCE)
        assert isinstance(event, Event), f"only {len(events)} of {count} events came"
        events.append(event)
    return events
