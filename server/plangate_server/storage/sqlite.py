"""The embedded database: SQLite in WAL mode with synchronous FULL, one writer, any number of readers."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine, create_engine, event, insert, select

from plangate_server.domain.events import Cursors
from plangate_server.ports import Reading, Writing
from plangate_server.storage.hub import Hub
from plangate_server.storage.tables import SCHEMA_VERSION, logs, metadata
from plangate_server.storage.transactions import SqlReading
from plangate_server.storage.writer import Writer

Result = TypeVar("Result")

READERS = 4


class SchemaMismatch(Exception):
    """The database was made by another version of Plangate."""


class SqliteStore:
    """One file, one process. Made by ``open_sqlite``."""

    def __init__(self, writer: Writer, readers: Engine, cursors: Cursors) -> None:
        self.cursors = cursors
        self._writer = writer
        self._readers = readers
        self._threads = ThreadPoolExecutor(READERS, thread_name_prefix="plangate-reader")

    async def read(self, workspace: str, work: Callable[[Reading], Result]) -> Result:
        def look() -> Result:
            with self._readers.begin() as connection:
                return work(SqlReading(connection, workspace))

        return await asyncio.get_running_loop().run_in_executor(self._threads, look)

    async def write(self, workspace: str, work: Callable[[Writing], Result]) -> Result:
        result: Result = await self._writer.submit(workspace, work)
        return result

    async def close(self) -> None:
        await self._writer.close()
        self._threads.shutdown()


@asynccontextmanager
async def open_sqlite(path: Path, hub: Hub) -> AsyncIterator[SqliteStore]:
    """The store in a file, which is made if it is not there; closed with everything written."""
    path.parent.mkdir(parents=True, exist_ok=True)
    writing = _engine(path, "BEGIN IMMEDIATE")
    reading = _engine(path, "BEGIN")
    try:
        store = SqliteStore(Writer(writing, hub), reading, Cursors(_prepare(writing)))
        try:
            yield store
        finally:
            await store.close()
    finally:
        reading.dispose()
        writing.dispose()


def _engine(path: Path, begin: str) -> Engine:
    engine = create_engine(
        f"sqlite:///{path}",
        pool_size=READERS,
        connect_args={"check_same_thread": False, "timeout": 30},
    )

    @event.listens_for(engine, "connect")
    def configure(connection: Any, _: object) -> None:
        # The driver's own transactions lose updates: it must not begin any by itself.
        connection.isolation_level = None
        for pragma in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON"):
            connection.execute(f"PRAGMA {pragma}")

    @event.listens_for(engine, "begin")
    def start(connection: Connection) -> None:
        connection.exec_driver_sql(begin)

    return engine


def _prepare(engine: Engine) -> str:
    """Make the tables if they are not there; give the name of the log."""
    with engine.begin() as connection:
        version = connection.exec_driver_sql("PRAGMA user_version").scalar_one()
        if version == 0:
            metadata.create_all(connection)
            connection.execute(insert(logs).values(log_id=secrets.token_hex(16)))
            connection.exec_driver_sql(f"PRAGMA user_version = {SCHEMA_VERSION}")
        elif version != SCHEMA_VERSION:
            raise SchemaMismatch(
                f"{engine.url.database} has schema {version}, this server needs "
                f"{SCHEMA_VERSION}: use the server that made it, or another file"
            )
        log_id: str = connection.scalars(select(logs.c.log_id)).one()
        return log_id
