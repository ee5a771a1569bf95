"""Tokens in the store: which hold, how their number shows a change, and who sees them."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace

from plangate_server.domain.credentials import Credential, hash_secret
from plangate_server.domain.errors import RequestIdReused
from plangate_server.domain.events import SessionChange
from plangate_server.domain.identity import OPERATORS_WORKSPACE, Principal, Role
from plangate_server.ports import RequestKey, Store, World, Writing
from plangate_server.usecases.tokens import CreateToken, create_token
from tests.helpers.backends import ALL, Backend, at_once, every_backend, every_database
from tests.helpers.domain import LATER, NOW
from tests.helpers.world import NO_POLICY, NOBODY, CountingIds, ManualClock

ADMIN = Principal("root", OPERATORS_WORKSPACE, Role.ADMIN, "ada")


def credential(number: int, workspace: str = "acme", **fields: object) -> Credential:
    """Tokens of larger numbers are younger."""
    principal = Principal(f"bearer-{number}", workspace, Role.AGENT, "ada")
    made = Credential(f"{number:032x}", principal, NOW, "root", secret_hash=hash_secret(f"{number}"))
    return replace(made, **fields)


async def save(store: Store, *credentials: Credential) -> None:
    """Each in its own workspace."""
    for each in credentials:
        change = SessionChange(credentials=(each,))
        await store.write(each.principal.workspace, lambda writing, change=change: writing.save(change))  # type: ignore[misc]


async def revoke(store: Store, which: Credential) -> Credential:
    ended = replace(which, revoke_time=LATER)
    await save(store, ended)
    return ended


async def seen_from(store: Store, workspace: str, credential_id: str) -> list[Credential | None]:
    """What both ways of looking show of a token."""
    return [
        await store.read(workspace, lambda reading: reading.credential(credential_id)),
        await store.write(workspace, lambda writing: writing.credential(credential_id)),
    ]


async def certified(store: Store, workspace: str, certificate: str) -> Sequence[Credential]:
    return await store.write(workspace, lambda writing: writing.certified(certificate))


@every_backend
async def test_those_that_hold_are_given_oldest_first(backend: Backend, tmp_path: Path) -> None:
    """Of all workspaces, whatever the order in which they came; neither revoked ones nor expired ones."""
    holding = [
        credential(1, "elsewhere"),
        credential(2, "acme", expire_time=LATER),
        credential(3, "default", secret_hash="", certificate="alice"),
    ]
    ended = [credential(4, revoke_time=NOW), credential(5, expire_time=NOW)]
    async with backend.open(tmp_path) as node:
        assert list(await node.store.credentials_in_force(NOW)) == []
        await save(node.store, *reversed([*holding, *ended]))
        assert list(await node.store.credentials_in_force(NOW)) == holding


@every_backend
async def test_a_token_ends_at_the_moment_it_names(backend: Backend, tmp_path: Path) -> None:
    """To the microsecond, as the token itself says."""
    token = credential(1, expire_time=LATER)
    async with backend.open(tmp_path) as node:
        await save(node.store, token)
        for now in (LATER - LATER.resolution, LATER, LATER + LATER.resolution):
            assert list(await node.store.credentials_in_force(now)) == [token] * token.holds(now)


@every_database
async def test_they_outlive_the_store(backend: Backend, tmp_path: Path) -> None:
    """Those that hold, and the number of those that do not."""
    async with backend.open(tmp_path) as node:
        await save(node.store, credential(1), credential(2))
        await revoke(node.store, credential(2))
    async with backend.open(tmp_path) as node:
        assert list(await node.store.credentials_in_force(NOW)) == [credential(1)]
        assert (await node.store.count_credentials())[:2] == (2, 1)


@every_backend
async def test_the_count_changes_with_every_change(backend: Backend, tmp_path: Path) -> None:
    """Whoever compares two counts misses neither a new token nor the end of one, in any workspace."""
    tokens = [credential(number, f"workspace-{number}") for number in range(1, 4)]
    async with backend.open(tmp_path) as node:
        counts = [(await node.store.count_credentials())[:2]]
        for token in tokens:
            await save(node.store, token)
            counts.append((await node.store.count_credentials())[:2])
        for token in tokens:
            await revoke(node.store, token)
            counts.append((await node.store.count_credentials())[:2])
    assert counts == [(0, 0), (1, 0), (2, 0), (3, 0), (3, 1), (3, 2), (3, 3)]


@every_backend
async def test_a_certificate_is_found_from_any_workspace(backend: Backend, tmp_path: Path) -> None:
    """All that ever stood for it, oldest first, and no other: its name is the same everywhere."""
    theirs = credential(2, "elsewhere", secret_hash="", certificate="alice")
    before = credential(1, "acme", secret_hash="", certificate="alice", revoke_time=NOW)
    others = [credential(3, secret_hash="", certificate="Alice"), credential(4)]
    async with backend.open(tmp_path) as node:
        await save(node.store, theirs, before, *others)
        for workspace in ("acme", "elsewhere", "default"):
            assert list(await certified(node.store, workspace, "alice")) == [before, theirs]
            assert list(await certified(node.store, workspace, "alic_")) == []


@every_database
async def test_a_certificate_is_found_before_it_is_stored(backend: Backend, tmp_path: Path) -> None:
    """Of two that take it at once, in two workspaces, the second sees the first."""

    def take(number: int, workspace: str) -> tuple[str, Callable[[Writing], int]]:
        def work(writing: Writing) -> int:
            found = writing.certified("alice")
            wanted = credential(number, workspace, secret_hash="", certificate="alice")
            writing.save(SessionChange(credentials=(wanted,)))
            return len(found)

        return workspace, work

    async with backend.open(tmp_path) as node:
        found = await at_once(node.store, [take(1, "acme"), take(2, "elsewhere")])
    assert found == [0, 1]


@every_backend
async def test_a_token_is_closed_to_other_workspaces(backend: Backend, tmp_path: Path) -> None:
    """By its id, and in lists."""
    token = credential(1, "acme")
    async with backend.open(tmp_path) as node:
        await save(node.store, token)
        assert await seen_from(node.store, "acme", token.credential_id) == [token, token]
        for other in ("elsewhere", "default", "ACME", ""):
            assert await seen_from(node.store, other, token.credential_id) == [None, None]
            assert not await node.store.read(other, lambda reading: reading.credentials(after="", limit=ALL))


@every_database
async def test_a_token_is_closed_to_other_workspaces_before_it_is_stored(
    backend: Backend, tmp_path: Path
) -> None:
    """Also when both write at the same time."""
    token = credential(1, "acme")

    def make(writing: Writing) -> Credential | None:
        writing.save(SessionChange(credentials=(token,)))
        return writing.credential(token.credential_id)

    def look(writing: Writing) -> Credential | None:
        return writing.credential(token.credential_id)

    async with backend.open(tmp_path) as node:
        found = await at_once(node.store, [("acme", make), ("elsewhere", look), ("acme", look)])
    assert found == [token, None, token]


@every_backend
async def test_a_repeated_request_makes_no_second_token(backend: Backend, tmp_path: Path) -> None:
    """It is given the first one, without its secret, also after that one was revoked."""
    command = CreateToken("bot", Role.AGENT, key=RequestKey("admin", "r-1", "same"))
    async with backend.open(tmp_path) as node:
        world = World(node.store, node.feed, ManualClock(), CountingIds(), NO_POLICY, NOBODY)
        made, secret = await create_token(world, ADMIN, command)
        assert secret
        assert await create_token(world, ADMIN, command) == (made, "")
        await revoke(node.store, made)
        assert await create_token(world, ADMIN, command) == (made, "")
        assert (await node.store.count_credentials())[:2] == (1, 1)
        with pytest.raises(RequestIdReused):
            await create_token(world, ADMIN, replace(command, key=RequestKey("admin", "r-1", "other")))
        assert (await node.store.count_credentials())[:2] == (1, 1)
