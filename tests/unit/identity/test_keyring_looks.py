"""Looks at the store that others rest on: given up, failed, and after a name's time is over."""

import asyncio

import pytest

from plangate_server.domain.errors import StoreUnavailable
from plangate_server.identity import Keyring
from tests.helpers.domain import NOW
from tests.helpers.world import ManualClock
from tests.unit.identity.test_keyring import (
    MINUTE,
    CountingStore,
    certificate,
    credential,
    opened,
    text_of,
    unknown,
)


async def test_an_expired_name_can_be_given_anew() -> None:
    """Whoever has a new certificate under a name whose time is over is let in, as CreateToken promised."""
    clock = ManualClock()
    store = CountingStore(certificate(1, expire_time=NOW + MINUTE))
    keyring = await opened(store, clock=clock)
    clock.advance(2 * MINUTE)
    store.held.append(certificate(2))
    await keyring.refresh()
    assert (await keyring.known("", "alice")).principal.name == "bearer-2"


class SteppedStore(CountingStore):
    """Every look waits until it is let go."""

    waiting: list[asyncio.Event]

    async def count_credentials(self) -> tuple[int, int, str]:
        self.waiting.append(asyncio.Event())
        await self.waiting[-1].wait()
        return len(self.held), 0, ""


async def steps(count: int = 20) -> None:
    for _ in range(count):
        await asyncio.sleep(0)


async def test_a_look_that_was_given_up_is_not_taken_for_one() -> None:
    """A caller who hangs up while it looks for others does not have them refused."""
    store = SteppedStore()
    store.waiting = []
    keyring = Keyring(store, ManualClock())  # type: ignore[arg-type]
    first = asyncio.create_task(unknown(keyring, text_of(7)))
    await steps()
    impatient = asyncio.create_task(keyring.known(text_of(9), ""))
    store.held.append(credential(8))
    good = asyncio.create_task(keyring.known(text_of(8), ""))
    await steps()
    store.held.clear()
    store.waiting[0].set()
    assert await first
    await steps()
    impatient.cancel()
    store.held.append(credential(8))
    await steps()
    for looked in store.waiting:
        looked.set()
    assert (await good).principal.name == "bearer-8"


async def test_a_look_that_failed_is_not_taken_for_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """While the store is away, everybody whose token it would know hears that, and can try again."""
    store = CountingStore()
    keyring = await opened(store)
    looked = asyncio.Event()

    async def fail() -> tuple[int, int]:
        await looked.wait()
        raise StoreUnavailable

    monkeypatch.setattr(store, "count_credentials", fail)
    tasks = [asyncio.create_task(keyring.known(text_of(number), "")) for number in range(4)]
    await asyncio.sleep(0)
    looked.set()
    answers = await asyncio.gather(*tasks, return_exceptions=True)
    assert [type(each) for each in answers] == [StoreUnavailable] * 4
