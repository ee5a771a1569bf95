"""A full disk refuses what does not fit, and costs nothing else."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from plangate_server.domain.errors import StorageFull
from plangate_server.ports import Writing
from tests.helpers.backends import Backend, at_once, every_database, following, plan_in, take, whole_log
from tests.helpers.domain import a_draft, a_proposal, plan_id
from tests.helpers.full_disk import TOO_LARGE, little_room_in_postgres, little_room_in_sqlite
from tests.helpers.postgres import database_of

pytestmark = [every_database, pytest.mark.usefixtures("little_room")]


@pytest.fixture
def little_room(backend: Backend, tmp_path: Path) -> Iterator[None]:
    """There is room for small plans only."""
    sqlite = backend.name == "sqlite"
    with little_room_in_sqlite() if sqlite else little_room_in_postgres(database_of(tmp_path)):
        yield


def saving(number: int, size: int = 0) -> Callable[[Writing], None]:
    change = a_proposal(number, a_draft("# Plan\n" + "x" * size))
    return lambda writing: writing.save(change)


async def test_nothing_that_was_acknowledged_is_lost(backend: Backend, tmp_path: Path) -> None:
    """When a write of a batch does not fit, every write that was answered without an error is stored."""
    works = [("acme", saving(n, 2 * TOO_LARGE if n == 3 else 0)) for n in range(1, 5)]
    async with backend.open(tmp_path) as node:
        answers = await at_once(node.store, works)
        for number, answer in enumerate(answers, start=1):
            stored = await plan_in(node.store, "acme", plan_id(number))
            assert (stored is None) == isinstance(answer, StorageFull), f"plan {number}"
    assert isinstance(answers[2], StorageFull)


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
