"""Only credentials that hold are known by heart, and what is not known any more does not hold."""

from datetime import timedelta

import pytest

from plangate_server.domain.credentials import is_credential_id
from plangate_server.domain.identity import Caller, Principal, Role
from plangate_server.identity import Keyring
from plangate_server.identity import keyring as module
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

JWT = f"jwt-{'0' * 32}"
SHORT_JWT = f"jwt-{'0' * 28}"
"""As long as an id of ours."""


def bearer_of_a_jwt(credential_id: str = JWT) -> Caller:
    return Caller(Principal("ada", "acme", Role.REVIEWER, "ada"), credential_id, NOW + MINUTE)


async def test_only_what_holds_is_kept() -> None:
    """However many tokens ended over the years, they take no room."""
    ended = [credential(1, revoke_time=NOW), credential(2, expire_time=NOW), certificate(3, revoke_time=NOW)]
    keyring = await opened(CountingStore(*ended, credential(4), certificate(5, "bob")))
    assert sorted(keyring._known) == [f"{number:032x}" for number in (4, 5)]
    assert list(keyring._certificates) == ["bob"]


async def test_a_revoked_one_does_not_hold_though_it_is_forgotten() -> None:
    """Its streams end, and those of others do not."""
    store = CountingStore(credential(1), credential(2))
    keyring = await opened(store, credential(3))
    callers = [await keyring.known(text_of(number), "") for number in (1, 2, 3)]
    assert all(map(keyring.holds, callers))
    store.revoke(0)
    await keyring.refresh()
    assert callers[0].credential_id not in keyring._known
    assert [keyring.holds(each) for each in callers] == [False, True, True]


async def test_whoever_never_was_does_not_hold() -> None:
    """An id of our form that nobody knows is one that ended."""
    keyring = await opened(CountingStore())
    assert not keyring.holds(credential(9).caller)


@pytest.mark.parametrize("credential_id", [JWT, SHORT_JWT])
async def test_a_jwt_holds_until_it_expires(credential_id: str) -> None:
    """It is in no store, so no look ends it; its time does, at that moment."""
    clock = ManualClock()
    store = CountingStore(credential(1))
    keyring = await opened(store, clock=clock)
    caller = bearer_of_a_jwt(credential_id)
    assert not is_credential_id(credential_id)
    store.revoke(0)
    await keyring.refresh()
    clock.advance(MINUTE - timedelta(microseconds=1))
    assert keyring.holds(caller)
    clock.advance(timedelta(microseconds=1))
    assert not keyring.holds(caller)


async def test_a_token_that_was_seen_before_is_refused_once_it_is_revoked() -> None:
    """However often it was let in: with the look that sees the end, what was kept of it is dropped."""
    store = CountingStore(credential(1), credential(2))
    keyring = await opened(store)
    for _ in range(3):
        assert (await keyring.known(text_of(1), "")).principal.name == "bearer-1"
    store.revoke(0)
    await keyring.refresh()
    assert await unknown(keyring, text_of(1))
    assert (await keyring.known(text_of(2), "")).principal.name == "bearer-2"


async def test_a_token_that_was_seen_before_ends_with_its_time() -> None:
    """Without a look."""
    clock = ManualClock()
    store = CountingStore(credential(1, expire_time=NOW + MINUTE))
    keyring = await opened(store, clock=clock)
    await keyring.known(text_of(1), "")
    clock.advance(MINUTE)
    assert await unknown(keyring, text_of(1))
    assert (store.counts, store.reads) == (0, 0)


async def test_a_wrong_secret_is_refused_after_the_right_one() -> None:
    """What is kept is the whole token, and nothing of one that was refused."""
    keyring = await opened(CountingStore(credential(1)))
    await keyring.known(text_of(1), "")
    assert await unknown(keyring, text_of(1, "6" * 32))
    assert list(keyring._bearers) == [text_of(1)]


async def test_what_is_kept_of_bearers_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everybody is let in all the same."""
    monkeypatch.setattr(module, "MOST_BEARERS", 2)
    keyring: Keyring = await opened(CountingStore(*map(credential, range(5))))
    for number in (0, 1, 2, 3, 4, 0):
        assert (await keyring.known(text_of(number), "")).principal.name == f"bearer-{number}"
        assert len(keyring._bearers) <= 2
