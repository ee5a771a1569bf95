"""A whole world for use cases: a store in memory, a clock that tests move, ids that count."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from msgspec.structs import replace

from plangate_server.domain.errors import MissingCredentials
from plangate_server.domain.events import Cursors, Event
from plangate_server.domain.identity import Caller, Principal, Role
from plangate_server.domain.plan import Plan
from plangate_server.domain.policy import AutoRule, Policy
from plangate_server.ports import Gate, Reading, RequestKey, Result, Store, Waiting, World, Writing
from plangate_server.storage.hub import Hub
from plangate_server.storage.memory import MemoryStore
from plangate_server.usecases.streams import Moment
from tests.helpers.conditions import PATIENCE
from tests.helpers.domain import NOW

AGENT = Principal("builder-bot", "acme", Role.AGENT, "ada")
PERSON = Principal("ada", "acme", Role.REVIEWER, "ada")
STRANGER = Principal("mallory", "elsewhere", Role.ADMIN, "mallory")


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

    def secret(self) -> str:
        return self.new()


@dataclass(frozen=True, slots=True)
class Sandbox:
    """A world, and its parts as what they really are."""

    world: World
    store: Store
    hub: Hub
    clock: ManualClock

    async def last_sequence(self, workspace: str = AGENT.workspace) -> int:
        return await self.store.read(workspace, lambda reading: reading.last_sequence())

    def cursor(self, sequence: int, workspace: str = AGENT.workspace) -> str:
        return self.store.cursors.encode(workspace, sequence)

    def interrupted(self, interruption: Callable[[], Awaitable[object]]) -> World:
        """The same world, but something happens right before the first read."""
        return replace(self.world, store=_InterruptedStore(self.store, interruption))


@dataclass
class FixedPolicy:
    """A policy that changes only when a test says so."""

    current: Policy


NO_POLICY = FixedPolicy(Policy())


class NoCallers:
    """Who calls is known already."""

    def by_heart(self, token: str, certificate: str) -> Caller | None:
        return None

    async def known(self, token: str, certificate: str) -> Caller:
        raise MissingCredentials

    def holds(self, caller: Caller) -> bool:
        return True

    async def refresh(self) -> None:
        """There is nothing to learn."""


NOBODY = NoCallers()


def make_world(*auto_rules: AutoRule, policy: Policy | None = None) -> Sandbox:
    """A world of its own; the store contract holds its memory to what the databases do."""
    hub, clock = Hub(), ManualClock()
    store = MemoryStore(hub)
    policies = FixedPolicy(policy or Policy(auto_approve=auto_rules))
    return Sandbox(World(store, hub, clock, CountingIds(), policies, NOBODY), store, hub, clock)


async def events_of(stream: AsyncIterator[Moment]) -> list[Event]:
    """Every event of a stream that ends by itself."""
    async with asyncio.timeout(PATIENCE):
        return [moment.event async for moment in stream if isinstance(moment.event, Event)]


async def next_of(stream: AsyncIterator[Moment]) -> Event:
    """The next event of a stream."""
    async with asyncio.timeout(PATIENCE):
        while not isinstance(event := (await anext(stream)).event, Event):
            pass
        return event


class _InterruptedStore:
    def __init__(self, store: Store, interruption: Callable[[], Awaitable[object]]) -> None:
        self.cursors: Cursors = store.cursors
        self._store = store
        self._interruption: Callable[[], Awaitable[object]] | None = interruption

    async def read(self, workspace: str, work: Callable[[Reading], Result]) -> Result:
        await self._interrupt()
        return await self._store.read(workspace, work)

    async def snapshot(self, workspace: str, plan_id: str) -> tuple[Plan, int] | None:
        await self._interrupt()
        return await self._store.snapshot(workspace, plan_id)

    async def gate(self, workspace: str, session_id: str) -> Gate:
        await self._interrupt()
        return await self._store.gate(workspace, session_id)

    async def write(
        self, workspace: str, work: Callable[[Writing], Result], key: RequestKey | None = None
    ) -> Result:
        return await self._store.write(workspace, work, key)

    async def check(self) -> None:
        await self._store.check()

    async def overdue(self, now: datetime, limit: int) -> Sequence[tuple[str, str]]:
        return await self._store.overdue(now, limit)

    async def overdue_calls(self, now: datetime, limit: int) -> Sequence[tuple[str, str, str]]:
        return await self._store.overdue_calls(now, limit)

    async def waiting(self) -> Waiting:
        return await self._store.waiting()

    async def forget(self, *, events_before: datetime | None, requests_before: datetime) -> None:
        await self._store.forget(events_before=events_before, requests_before=requests_before)

    async def forget_ended(self, before: datetime) -> None:
        await self._store.forget_ended(before)

    async def _interrupt(self) -> None:
        interruption, self._interruption = self._interruption, None
        if interruption is not None:
            await interruption()
