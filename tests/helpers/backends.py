"""Every store that must keep the contract of the ports, and what the contract's tests do with any of them."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from plangate_server.domain.events import Event
from plangate_server.domain.lifecycle import Change
from plangate_server.domain.plan import Plan
from plangate_server.ports import Feed, PlanFilter, Reading, Result, Store, Writing
from plangate_server.storage.hub import BACKLOG, Hub
from plangate_server.storage.sqlite import open_sqlite
from tests.helpers.world import PATIENCE

ALL = 1_000_000
"""A limit that lets everything through."""


@dataclass(frozen=True, slots=True)
class Node:
    """One running store with its feed; ``end_streams`` is what a server does when it shuts down."""

    store: Store
    feed: Feed
    end_streams: Callable[[], None]


@dataclass(frozen=True, slots=True)
class Backend:
    """A kind of store. The same folder opens the same data again."""

    name: str
    open: Callable[[Path], AbstractAsyncContextManager[Node]]
    backlog: int
    """How many events a stream may lag behind before it is cut off."""


@asynccontextmanager
async def _sqlite(folder: Path) -> AsyncIterator[Node]:
    hub = Hub()
    async with open_sqlite(folder / "plangate.db", hub) as store:
        yield Node(store, hub, hub.close)


BACKENDS = {backend.name: backend for backend in [Backend("sqlite", _sqlite, BACKLOG)]}

every_backend = pytest.mark.parametrize("backend", BACKENDS.values(), ids=BACKENDS.keys())


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
    return await store.read(plan.workspace, lambda reading: reading.events(plan.plan_id, after=0, limit=ALL))


def whole_log(reading: Reading) -> list[Event]:
    """Every event of the workspace, in order."""
    plans = reading.plans(PlanFilter(), after="", limit=ALL)
    events = [event for plan in plans for event in reading.events(plan.plan_id, after=0, limit=ALL)]
    return sorted(events, key=lambda event: event.sequence)


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
def following(node: Node, plan_id: str, workspace: str = "acme") -> Iterator[AsyncIterator[Event]]:
    """The events of a plan from now on."""
    with node.feed.follow(workspace, plan_id) as stream:
        yield aiter(stream)


async def take(events: AsyncIterator[Event], count: int) -> list[Event]:
    """The next events of a stream."""
    async with asyncio.timeout(PATIENCE):
        return [await anext(events) for _ in range(count)]
