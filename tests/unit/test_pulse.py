"""The pulse of the database: what is told of it, and when."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

import pytest

from plangate_server import pulse
from plangate_server.domain.errors import StorageFull, StoreUnavailable
from plangate_server.ports import Store
from plangate_server.pulse import Pulse
from tests.helpers.conditions import PATIENCE
from tests.helpers.world import make_world


@dataclass(slots=True)
class ScriptedStore:
    """Answers as the script says, one look after the other, and then as ever."""

    store: Store
    script: list[Exception | asyncio.Event | None]
    looks: int = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self.store, name)

    async def check(self) -> None:
        self.looks += 1
        answer = self.script.pop(0) if self.script else None
        if isinstance(answer, asyncio.Event):
            await answer.wait()
        elif answer is not None:
            raise answer


@dataclass(slots=True)
class Told:
    """What was told, in order."""

    news: "asyncio.Queue[bool]" = field(default_factory=asyncio.Queue)

    def __call__(self, *, serving: bool) -> None:
        self.news.put_nowait(serving)

    async def next(self) -> bool:
        async with asyncio.timeout(PATIENCE):
            return await self.news.get()


@pytest.fixture(autouse=True)
def busy(monkeypatch: pytest.MonkeyPatch) -> None:
    """It looks as often as it can."""
    monkeypatch.setattr(pulse, "BEAT_SECONDS", 0)


@asynccontextmanager
async def kept(*script: Exception | asyncio.Event | None) -> AsyncIterator[tuple[Told, ScriptedStore]]:
    store, told = ScriptedStore(make_world().store, [*script]), Told()
    keeping = asyncio.create_task(Pulse(store, told).keep())
    try:
        yield told, store
        assert not keeping.done()
    finally:
        keeping.cancel()
        with suppress(asyncio.CancelledError):
            await keeping


@pytest.mark.parametrize("failure", [StoreUnavailable, StorageFull, RuntimeError])
async def test_each_change_is_told_once(failure: Callable[[], Exception]) -> None:
    """However long the database is away or there, and whatever the failure is."""
    async with kept(None, None, failure(), failure(), None, None, failure()) as (told, store):
        assert [await told.next() for _ in range(5)] == [True, False, True, False, True]
        assert store.script == []
        assert told.news.empty()


async def test_a_database_that_is_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is away like one that refuses; it is asked once, however long it takes, and may answer late."""
    monkeypatch.setattr(pulse, "SILENT_SECONDS", 0.05)
    answers = asyncio.Event()
    async with kept(None, answers) as (told, store):
        assert [await told.next() for _ in range(2)] == [True, False]
        assert store.looks == 2
        answers.set()
        assert await told.next() is True


async def test_only_changes_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    """A start says nothing; a loss and a return are a line each."""
    async with kept(None, StoreUnavailable(), StoreUnavailable(), None) as (told, _):
        assert [await told.next() for _ in range(3)] == [True, False, True]
    assert [record.getMessage() for record in caplog.records] == [
        "the database cannot be used: not serving until it is back",
        "the database is back: serving",
    ]
