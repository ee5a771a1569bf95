"""Callers are known by heart: what is asked of the store, when a change elsewhere is seen, who is let in."""

import asyncio
from collections.abc import Sequence
from datetime import datetime, timedelta

import pytest
from msgspec.structs import replace

from plangate_server.domain.credentials import Credential, hash_secret, token_text
from plangate_server.domain.errors import InvalidCredentials, MissingCredentials
from plangate_server.domain.identity import Caller, Principal, Role
from plangate_server.identity import Keyring
from tests.helpers.domain import NOW
from tests.helpers.world import ManualClock

MINUTE = timedelta(minutes=1)
SECRET = "5" * 32


def credential(number: int, **fields: object) -> Credential:
    """Tokens of larger numbers are younger."""
    principal = Principal(f"bearer-{number}", "acme", Role.AGENT, "ada")
    made = Credential(f"{number:032x}", principal, NOW, "ada", secret_hash=hash_secret(SECRET))
    return replace(made, **fields)


def certificate(number: int, name: str = "alice", **fields: object) -> Credential:
    return credential(number, secret_hash="", certificate=name, **fields)


def text_of(number: int, secret: str = SECRET) -> str:
    return token_text(f"{number:032x}", secret)


class CountingStore:
    """Has tokens that other nodes can make and revoke, and counts how often it is asked."""

    def __init__(self, *credentials: Credential) -> None:
        self.held = list(credentials)
        self.counts = 0
        self.reads = 0
        self.at_once = 0
        self.answer = asyncio.Event()
        self.answer.set()

    async def count_credentials(self) -> tuple[int, int, str]:
        self.counts += 1
        self.at_once += 1
        counted = len(self.held), sum(each.revoke_time is not None for each in self.held), ""
        await self.answer.wait()
        assert self.at_once == 1, "several looks at a time"
        self.at_once -= 1
        return counted

    async def credentials_in_force(self, now: datetime) -> Sequence[Credential]:
        self.reads += 1
        return [each for each in self.held if each.holds(now)]

    def revoke(self, number: int) -> None:
        self.held[number] = replace(self.held[number], revoke_time=NOW)


async def opened(store: CountingStore, *local: Credential, clock: ManualClock | None = None) -> Keyring:
    keyring = Keyring(store, clock or ManualClock(), local)  # type: ignore[arg-type]
    await keyring.refresh()
    store.counts = store.reads = 0
    return keyring


async def unknown(keyring: Keyring, token: str = "", name: str = "") -> bool:
    with pytest.raises(InvalidCredentials):
        await keyring.known(token, name)
    return True


async def test_whoever_is_known_costs_nothing() -> None:
    """Neither a bearer nor the holder of a certificate makes anybody look into the store."""
    store = CountingStore(credential(1), certificate(2))
    keyring = await opened(store, credential(3))
    for token, name, number in ((text_of(1), "", 1), ("", "alice", 2), (text_of(3), "", 3)):
        assert (await keyring.known(token, name)).principal.name == f"bearer-{number}"
    assert (store.counts, store.reads) == (0, 0)


async def test_nobody_shows_nothing() -> None:
    """Which is another refusal than showing something wrong."""
    with pytest.raises(MissingCredentials):
        await (await opened(CountingStore())).known("", "")


async def test_a_wrong_secret_costs_nothing() -> None:
    """Trying out secrets of a token whose id is known never reaches the store."""
    store = CountingStore(credential(1))
    keyring = await opened(store)
    for wrong in range(100):
        await unknown(keyring, text_of(1, f"{wrong:032x}"))
    assert (store.counts, store.reads) == (0, 0)


@pytest.mark.parametrize(
    "text", ["", "x", "plangate_", f"plangate_{'0' * 32}", "ey.ey.ey", text_of(1) + "\n"]
)
async def test_what_is_no_token_costs_nothing(text: str) -> None:
    """Its form alone says so."""
    store = CountingStore(credential(1))
    keyring = await opened(store)
    await unknown(keyring, text or "bearer ")
    assert (store.counts, store.reads) == (0, 0)


@pytest.mark.parametrize("kind", ["tokens", "certificates"])
async def test_a_flood_of_unknown_ones_costs_one_look_at_a_time(kind: str) -> None:
    """A thousand that come while somebody looks wait for one more look, which counts and reads nothing."""
    store = CountingStore(credential(1))
    keyring = await opened(store)
    store.answer.clear()

    def shown(number: int) -> tuple[str, str]:
        return (text_of(number), "") if kind == "tokens" else ("", f"name-{number}")

    flood = [asyncio.create_task(unknown(keyring, *shown(number))) for number in range(100, 1100)]
    await asyncio.sleep(0)
    assert store.counts == 1, "the first looks, the others wait"
    store.answer.set()
    assert all(await asyncio.gather(*flood))
    assert (store.counts, store.reads) == (2, 0)


async def test_a_token_of_another_node_is_known_at_once() -> None:
    """Also if somebody began to look before it was made: the second look is for it."""
    store = CountingStore()
    keyring = await opened(store)
    store.answer.clear()
    early = asyncio.create_task(unknown(keyring, text_of(7)))
    await asyncio.sleep(0)
    store.held.append(credential(8))
    late = asyncio.create_task(keyring.known(text_of(8), ""))
    await asyncio.sleep(0)
    store.answer.set()
    assert await early
    assert (await late).principal.name == "bearer-8"


async def test_a_revocation_elsewhere_is_seen_with_the_next_look() -> None:
    """Until then the token holds here, afterwards neither it nor what it opened does."""
    store = CountingStore(credential(1))
    keyring = await opened(store)
    caller = await keyring.known(text_of(1), "")
    store.revoke(0)
    assert keyring.holds(await keyring.known(text_of(1), ""))
    await keyring.refresh()
    assert not keyring.holds(caller)
    assert await unknown(keyring, text_of(1))
    assert store.reads == 1


async def test_it_ends_when_its_time_is_over() -> None:
    """At that moment, not after it, and without a look."""
    store, clock = CountingStore(credential(1, expire_time=NOW + MINUTE)), ManualClock()
    keyring = await opened(store, clock=clock)
    clock.advance(MINUTE - timedelta(microseconds=1))
    caller = await keyring.known(text_of(1), "")
    assert keyring.holds(caller)
    clock.advance(timedelta(microseconds=1))
    assert not keyring.holds(caller)
    assert await unknown(keyring, text_of(1))
    assert (store.counts, store.reads) == (0, 0)


async def test_whoever_has_a_name_keeps_it() -> None:
    """Of two that take the same certificate the older one counts, whatever the younger may do."""
    younger = Principal("mallory", "elsewhere", Role.ADMIN, "mallory")
    keyring = await opened(CountingStore(certificate(1), certificate(2, principal=younger)))
    assert (await keyring.known("", "alice")).principal.name == "bearer-1"


async def test_a_revoked_name_can_be_given_anew() -> None:
    """The next one that takes it is let in, and what the one before opened does not hold."""
    store = CountingStore(certificate(1))
    keyring = await opened(store)
    before = await keyring.known("", "alice")
    store.revoke(0)
    await keyring.refresh()
    assert await unknown(keyring, name="alice")
    store.held.append(certificate(2))
    assert (await keyring.known("", "alice")).principal.name == "bearer-2"
    assert not keyring.holds(before)


async def test_a_token_wins_over_a_certificate() -> None:
    """Also one that does not hold: nobody is taken for somebody else by mistake."""
    keyring = await opened(CountingStore(credential(1), certificate(2)))
    assert (await keyring.known(text_of(1), "alice")).principal.name == "bearer-1"
    assert await unknown(keyring, text_of(9), "alice")


async def test_a_certificate_has_no_secret() -> None:
    """The id of what stands for a certificate, which lists show, is no half of a token."""
    keyring = await opened(CountingStore(certificate(1)))
    for secret in ("", SECRET, hash_secret("")[:32]):
        assert await unknown(keyring, text_of(1, secret))


async def test_local_tokens_are_known_without_the_store() -> None:
    """And stay known when what is stored changes."""
    store = CountingStore()
    keyring = Keyring(store, ManualClock(), [credential(3)])  # type: ignore[arg-type]
    assert (await keyring.known(text_of(3), "")).principal.name == "bearer-3"
    store.held.append(credential(1))
    await keyring.refresh()
    assert (await keyring.known(text_of(3), "")).principal.name == "bearer-3"


async def test_tokens_of_another_form_are_the_providers() -> None:
    """And only those: ours never reach it."""
    asked: list[str] = []
    bearer = Caller(Principal("ada", "acme", Role.REVIEWER, "ada"), "oidc:ada")

    class Provider:
        def by_heart(self, token: str) -> Caller | None:
            return bearer if token in asked else None

        async def caller(self, token: str) -> Caller:
            asked.append(token)
            return bearer

    keyring = Keyring(CountingStore(), ManualClock(), (), Provider())  # type: ignore[arg-type]
    assert keyring.by_heart("ey.ey.ey", "") is None
    assert await keyring.known("ey.ey.ey", "") == bearer
    assert keyring.by_heart("ey.ey.ey", "") == bearer
    assert keyring.holds(bearer)
    assert await unknown(keyring, text_of(1))
    assert asked == ["ey.ey.ey"]


async def test_who_is_known_by_heart() -> None:
    """Whoever can be let in without a look at the store; nobody by a wrong secret, or too late."""
    store, clock = CountingStore(), ManualClock()
    keyring = await opened(store, clock=clock)
    store.held += [credential(1), credential(2, expire_time=clock.now() + MINUTE), certificate(3)]
    assert keyring.by_heart(text_of(1), "") is None, "nobody has looked since it was made"
    await keyring.refresh()
    looks = store.counts
    assert [keyring.by_heart(text_of(number), "") for number in (1, 2)] == [
        each.caller for each in store.held[:2]
    ]
    assert keyring.by_heart("", "alice") == store.held[2].caller
    nobody = [(text_of(1, "6" * 32), ""), (text_of(9), ""), ("x", ""), ("", "bob"), ("", "")]
    assert [keyring.by_heart(*shown) for shown in nobody] == [None] * len(nobody)
    clock.advance(MINUTE)
    assert keyring.by_heart(text_of(2), "") is None
    assert store.counts == looks
