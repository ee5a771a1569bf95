"""A whole world for use cases: a real store in a folder, a clock that tests move, ids that count."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path

from plangate_server.domain.events import Cursors, Event
from plangate_server.ports import Principal, Reading, Result, World, Writing
from plangate_server.storage.hub import Hub
from plangate_server.storage.sqlite import SqliteStore, open_sqlite
from tests.helpers.domain import NOW

PATIENCE = 30.0
"""Seconds after which something that should have happened long ago has failed."""

AGENT = Principal("builder-bot", "acme")
PERSON = Principal("ada", "acme")
STRANGER = Principal("mallory", "elsewhere")


class ManualClock:
    """Stands still until it is moved."""

    def __init__(self, start: datetime = NOW) -> None:
        self._now = start

    def now(self) -> datetime:
        return self._now

    def advance(self, step: timedelta) -> None:
        self._now += step


class CountingIds:
    """1, 2, 3, … as ids."""

    def __init__(self) -> None:
        self._last = 0

    def new(self) -> str:
        self._last += 1
        return f"{self._last:032x}"


@dataclass(frozen=True, slots=True)
class Sandbox:
    """A world, and its parts as what they really are."""

    world: World
    store: SqliteStore
    hub: Hub
    clock: ManualClock

    async def last_sequence(self, workspace: str = AGENT.workspace) -> int:
        return await self.store.read(workspace, lambda reading: reading.last_sequence())

    def cursor(self, sequence: int, workspace: str = AGENT.workspace) -> str:
        return self.store.cursors.encode(workspace, sequence)

    def interrupted(self, interruption: Callable[[], Awaitable[object]]) -> World:
        """The same world, but something happens right before the first read."""
        return replace(self.world, store=_InterruptedStore(self.store, interruption))


@asynccontextmanager
async def open_world(folder: Path) -> AsyncIterator[Sandbox]:
    hub, clock = Hub(), ManualClock()
    async with open_sqlite(folder / "plangate.db", hub) as store:
        yield Sandbox(World(store, hub, clock, CountingIds()), store, hub, clock)


async def events_of(stream: AsyncIterator[Event]) -> list[Event]:
    """Every event of a stream that ends by itself."""
    async with asyncio.timeout(PATIENCE):
        return [event async for event in stream]


async def next_of(stream: AsyncIterator[Event]) -> Event:
    async with asyncio.timeout(PATIENCE):
        return await anext(stream)


class _InterruptedStore:
    def __init__(self, store: SqliteStore, interruption: Callable[[], Awaitable[object]]) -> None:
        self.cursors: Cursors = store.cursors
        self._store = store
        self._interruption: Callable[[], Awaitable[object]] | None = interruption

    async def read(self, workspace: str, work: Callable[[Reading], Result]) -> Result:
        interruption, self._interruption = self._interruption, None
        if interruption is not None:
            await interruption()
        return await self._store.read(workspace, work)

    async def write(self, workspace: str, work: Callable[[Writing], Result]) -> Result:
        return await self._store.write(workspace, work)
