"""A full disk refuses what does not fit, and costs nothing else."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import pytest

from plangate_server.domain.errors import StorageFull
from plangate_server.ports import PlanFilter, Store, Writing
from plangate_server.storage.sqlite import NEARLY_FULL_BYTES
from tests.helpers.backends import (
    BACKENDS,
    Backend,
    at_once,
    every_database,
    following,
    plan_in,
    take,
    whole_log,
)
from tests.helpers.domain import a_draft, a_proposal, plan_id
from tests.helpers.full_disk import (
    TOO_LARGE,
    SmallDisk,
    little_room_in_postgres,
    little_room_in_sqlite,
    small_disk,
)
from tests.helpers.postgres import database_of


@pytest.fixture
def little_room(backend: Backend, tmp_path: Path) -> Iterator[None]:
    """There is room for small plans only."""
    sqlite = backend.name == "sqlite"
    with little_room_in_sqlite() if sqlite else little_room_in_postgres(database_of(tmp_path)):
        yield


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[SmallDisk]:
    with small_disk(tmp_path / "disk") as disk:
        yield disk


def saving(number: int, size: int = 0) -> Callable[[Writing], None]:
    change = a_proposal(number, a_draft("# Plan\n" + "x" * size))
    return lambda writing: writing.save(change)


@every_database
@pytest.mark.usefixtures("little_room")
async def test_nothing_that_was_acknowledged_is_lost(backend: Backend, tmp_path: Path) -> None:
    """When a write of a batch does not fit, every write that was answered without an error is stored."""
    works = [("acme", saving(n, 2 * TOO_LARGE if n == 3 else 0)) for n in range(1, 5)]
    async with backend.open(tmp_path) as node:
        answers = await at_once(node.store, works)
        for number, answer in enumerate(answers, start=1):
            stored = await plan_in(node.store, "acme", plan_id(number))
            assert (stored is None) == isinstance(answer, StorageFull), f"plan {number}"
    assert isinstance(answers[2], StorageFull)


@every_database
@pytest.mark.usefixtures("little_room")
async def test_it_is_no_reason_to_restart(backend: Backend, tmp_path: Path) -> None:
    """After a write that did not fit, reads, streams and smaller writes go on, and no number is missing."""
    async with backend.open(tmp_path) as node:
        with following(node, "") as stream:
            await node.store.write("acme", saving(1))
            with pytest.raises(StorageFull):
                await node.store.write("acme", saving(2, 2 * TOO_LARGE))
            assert await plan_in(node.store, "acme", plan_id(2)) is None
            await node.store.write("acme", saving(3))
            told = await take(stream, 4)
        assert [event.sequence for event in told] == [1, 2, 3, 4]
        assert told == await node.store.read("acme", whole_log)
        assert [event.plan.plan_id for event in told[::2]] == [plan_id(1), plan_id(3)]


SQLITE: Final = BACKENDS["sqlite"]
ROOMS: Final = (0, 4096, 32_768, 131_072, 0, 262_144, 0)
"""How much there is each time: the disk is full at another place of the commit, or after a few."""


async def test_a_file_system_without_room(disk: SmallDisk) -> None:
    """SQLite on a disk that is really full, again and again: every refusal says so, nothing acknowledged is
    lost, reads go on, and so do writes as soon as there is room.
    """
    stored: set[str] = set()
    async with SQLITE.open(disk.folder) as node:
        for turn, room in enumerate(ROOMS):
            disk.fill(room)
            for first in range(100 * turn, 100 * turn + 40, 8):
                numbers = range(first, first + 8)
                answers = await at_once(node.store, [("acme", looking_and_saving(n)) for n in numbers])
                assert {type(answer) for answer in answers} <= {type(None), StorageFull}
                stored |= {plan_id(n) for n, said in zip(numbers, answers, strict=True) if said is None}
                assert await plans_in(node.store) == stored
            with pytest.raises(StorageFull):
                await node.store.check()
            disk.empty()
            await node.store.write("acme", looking_and_saving(100 * turn + 40))
            stored.add(plan_id(100 * turn + 40))
            await node.store.check()
    async with SQLITE.open(disk.folder) as node:
        assert await plans_in(node.store) == stored


async def test_looking_does_not_fill_a_file_system(disk: SmallDisk) -> None:
    """However often it is looked at, what is left on a nearly full disk is there for writes; and once that is
    gone, it shows without one.
    """
    async with SQLITE.open(disk.folder) as node:
        await node.store.write("acme", looking_and_saving(1))
        disk.fill(NEARLY_FULL_BYTES - 4096)
        for _ in range(40):
            await node.store.check()
        left = os.statvfs(disk.folder)
        assert left.f_bavail * left.f_frsize >= NEARLY_FULL_BYTES // 2
        disk.fill()
        with pytest.raises(StorageFull):
            await node.store.check()


def looking_and_saving(number: int) -> Callable[[Writing], None]:
    def work(writing: Writing) -> None:
        assert writing.plan(plan_id(number)) is None
        saving(number)(writing)

    return work


async def plans_in(store: Store) -> set[str]:
    which, every = PlanFilter(), 10_000
    plans = await store.read("acme", lambda reading: reading.plans(which, after="", limit=every))
    return {plan.plan_id for plan in plans}
