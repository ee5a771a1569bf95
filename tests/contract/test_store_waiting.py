"""How much waits for people, in every store."""

from pathlib import Path

import pytest
from sqlalchemy import create_engine

from plangate_server.domain.errors import StoreUnavailable
from plangate_server.domain.review import Option
from plangate_server.ports import Waiting
from plangate_server.storage import waiting
from tests.contract.test_store_approvals import ACTIVE, CANCELLED, DECIDED, EXPIRED, QUEUED, a_call, keep
from tests.helpers.backends import BACKENDS, Backend, every_backend, go_on, save
from tests.helpers.domain import a_proposal, decided, revised
from tests.helpers.nodes import open_node
from tests.helpers.postgres import running_server


@every_backend
async def test_nothing_waits_in_an_empty_store(backend: Backend, tmp_path: Path) -> None:
    """It is a number, not an absence."""
    async with backend.open(tmp_path) as node:
        assert await node.store.waiting() == Waiting(0, 0)


@every_backend
async def test_reviews_wait_until_they_are_decided(backend: Backend, tmp_path: Path) -> None:
    """In all workspaces together; a new revision is a new question in place of the old one."""
    async with backend.open(tmp_path) as node:
        one = await save(node.store, a_proposal(1))
        other = await save(node.store, a_proposal(2, workspace="elsewhere"))
        assert await node.store.waiting() == Waiting(2, 0)
        await go_on(node.store, one, revised)
        assert await node.store.waiting() == Waiting(2, 0)
        await go_on(node.store, one, decided)
        assert await node.store.waiting() == Waiting(1, 0)
        await go_on(node.store, other, lambda plan: decided(plan, Option.REJECT))
        assert await node.store.waiting() == Waiting(0, 0)


@every_backend
async def test_calls_wait_until_they_end(backend: Backend, tmp_path: Path) -> None:
    """Those that are asked about now and those behind them, in all workspaces; nothing that is over."""
    async with backend.open(tmp_path) as node:
        await keep(node.store, a_call(1, state=ACTIVE), a_call(2), a_call(3))
        await keep(node.store, a_call(4, state=ACTIVE, workspace="elsewhere"))
        assert await node.store.waiting() == Waiting(0, 4)
        ended = (DECIDED, CANCELLED, EXPIRED)
        await keep(node.store, *(a_call(number, state=state) for number, state in enumerate(ended, 1)))
        assert await node.store.waiting() == Waiting(0, 1)
        await keep(node.store, a_call(5, session_id="t", state=QUEUED))
        assert await node.store.waiting() == Waiting(0, 2)


async def test_counting_walks_through_what_waits_only(tmp_path: Path) -> None:
    """Of a million plans that are decided, none is looked at: all but the workspaces is found by an index."""
    async with BACKENDS["sqlite"].open(tmp_path) as node:
        await save(node.store, a_proposal(1))
    engine = create_engine(f"sqlite:///{tmp_path / 'plangate.db'}")
    with engine.connect() as connection:
        query = waiting.COUNT.compile(engine, compile_kwargs={"literal_binds": True})
        steps = [row.detail for row in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {query}")]
    engine.dispose()
    looks = [step for step in steps if not step.startswith("CORRELATED")]
    assert [step.split()[:2] for step in looks] == [
        ["SCAN", "workspaces"],
        ["SEARCH", "reviews"],
        ["SEARCH", "approvals"],
    ]
    assert all("COVERING INDEX" in step and "workspace=? AND stat" in step for step in looks[1:])


@pytest.mark.postgres
async def test_a_database_that_is_away_says_nothing() -> None:
    """No number is better than a wrong one."""
    with running_server() as server:
        server.create_database("gate")
        async with open_node(server.url("gate")) as node:
            assert await node.store.waiting() == Waiting(0, 0)
            server.stop()
            with pytest.raises(StoreUnavailable):
                await node.store.waiting()
            server.start()
            assert await node.store.waiting() == Waiting(0, 0)
