"""Whether the database can be used: asked without a trace, answered truly."""

import asyncio
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import create_engine, make_url, text

from plangate_server.domain.errors import StoreUnavailable
from plangate_server.ports import Store
from plangate_server.storage.trial import write_trial
from tests.helpers.backends import Backend, every_backend, first_steps, save, whole_log
from tests.helpers.conditions import PATIENCE
from tests.helpers.domain import a_proposal
from tests.helpers.nodes import open_node
from tests.helpers.postgres import database_of, running_server


@every_backend
async def test_a_database_that_answers(backend: Backend, tmp_path: Path) -> None:
    """Before and after writes there is nothing to say, and nothing is left behind by asking."""
    async with backend.open(tmp_path) as node:
        await node.store.check()
        await save(node.store, a_proposal(1))
        before = await node.store.read("acme", whole_log)
        await node.store.check()
        assert await node.store.read("acme", whole_log) == before


@pytest.mark.postgres
async def test_a_database_that_was_stopped() -> None:
    """PostgreSQL is away, and back again."""
    with running_server() as server:
        server.create_database("gate")
        async with open_node(server.url("gate")) as node:
            await node.store.check()
            server.stop()
            for _ in range(2):
                with pytest.raises(StoreUnavailable):
                    await node.store.check()
            server.start()
            await node.store.check()


@pytest.mark.postgres
async def test_a_database_that_takes_no_writes() -> None:
    """PostgreSQL lets itself be read only, as one does that follows another; nobody has to try to write."""
    with running_server() as server:
        server.create_database("gate")
        with psycopg.connect(server.url("gate"), autocommit=True) as operator:
            async with open_node(server.url("gate")) as node:
                await node.store.check()
                operator.execute("ALTER SYSTEM SET default_transaction_read_only = on")
                operator.execute("SELECT pg_reload_conf()")
                await becomes(node.store, usable=False)
                assert await node.store.read("acme", whole_log) == []
                operator.execute("SET default_transaction_read_only = off")
                operator.execute("ALTER SYSTEM RESET default_transaction_read_only")
                operator.execute("SELECT pg_reload_conf()")
                await becomes(node.store, usable=True)


@pytest.mark.postgres
async def test_two_nodes_try_at_once(tmp_path: Path) -> None:
    """Neither is in the way of the other."""
    engine = create_engine(make_url(database_of(tmp_path)).set(drivername="postgresql+psycopg"))
    async with open_node(database_of(tmp_path)):
        with engine.connect() as first, engine.connect() as second, engine.connect() as watching:
            write_trial(first)
            other = asyncio.create_task(asyncio.to_thread(write_trial, second))
            async with asyncio.timeout(PATIENCE):
                while not watching.execute(text("SELECT 1 FROM pg_locks WHERE NOT granted")).first():
                    watching.rollback()
                    await first_steps()
                first.commit()
                await other
            second.commit()
    engine.dispose()


async def becomes(store: Store, *, usable: bool) -> None:
    """Wait until the store says so: a database takes its time to hear of a setting."""
    seen = not usable
    async with asyncio.timeout(PATIENCE):
        while seen is not usable:
            seen = await is_usable(store)


async def is_usable(store: Store) -> bool:
    try:
        await store.check()
    except StoreUnavailable:
        return False
    return True
