"""PostgreSQL: several servers on several machines over one log.

Each node has one writer; the row of the workspace's counter makes the order of numbers the order of
commits across nodes. A notification says "look again" and nothing else: the rows are read from the table,
and a node that hears nothing looks by itself.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractContextManager, asynccontextmanager, suppress
from typing import Any, Final

import psycopg
from psycopg.pq import PipelineStatus
from psycopg.types.numeric import Int8Dumper
from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url, text
from sqlalchemy.exc import ArgumentError, DBAPIError, IntegrityError

from plangate_server.domain.errors import Refusal, StorageFull, StoreUnavailable
from plangate_server.logs import Log
from plangate_server.metrics import Metrics
from plangate_server.storage.committing import Flavour
from plangate_server.storage.driver import Driver
from plangate_server.storage.hub import Hub
from plangate_server.storage.schema import CannotOpen, migrate
from plangate_server.storage.sql import CONNECTIONS, SqlStore
from plangate_server.storage.tail import Tail, stop
from plangate_server.storage.untaken import untaken
from plangate_server.storage.watchers import Watchers

tell = Log(__name__)

CHANNEL: Final = "plangate_events"
WATCHERS: Final = "watchers "
"""How news of watchers begin; all others are of events."""
MIGRATION_LOCK: Final = 0x706C616E67617465
CONNECT_SECONDS: Final = 3
LINE: Final[dict[str, Any]] = {
    "connect_timeout": CONNECT_SECONDS,
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 3,
    "tcp_user_timeout": 10_000,
}
"""A network that fell silent is noticed in seconds; by itself, it would be after a quarter of an hour."""
RECONNECT_SECONDS: Final = 1.0
POLL_SECONDS: Final = 1.0
LOCK_SECONDS: Final = 5
ALONE_AFTER: Final = 10
DISK_FULL: Final = "53100"
LOCKED: Final = "55P03"
TOO_LONG_FOR_INDEX: Final = "54000"
READ_ONLY: Final = "25006"
IN_THE_WAY: Final = frozenset({"40001", "40P01"})
"""Serialisation failure and deadlock: the same batch may well pass the next time."""


class DatabaseAway(CannotOpen):
    """The database does not answer, or does not let us in."""


class PostgresDriver(Driver):
    lock = "FOR UPDATE"

    @staticmethod
    def marks(count: int, start: int) -> str:
        return ", ".join(f"${number}" for number in range(start, start + count))

    def _cursor(self) -> Any:
        # Takes statements as they are: to look for placeholders in them takes longer than to run them.
        return psycopg.RawCursor(self._raw)

    def _pipeline(self) -> AbstractContextManager[object]:
        pipeline: AbstractContextManager[object] = self._raw.pipeline()
        return pipeline

    def _is_stuck(self) -> bool:
        # One that is lost in the middle of a pipeline may not come out of it again.
        return bool(self._raw.pgconn.pipeline_status != PipelineStatus.OFF)


@asynccontextmanager
async def open_postgres(url: str, hub: Hub, metrics: Metrics | None = None) -> AsyncIterator[SqlStore]:
    """The store in a PostgreSQL database, brought to this version's schema."""
    address = _address(url)
    metrics = metrics or Metrics()
    writing = _engine(address, pool_size=1, isolation_level="READ COMMITTED")
    event.listen(writing, "connect", _wait_for_locks_only_so_long)
    reading = _engine(address, pool_size=CONNECTIONS, isolation_level="REPEATABLE READ", ping=True)
    try:
        await asyncio.to_thread(_prepare, writing)
        tail = Tail(hub, POLL_SECONDS, metrics)
        node = secrets.token_hex(8)
        announcement = _announcement(node)
        flavour = Flavour(
            _explain, PostgresDriver, ALONE_AFTER, _must_retry, announcement, takes_writes=_takes_writes
        )
        watchers = Watchers(hub, node)
        store = SqlStore(writing, reading, tail.committed, flavour, metrics)
        try:
            await tail.begin(store)
            running = (
                tail.run(store),
                watchers.run(store, _tell_of_watchers(node)),
                _listen(address, tail, watchers, node),
            )
            tasks = [asyncio.create_task(each) for each in running]
            try:
                yield store
            finally:
                await stop(tasks)
                with suppress(Refusal):  # then the others find out by themselves
                    await watchers.stop(store)
        finally:
            await store.close()
    finally:
        reading.dispose()
        writing.dispose()


def _address(url: str) -> URL:
    try:
        return make_url(url).set(drivername="postgresql+psycopg")
    except (ArgumentError, ValueError):
        raise CannotOpen("the database URL cannot be read: write postgresql://user@host:port/name") from None


def _engine(address: URL, *, pool_size: int, isolation_level: str, ping: bool = False) -> Engine:
    engine = create_engine(
        address,
        pool_size=pool_size,
        max_overflow=0,
        pool_pre_ping=ping,
        isolation_level=isolation_level,
        connect_args=LINE,
    )

    @event.listens_for(engine, "connect")
    def configure(connection: psycopg.Connection, _: object) -> None:
        # One type for every number: a statement is prepared anew for each combination of types.
        connection.adapters.register_dumper(int, Int8Dumper)
        connection.prepared_max = None

    return engine


def _wait_for_locks_only_so_long(connection: psycopg.Connection, _: object) -> None:
    """A node has one writer: what it waits for, all of the node's callers wait for."""
    connection.execute(f"SET lock_timeout = '{LOCK_SECONDS}s'")
    connection.commit()


def _prepare(engine: Engine) -> None:
    """Nodes that start at once take turns: the first migrates, the others find it done."""
    try:
        with engine.begin() as connection:
            connection.execute(text("SET LOCAL lock_timeout = 0"))
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": MIGRATION_LOCK})
            migrate(connection)
    except DBAPIError as error:
        where = f"{engine.url.host or 'local socket'}:{engine.url.port or 5432}/{engine.url.database}"
        raise DatabaseAway(f"the database at {where} cannot be used: {_first_line(error)}") from None


def _first_line(error: DBAPIError) -> str:
    return str(error.orig).strip().splitlines()[0] if str(error.orig).strip() else "no answer"


async def _listen(address: URL, tail: Tail, watchers: Watchers, node: str) -> None:
    """Hear of commits by other nodes; a lost connection costs only time, because the tail looks by itself."""
    conninfo = address.set(drivername="postgresql").render_as_string(hide_password=False)
    while True:
        try:
            async with await psycopg.AsyncConnection.connect(conninfo, autocommit=True, **LINE) as connection:
                await connection.execute(f"LISTEN {CHANNEL}")
                tail.look_again()
                async for news in connection.notifies():
                    if news.payload == WATCHERS + node or news.payload == node:
                        continue
                    if news.payload.startswith(WATCHERS):
                        watchers.look_again()
                    else:
                        tail.look_again()
        except psycopg.Error:
            tell.warning(
                "notifications_lost",
                "no notifications from the database: looking by the clock until they are back",
            )
        await asyncio.sleep(RECONNECT_SECONDS)


def _announcement(node: str) -> str:
    """Says who has news, so that a node need not look for its own."""
    return f"NOTIFY {CHANNEL}, '{node}'"


def _tell_of_watchers(node: str) -> Callable[[Connection], object]:
    statement = f"NOTIFY {CHANNEL}, '{WATCHERS}{node}'"
    return lambda connection: connection.exec_driver_sql(statement)


def _takes_writes(connection: Connection) -> bool:
    """Not on one that follows another, or was told to refuse them."""
    return bool(connection.scalar(text("SHOW transaction_read_only")) == "off")


def _explain(error: DBAPIError) -> Refusal | None:
    state = getattr(error.orig, "sqlstate", None)
    if state == DISK_FULL:
        return StorageFull()
    if state == READ_ONLY:
        return StoreUnavailable()  # it was the first of a cluster, and is no longer
    if isinstance(error.orig, psycopg.DataError) or state == TOO_LONG_FOR_INDEX:
        return untaken()
    away = state is None or state == LOCKED or state[:2] in {"08", "53", "57"}
    return StoreUnavailable() if away and isinstance(error.orig, psycopg.OperationalError) else None


def _must_retry(error: DBAPIError) -> bool:
    return isinstance(error, IntegrityError) or getattr(error.orig, "sqlstate", None) in IN_THE_WAY
