"""A token that was checked before is not checked again, and is worth no more for it."""

import pytest

from plangate_server.oidc.signatures import PublishedKey
from plangate_server.oidc.verified import VerifiedTokens
from tests.helpers.oidc import (
    NOW,
    Provider,
    Published,
    Signer,
    checks,
    claims,
    ed_signer,
    jwks,
    provider,
)

OLD, NEW = ed_signer("old"), ed_signer("new")
FIVE_MINUTES = 300


@pytest.fixture
def checked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The key ids of the signatures that were checked."""
    found = []
    signed = PublishedKey.signed

    def counted(self: PublishedKey, message: bytes, signature: bytes, algorithm: str) -> bool:
        found.append(self.key_id)
        return signed(self, message, signature, algorithm)

    monkeypatch.setattr(PublishedKey, "signed", counted)
    return found


async def test_a_signature_is_checked_once(checked: list[str]) -> None:
    """Until the token ends, also when the same keys are fetched again."""
    known = provider(OLD)
    first = await known.tokens.caller(OLD.token())
    known.later(FIVE_MINUTES)
    assert await known.tokens.caller(OLD.token()) is first
    assert (known.published.fetches, checked) == (2, ["old"])


async def test_a_refused_token_is_checked_each_time(checked: list[str]) -> None:
    """Nothing is kept of what anybody can send."""
    known = provider(OLD)
    forged = Signer("old", "EdDSA", NEW.private).token()
    assert [await known.refuses(forged) for _ in range(2)] == [True, True]
    assert (checked, len(known.verified)) == (["old", "old"], 0)


async def test_a_known_token_ends_when_it_says(caplog: pytest.LogCaptureFixture) -> None:
    """To the second, and nothing is kept of it."""
    known = provider(OLD)
    token = OLD.token(claims(exp=NOW + 60))
    assert not await known.refuses(token)
    known.later(59)
    assert not await known.refuses(token)
    known.later(1)
    assert await known.refuses(token)
    assert (checks(caplog), len(known.verified)) == (["exp"], 0)


async def test_a_known_token_ends_with_its_key() -> None:
    """A key that vanished is not taken any longer than keys are kept."""
    known = provider(OLD)
    token = OLD.token()
    assert not await known.refuses(token)
    known.published.content = jwks(NEW)
    known.later(FIVE_MINUTES - 1)
    assert not await known.refuses(token)
    known.later(1)
    assert await known.refuses(token)


async def test_another_key_under_the_same_id_is_another_key() -> None:
    """What the old one signed is not taken any more."""
    known = provider(OLD)
    assert not await known.refuses(OLD.token())
    successor = Signer("old", "EdDSA", NEW.private)
    known.published.content = jwks(successor)
    known.later(FIVE_MINUTES)
    assert await known.refuses(OLD.token())
    assert not await known.refuses(successor.token())


async def test_a_token_that_ends_while_keys_are_fetched_is_refused() -> None:
    """Its end is looked at last."""
    known = Provider(Published(jwks(OLD)))
    token = OLD.token(claims(exp=NOW + 3))
    fetch = known.published.fetch

    def slowly() -> bytes:
        known.clock.now += 4
        return fetch()

    known.published.fetch = slowly  # type: ignore[method-assign]
    assert await known.refuses(token)


async def test_so_many_are_kept_and_no_more(checked: list[str]) -> None:
    """Those that were used last."""
    known = Provider(Published(jwks(OLD)), verified=VerifiedTokens(2))
    first, second, third = (OLD.token(claims(jti=jti)) for jti in "abc")
    for token in (first, second, first, third, first, second):
        assert not await known.refuses(token)
    assert (len(known.verified), len(checked)) == (2, 4)
