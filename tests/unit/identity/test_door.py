"""Streams end with the credentials of whoever opened them, whatever the store does meanwhile."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from msgspec.structs import replace

from plangate_server.domain.errors import InvalidCredentials, StoreUnavailable
from plangate_server.domain.identity import Caller, Principal, Role
from plangate_server.rpc import door as module
from plangate_server.rpc.door import Door
from plangate_server.rpc.running import Running
from tests.helpers.conditions import PATIENCE
from tests.helpers.world import make_world

ADA, BOB = (Caller(Principal(name, "acme", Role.OBSERVER, name), name) for name in ("ada", "bob"))


class Callers:
    """Knows whose credentials ended; the store behind it can be away."""

    def __init__(self) -> None:
        self.ended: set[str] = set()
        self.away: Exception | None = None
        self.looks = 0
        self.looked = asyncio.Event()

    def by_heart(self, token: str, certificate: str) -> Caller | None:
        return None

    async def known(self, token: str, certificate: str) -> Caller:
        raise NotImplementedError

    def holds(self, caller: Caller) -> bool:
        return caller.credential_id not in self.ended

    async def refresh(self) -> None:
        self.looks += 1
        self.looked.set()
        if self.away is not None:
            raise self.away

    async def look_again(self, times: int = 3) -> None:
        for _ in range(times):
            self.looked.clear()
            await asyncio.wait_for(self.looked.wait(), PATIENCE)


@asynccontextmanager
async def watching(callers: Callers, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Running]:
    monkeypatch.setattr(module, "LOOK_SECONDS", 0.001)
    running = Running()
    seeing_out = asyncio.create_task(Door(replace(make_world().world, callers=callers), running).see_out())
    try:
        yield running
    finally:
        seeing_out.cancel()
        await asyncio.wait([seeing_out])


def opened(running: Running, caller: Caller) -> asyncio.Task[None]:
    async def stream() -> None:
        with running.stream(caller):
            await asyncio.Event().wait()

    return asyncio.create_task(stream())


async def test_a_stream_ends_with_its_credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    """And only that caller's; every look asks again, as it may have been on another node."""
    callers = Callers()
    async with watching(callers, monkeypatch) as running:
        theirs, mine = opened(running, ADA), opened(running, BOB)
        await callers.look_again()
        assert not theirs.done()
        callers.ended.add("ada")
        with pytest.raises(InvalidCredentials):
            await asyncio.wait_for(theirs, PATIENCE)
        await callers.look_again()
        assert not mine.done()
        mine.cancel()


async def test_while_the_store_is_away_time_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is known to have ended ends; what was revoked elsewhere meanwhile ends as soon as it is back."""
    callers = Callers()
    callers.away = StoreUnavailable()
    async with watching(callers, monkeypatch) as running:
        theirs, mine = opened(running, ADA), opened(running, BOB)
        callers.ended.add("ada")
        with pytest.raises(InvalidCredentials):
            await asyncio.wait_for(theirs, PATIENCE)
        callers.away = None
        await callers.look_again()
        callers.ended.add("bob")
        with pytest.raises(InvalidCredentials):
            await asyncio.wait_for(mine, PATIENCE)


async def test_a_stream_that_its_caller_leaves_is_no_refusal(monkeypatch: pytest.MonkeyPatch) -> None:
    """A cancel from outside stays one."""
    async with watching(Callers(), monkeypatch) as running:
        stream = opened(running, ADA)
        await asyncio.sleep(0)
        stream.cancel()
        with pytest.raises(asyncio.CancelledError):
            await stream
        assert not running._streams
