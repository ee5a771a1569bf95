"""The embedded database: SQLite in WAL mode with synchronous FULL, one writer, any number of readers."""

from __future__ import annotations

import asyncio
import fcntl
import os
import sqlite3
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Final

from sqlalchemy import URL, Connection, Engine, create_engine, event
from sqlalchemy.exc import DBAPIError

from plangate_server.domain.errors import Refusal, StorageFull, StoreUnavailable
from plangate_server.logs import Log
from plangate_server.metrics import Metrics
from plangate_server.ports import RequestKey, Result, Writing
from plangate_server.storage.committing import Flavour
from plangate_server.storage.driver import Driver
from plangate_server.storage.hub import Hub
from plangate_server.storage.schema import CannotOpen, migrate
from plangate_server.storage.sole import SoleStore
from plangate_server.storage.sql import CONNECTIONS, SqlStore
from plangate_server.storage.tail import Tail, stop
from plangate_server.storage.trial import TRIAL_BYTES
from plangate_server.storage.untaken import untaken

tell = Log(__name__)

NEARLY_FULL_BYTES: Final = 1024 * 1024
OLDEST: Final = (3, 33, 0)
"""The first that updates rows from others. The library comes with Python, or with the system."""

# There is no room: for the log file, or for its index in shared memory.
FULL = ("SQLITE_FULL", "SQLITE_IOERR_SHMSIZE")
# The file cannot be used now; with the extended codes of each.
AWAY = ("SQLITE_BUSY", "SQLITE_CANTOPEN", "SQLITE_IOERR", "SQLITE_READONLY", "SQLITE_PERM")


class DatabaseInUse(CannotOpen):
    """Another server has the file open: two of them would not see each other's streams."""


class SqliteDriver(Driver):
    def _begin(self) -> None:
        self.run("BEGIN IMMEDIATE", ())


class FileStore(SoleStore):
    """Knows its file again: one that was moved or replaced would be written to, and nobody would find it."""

    def __init__(
        self, path: Path, writing: Engine, reading: Engine, hub: Hub, tail: Tail, *, metrics: Metrics
    ) -> None:
        flavour = Flavour(_explain, SqliteDriver, alone_after=0)
        super().__init__(writing, reading, hub, tail, flavour, metrics=metrics)
        self._path = path
        self._opened = _identity(path)
        self._is_there = True
        self._enough = NEARLY_FULL_BYTES
        """While so much of the disk is free, nothing needs to be tried."""

    async def check(self) -> None:
        is_there = await self._in_thread(partial(_identity, self._path)) == self._opened
        if is_there != self._is_there:
            self._is_there = is_there
            event, words = _BACK if is_there else _GONE
            tell.warning(event, words, file=str(self._path))
        if not is_there:
            raise StoreUnavailable
        await super().check()

    def _is_nearly_full(self) -> bool:
        disk = os.statvfs(self._path.parent)
        free = disk.f_bavail * disk.f_frsize
        if free >= NEARLY_FULL_BYTES:
            self._enough = NEARLY_FULL_BYTES
        elif free < self._enough:
            # What is tried takes room itself: it is tried again only when something else has taken some.
            self._enough = max(free - 2 * TRIAL_BYTES, TRIAL_BYTES)
            return True
        return bool(disk.f_flag & os.ST_RDONLY)

    async def write(
        self, workspace: str, work: Callable[[Writing], Result], key: RequestKey | None = None
    ) -> Result:
        # Nothing is acknowledged that nobody will find: what is written now goes into the file that is gone.
        if not self._is_there or _identity(self._path) != self._opened:
            raise StoreUnavailable
        return await super().write(workspace, work, key)


_GONE: Final = (
    "database_moved",
    "the database file is not the one that was opened: put that back, or stop the server",
)
_BACK: Final = ("database_returned", "the database file is the one that was opened again")


def _identity(path: Path) -> tuple[int, int] | None:
    """Which file it is, whatever its name; None if there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


@asynccontextmanager
async def open_sqlite(path: Path, hub: Hub, metrics: Metrics | None = None) -> AsyncIterator[SqlStore]:
    """The store in a file, which is made if it is not there; closed with everything written."""
    if sqlite3.sqlite_version_info < OLDEST:
        raise CannotOpen(f"SQLite here is {sqlite3.sqlite_version}: use a Python with 3.33 or newer")
    path = _private_file(path)
    metrics = metrics or Metrics()
    with _sole_use(path):
        writing = _engine(path)
        reading = _engine(path)
        event.listen(reading, "begin", _begin)
        try:
            _prepare(writing, path)
            tail = Tail(hub, None, metrics)
            store = FileStore(path, writing, reading, hub, tail, metrics=metrics)
            try:
                await tail.begin(store)
                following = asyncio.create_task(tail.run(store))
                try:
                    yield store
                finally:
                    await stop([following])
            finally:
                await store.close()
        finally:
            reading.dispose()
            writing.dispose()


def _private_file(path: Path) -> Path:
    """The file behind any links, made so that only its user can read it; its log files follow suit."""
    path = path.resolve()
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not path.exists():
        path.touch(mode=0o600)
    return path


def _prepare(engine: Engine, path: Path) -> None:
    try:
        with engine.begin() as connection:
            connection.exec_driver_sql("BEGIN IMMEDIATE")
            migrate(connection)
    except DBAPIError as error:
        raise CannotOpen(f"{path} cannot be used as a database: {error.orig}") from None


@contextmanager
def _sole_use(path: Path) -> Iterator[None]:
    """Hold a lock that ends with the process, however it ends."""
    with path.with_name(f"{path.name}.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise DatabaseInUse(f"another server uses {path}: stop it, or choose another file") from None
        yield


def _engine(path: Path) -> Engine:
    engine = create_engine(
        URL.create("sqlite", database=str(path)),
        pool_size=CONNECTIONS,
        connect_args={"check_same_thread": False, "timeout": 30},
    )

    @event.listens_for(engine, "connect")
    def configure(connection: Any, _: object) -> None:
        # The driver's own transactions lose updates: it must not begin any by itself.
        connection.isolation_level = None
        # What statements put aside stays in memory: the disk for temporary files may be full, too.
        for pragma in ("journal_mode = WAL", "synchronous = FULL", "temp_store = MEMORY"):
            connection.execute(f"PRAGMA {pragma}")

    return engine


def _begin(connection: Connection) -> None:
    """A look is consistent only inside a transaction, and the driver begins none."""
    connection.exec_driver_sql("BEGIN")


def _explain(error: DBAPIError) -> Refusal | None:
    """What a caller can be told; None if the statement is at fault, and so are we."""
    code = getattr(error.orig, "sqlite_errorname", "")
    if code == "SQLITE_TOOBIG":
        return untaken()
    if code in FULL:
        return StorageFull()
    return StoreUnavailable() if code.startswith(AWAY) else None
