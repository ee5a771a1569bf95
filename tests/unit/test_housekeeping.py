"""What the service does by itself goes on for as long as it runs, whatever happens meanwhile."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from plangate_server import housekeeping
from plangate_server.domain.errors import StoreUnavailable
from plangate_server.domain.events import EventType
from plangate_server.domain.plan import Plan
from plangate_server.domain.review import ReviewOptions
from plangate_server.housekeeping import keep_house
from plangate_server.ports import EventFilter, Store, World
from plangate_server.usecases.create_plan import CreatePlan, create_plan
from tests.helpers.backends import take
from tests.helpers.conditions import PATIENCE
from tests.helpers.domain import NOW, a_draft
from tests.helpers.world import AGENT, Sandbox, make_world

HOUR = timedelta(hours=1)
Forgotten = tuple[datetime | None, datetime]


@dataclass(slots=True)
class WatchedStore:
    """A store that fails as often as told and says what was to be forgotten."""

    store: Store
    failures: list[Exception] = field(default_factory=list)
    forgotten: "asyncio.Queue[Forgotten]" = field(default_factory=asyncio.Queue)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.store, name)

    async def overdue(self, now: datetime, limit: int) -> Sequence[tuple[str, str]]:
        if self.failures:
            raise self.failures.pop()
        return await self.store.overdue(now, limit)

    async def forget(self, *, events_before: datetime | None, requests_before: datetime) -> None:
        self.forgotten.put_nowait((events_before, requests_before))


@pytest.fixture(autouse=True)
def busy(monkeypatch: pytest.MonkeyPatch) -> None:
    """The service looks as often as it can."""
    monkeypatch.setattr(housekeeping, "OVERDUE_SECONDS", 0)


@pytest.fixture
async def sandbox() -> Sandbox:
    return make_world()


@asynccontextmanager
async def kept(world: World, keep_events: timedelta | None = None) -> AsyncIterator[None]:
    """While the service looks after itself."""
    chores = asyncio.create_task(keep_house(world, keep_events))
    try:
        yield
        assert not chores.done()
    finally:
        chores.cancel()
        with suppress(asyncio.CancelledError):
            await chores


def watched(sandbox: Sandbox, *failures: Exception) -> tuple[World, WatchedStore]:
    store = WatchedStore(sandbox.store, [*failures])
    return replace(sandbox.world, store=store), store


async def propose(sandbox: Sandbox) -> Plan:
    """A plan that waits for an hour."""
    options = ReviewOptions(expires_after=HOUR)
    return await create_plan(sandbox.world, AGENT, CreatePlan(a_draft(), options=options))


async def test_what_is_overdue_ends_without_anyone_asking(sandbox: Sandbox) -> None:
    """A review whose time is over is told as expired."""
    plan = await propose(sandbox)
    with sandbox.hub.follow("acme", EventFilter(plan_id=plan.plan_id)) as stream:
        async with kept(sandbox.world):
            sandbox.clock.advance(HOUR)
            (event,) = await take(stream, 1)
    assert event.type is EventType.REVIEW_EXPIRED


@pytest.mark.parametrize("failure", [StoreUnavailable, RuntimeError])
async def test_a_failure_is_no_reason_to_stop(sandbox: Sandbox, failure: Callable[[], Exception]) -> None:
    """While the database is away, or something is wrong, it tries again until it can."""
    plan = await propose(sandbox)
    sandbox.clock.advance(HOUR)
    world, store = watched(sandbox, failure(), failure(), failure())
    with sandbox.hub.follow("acme", EventFilter(plan_id=plan.plan_id)) as stream:
        async with kept(world):
            (event,) = await take(stream, 1)
    assert (event.type, store.failures) == (EventType.REVIEW_EXPIRED, [])


@pytest.mark.parametrize("keep_events", [None, timedelta(days=30)])
async def test_what_is_too_old_is_forgotten_every_hour(
    sandbox: Sandbox, keep_events: timedelta | None
) -> None:
    """Answers are kept for two days; events for as long as the operator says, or for ever."""
    world, store = watched(sandbox)
    async with kept(world, keep_events), asyncio.timeout(PATIENCE):
        for hour in range(3):
            now = NOW + hour * HOUR
            events_before = None if keep_events is None else now - keep_events
            assert await store.forgotten.get() == (events_before, now - timedelta(hours=48))
            assert store.forgotten.empty()
            sandbox.clock.advance(HOUR)
