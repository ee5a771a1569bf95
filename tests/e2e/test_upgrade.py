"""Bringing a database to the schema: killed halfway, by many at once, and never backwards."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest

from tests.e2e.processes import killed_server, run, serving
from tests.helpers.conditions import eventually
from tests.helpers.external_session import count, holding, until_alone, until_somebody_waits
from tests.helpers.gate import connected
from tests.helpers.postgres import shared_server
from tests.helpers.streams import types
from tests.rpc.steps import watching

LOCK = 4711
HALFWAY = f"""
    CREATE FUNCTION wait_halfway() RETURNS event_trigger LANGUAGE plpgsql AS $$
    BEGIN
        PERFORM pg_advisory_xact_lock({LOCK}) FROM pg_event_trigger_ddl_commands()
        WHERE object_identity = 'public.plans';
    END $$;
    CREATE EVENT TRIGGER halfway ON ddl_command_end WHEN TAG IN ('CREATE TABLE')
    EXECUTE FUNCTION wait_halfway();
"""
"""Whoever creates the table of plans, in the middle of the first schema, waits for a lock."""


@pytest.fixture
def empty_url() -> str:
    """A PostgreSQL database with nothing in it."""
    name = f"empty_{uuid4().hex}"
    shared_server().create_database(name)
    return shared_server().url(name)


def execute(url: str, statement: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(statement.encode())


def tables(url: str) -> int:
    with psycopg.connect(url) as connection:
        return count(connection, "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'")


async def serves(database: Path | str) -> None:
    async with serving(database) as server, connected(server.address) as gate:
        plan = await gate.propose()
        assert await gate.plans() == [plan]


async def test_an_upgrade_of_postgresql_killed_halfway_leaves_nothing(empty_url: str) -> None:
    """Killed between two tables, it is as if it had not begun, and the next start does all of it."""
    execute(empty_url, HALFWAY)
    async with holding(empty_url, f"SELECT pg_advisory_xact_lock({LOCK})"), killed_server(empty_url):
        await until_somebody_waits(empty_url)
    await until_alone(empty_url)
    assert tables(empty_url) == 0
    await serves(empty_url)


@pytest.mark.parametrize(
    ("file", "size"), [("", 0), ("-wal", 0), ("-wal", 1)], ids=["made", "open", "filled"]
)
async def test_an_upgrade_of_a_file_killed_early_or_late_is_done_by_the_next_start(
    tmp_path: Path, file: str, size: int
) -> None:
    """Killed when the database has just been made, opened or filled: the next server serves."""
    database = tmp_path / "plangate.db"
    seen = tmp_path / f"plangate.db{file}"
    async with killed_server(f"sqlite:///{database}"):
        await eventually(lambda: seen.exists() and seen.stat().st_size >= size)
    await serves(database)


async def test_servers_that_start_at_once_upgrade_once(empty_url: str) -> None:
    """All of them serve one log: what one is told, the others know, and cursors are good everywhere."""
    async with AsyncExitStack() as stack:
        starting = [stack.enter_async_context(serving(empty_url)) for _ in range(3)]
        servers = await asyncio.gather(*starting)
        gates = [await stack.enter_async_context(connected(server.address)) for server in servers]
        stream, begun = await watching(gates[0])
        stream.cancel()
        plan = await gates[1].propose()
        stream, told = await watching(gates[2], cursor=begun[-1].cursor)
        stream.cancel()
        assert types(told) == ["PLAN_CREATED", "PLAN_APPROVAL_REQUIRED", "CHECKPOINT"]
        shown = [[listed.plan_uri for listed in await gate.plans()] for gate in gates]
        assert shown == [[plan.plan_uri]] * 3


async def test_a_newer_schema_is_refused_and_left_alone(empty_url: str) -> None:
    """The refusal is one line that names the schema, the exit is 1, and nothing was changed."""
    execute(empty_url, "CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL)")
    execute(empty_url, "INSERT INTO alembic_version VALUES ('9999')")
    ended = await run("--listen", "127.0.0.1:0", "--database", empty_url)
    assert (ended.code, ended.output, len(ended.errors.splitlines())) == (1, "", 1)
    assert "has schema 9999" in ended.errors
    assert tables(empty_url) == 1
