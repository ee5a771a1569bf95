"""Somebody else at the same PostgreSQL: holds what they have locked, and sees who waits for it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import psycopg

from tests.helpers.conditions import eventually

OTHERS = """
    SELECT count(*) FROM pg_stat_activity
    WHERE datname = current_database() AND pid != pg_backend_pid() AND backend_type = 'client backend'
"""
WAITING = f"{OTHERS} AND wait_event_type = 'Lock'"


@asynccontextmanager
async def holding(url: str, statement: str) -> AsyncIterator[None]:
    """A transaction that has run the statement and stays open; it is rolled back at the end."""
    async with await psycopg.AsyncConnection.connect(url) as connection:
        await connection.execute(statement.encode())
        yield
        await connection.rollback()


async def until_somebody_waits(url: str) -> None:
    """Until a session of the database waits for a lock."""
    with psycopg.connect(url, autocommit=True) as connection:
        await eventually(lambda: count(connection, WAITING) > 0)


async def until_alone(url: str) -> None:
    """Until nobody else is connected to the database."""
    with psycopg.connect(url, autocommit=True) as connection:
        await eventually(lambda: count(connection, OTHERS) == 0)


def count(connection: psycopg.Connection, query: str) -> int:
    """The one number that the query gives."""
    row = connection.execute(query.encode()).fetchone()
    assert row is not None
    return int(row[0])
