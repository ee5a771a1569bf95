"""The provider's keys are recent, are asked for seldom, and outlive a provider that is away for a while."""

import asyncio
import threading

import pytest

from tests.helpers.conditions import PATIENCE, eventually
from tests.helpers.oidc import (
    Provider,
    Published,
    checks,
    claims,
    ed_signer,
    events,
    jwks,
    provider,
    rsa_signer,
)

OLD, NEW = ed_signer("old"), rsa_signer("new")
MINUTE, DAY = 60, 24 * 60 * 60


async def test_keys_are_fetched_once_in_five_minutes() -> None:
    """However many calls there are."""
    known = provider(OLD)
    for _ in range(3):
        assert not await known.refuses(OLD.token())
    known.later(5 * MINUTE - 1)
    assert not await known.refuses(OLD.token())
    assert known.published.fetches == 1
    known.later(1)
    assert not await known.refuses(OLD.token())
    assert known.published.fetches == 2


async def test_a_new_key_is_fetched_when_a_token_names_it() -> None:
    """Nobody waits five minutes after a rotation."""
    known = provider(OLD)
    assert not await known.refuses(OLD.token())
    known.published.content = jwks(OLD, NEW)
    known.later(30)
    assert not await known.refuses(NEW.token())
    assert not await known.refuses(OLD.token())
    assert known.published.fetches == 2


async def test_a_flood_of_unknown_keys_asks_once_in_30_seconds(caplog: pytest.LogCaptureFixture) -> None:
    """Whoever makes up key ids cannot make the gate flood the provider."""
    known = provider(OLD)
    for second in range(91):
        strangers = [OLD.token(kid=f"{second}-{number}") for number in range(5)]
        assert all(await asyncio.gather(*map(known.refuses, strangers)))
        known.later(1)
    assert known.published.fetches == 4  # at 0, 30, 60 and 90
    assert set(checks(caplog)) == {"key"}


async def test_tokens_that_are_not_for_this_gate_ask_for_no_keys() -> None:
    """They are refused before."""
    known = provider(OLD)
    for said in ({}, {"iss": "https://elsewhere.example.com"}):
        assert await known.refuses(OLD.token(said))
    assert known.published.fetches == 0


class SlowlyPublished(Published):
    """Answers when the test lets it."""

    def __init__(self, content: bytes) -> None:
        super().__init__(content)
        self.go = threading.Event()

    def fetch(self) -> bytes:
        found = super().fetch()
        assert self.go.wait(PATIENCE)
        return found


def slow() -> tuple[Provider, SlowlyPublished]:
    published = SlowlyPublished(jwks(OLD))
    return Provider(published), published


async def test_many_who_wait_make_one_fetch() -> None:
    """And each of them is answered when it is there."""
    known, published = slow()
    asking = [asyncio.create_task(known.refuses(OLD.token())) for _ in range(50)]
    await eventually(lambda: published.fetches == 1)
    known.later(31)  # also if it takes longer than the time between two
    asking += [asyncio.create_task(known.refuses(OLD.token(kid="x")))]
    await asyncio.sleep(0)
    published.go.set()
    assert await asyncio.gather(*asking) == [False] * 50 + [True]
    assert published.fetches == 1


async def test_who_goes_away_takes_the_keys_from_nobody() -> None:
    """A caller who hangs up ends their wait, and not the fetch."""
    known, published = slow()
    first = asyncio.create_task(known.refuses(OLD.token()))
    await eventually(lambda: published.fetches == 1)
    second = asyncio.create_task(known.refuses(OLD.token()))
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first
    published.go.set()
    assert not await second
    assert published.fetches == 1


async def test_while_the_provider_is_away_the_keys_go_on(caplog: pytest.LogCaptureFixture) -> None:
    """For a day; it is tried every 30 seconds, told once, and told when it is back."""
    known = provider(OLD)
    assert not await known.refuses(OLD.token())
    known.published.goes_away()
    for _ in range(10):
        known.later(5 * MINUTE)
        known.clock.now -= 5 * MINUTE  # the token itself stays good
        assert not await known.refuses(OLD.token())
        await known.settled()
    assert known.published.fetches == 11
    assert [event for event in events(caplog) if event == "oidc_keys_kept"] == ["oidc_keys_kept"]
    assert "the keys from before go on" in caplog.text
    known.published.content = jwks(OLD)
    known.steady.now += 30
    assert not await known.refuses(OLD.token())
    await known.settled()
    assert events(caplog)[-1] == "oidc_keys_read"


async def test_after_a_day_without_the_provider_nobody_gets_in(caplog: pytest.LogCaptureFixture) -> None:
    """Keys that may have been withdrawn long ago open nothing, also for tokens that were checked before."""
    known = provider(OLD)
    assert not await known.refuses(OLD.token())
    known.published.goes_away()
    known.steady.now += DAY - 1
    assert not await known.refuses(OLD.token())
    await known.settled()
    known.steady.now += 1
    assert await known.refuses(OLD.token())
    assert events(caplog).count("oidc_keys_too_old") == 1
    known.published.content = jwks(OLD)
    known.steady.now += 30
    assert not await known.refuses(OLD.token())


async def test_nobody_waits_for_a_provider_that_is_known_to_be_away() -> None:
    """Who has a key that is there is answered at once, while it is tried again."""
    known, published = slow()
    published.go.set()
    assert not await known.refuses(OLD.token())
    published.goes_away()
    known.steady.now += 5 * MINUTE
    assert not await known.refuses(OLD.token())
    published.content = jwks(NEW)
    published.go.clear()
    known.steady.now += 30
    assert not await known.refuses(OLD.token())
    published.go.set()
    await known.settled()
    assert await known.refuses(OLD.token())


async def test_nobody_with_a_known_key_waits_for_one_that_is_made_up() -> None:
    """A token that names no key makes the provider be asked; whoever has a good one is answered meanwhile."""
    known, published = slow()
    published.go.set()
    assert not await known.refuses(OLD.token())
    published.go.clear()
    known.later(30)
    stranger = asyncio.create_task(known.refuses(OLD.token(kid="made up")))
    await eventually(lambda: published.fetches == 2)
    assert not await asyncio.wait_for(known.refuses(OLD.token(claims(jti="another"))), PATIENCE)
    assert not stranger.done()
    published.go.set()
    assert await stranger
    assert published.fetches == 2


async def test_who_has_an_old_key_waits_for_the_new_ones() -> None:
    """It may have been withdrawn: after five minutes nobody gets in with it before the provider answers."""
    known, published = slow()
    published.go.set()
    assert not await known.refuses(OLD.token())
    published.go.clear()
    published.content = jwks(NEW)
    known.later(5 * MINUTE)
    asked = asyncio.create_task(known.refuses(OLD.token()))
    await eventually(lambda: published.fetches == 2)
    assert not asked.done()
    published.go.set()
    assert await asked


async def test_without_keys_at_the_start_tokens_are_refused_until_there_are(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """The gate starts, warns, and takes tokens as soon as the provider is there."""
    known = Provider(Published(b""))
    known.published.goes_away()
    known.ring.load()
    assert caplog.messages == [
        "the provider cannot be reached: Connection refused; JWTs are refused until it has keys"
    ]
    assert await known.refuses(OLD.token())
    known.published.content = jwks(OLD)
    known.later(29)
    assert await known.refuses(OLD.token())
    known.later(1)
    assert not await known.refuses(OLD.token())


async def test_keys_that_were_fetched_at_the_start_are_used() -> None:
    """The first caller does not wait."""
    known = provider(OLD)
    known.ring.load()
    assert not await known.refuses(OLD.token())
    assert known.published.fetches == 1


async def test_an_empty_list_of_keys_withdraws_them_all(caplog: pytest.LogCaptureFixture) -> None:
    """It is an answer, and no fault: nobody gets in, and the log says so."""
    known = provider(OLD)
    assert not await known.refuses(OLD.token())
    known.published.content = jwks()
    known.later(5 * MINUTE)
    assert await known.refuses(OLD.token())
    assert "the provider has no key: every JWT is refused" in caplog.messages


async def test_what_nobody_foresaw_keeps_the_keys(caplog: pytest.LogCaptureFixture) -> None:
    """It is logged without its words, and the next try can go well."""
    known = provider(OLD)
    assert not await known.refuses(OLD.token())
    known.published.content = RuntimeError("a secret")
    known.later(5 * MINUTE)
    assert not await known.refuses(OLD.token())
    assert "oidc_keys_failed" in events(caplog)
    assert not any("a secret" in message for message in caplog.messages)
