"""Makes a large database of a small one, by copying all its rows with SQL.

The answers that are kept for repeated requests still name the first plans, and the hash chain holds for the
first events only: nothing that is measured reads them.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Final

from sqlalchemy import (
    Connection,
    MetaData,
    Table,
    create_engine,
    func,
    insert,
    make_url,
    select,
    text,
    update,
)

from bench.growth.copying import COPIES, DIGITS, copy_statement, renamed, set_aside

BATCH: Final = 50
"""How many copies are made in one statement."""

_DRIVERS: Final = {"sqlite": "sqlite", "postgresql": "postgresql+psycopg"}
_BEFORE: Final = {
    # Nothing is lost if this is interrupted: the whole database is thrown away.
    "sqlite": ("PRAGMA journal_mode = OFF", "PRAGMA synchronous = OFF", "PRAGMA cache_size = -200000"),
    "postgresql": ("SET synchronous_commit = off",),
}
_AFTER: Final[dict[str, tuple[str, ...]]] = {
    "sqlite": (),
    # What PostgreSQL does by itself within minutes: not while it is measured.
    "postgresql": ("VACUUM ANALYZE", "CHECKPOINT"),
}


def multiply(url: str, copies: int, *, waiting: Sequence[str]) -> None:
    """Add so many copies of all plans but those that wait; no server may be running on the database."""
    address = make_url(url)
    engine = create_engine(address.set(drivername=_DRIVERS[address.drivername]))
    try:
        with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            _run(connection, _BEFORE[engine.dialect.name])
            _copy_all(connection, copies, waiting)
            _run(connection, _AFTER[engine.dialect.name])
    finally:
        engine.dispose()
    if address.drivername == "sqlite" and address.database:
        _flush(address.database)


def _run(connection: Connection, statements: Sequence[str]) -> None:
    for statement in statements:
        connection.execute(text(statement))


def _flush(path: str) -> None:
    """What was written is on the disk, so that it is not written while others are measured."""
    file = os.open(path, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)


def _copy_all(connection: Connection, copies: int, waiting: Sequence[str]) -> None:
    schema = MetaData()
    schema.reflect(connection)
    tables = [t for t in schema.tables.values() if {"plan_id", "request_id"} & set(t.columns.keys())]
    originals = {table: set_aside(connection, table, waiting) for table in tables}
    events = schema.tables["events"]
    last = _last_number(connection, events)
    each = _last_number(connection, originals[events])
    numbers = range(1, copies + 1)
    rows = [{"number": n, "digits": renamed("", n), "events_before": last + (n - 1) * each} for n in numbers]
    COPIES.create(connection)
    if rows:
        connection.execute(insert(COPIES), rows)
    digits = _common_digits(connection, schema.tables["plans"])
    for table in tables:
        statement = copy_statement(table, originals[table], digits, connection.dialect.name)
        for first in numbers[::BATCH]:
            connection.execute(statement, {"first": first, "last": min(first + BATCH - 1, copies)})
    connection.execute(update(schema.tables["workspaces"]).values(last_sequence=last + copies * each))


def _last_number(connection: Connection, events: Table) -> int:
    return connection.scalar(select(func.max(events.c.sequence))) or 0


def _common_digits(connection: Connection, plans: Table) -> str:
    begins = func.substr(plans.c.plan_id, 1, DIGITS)
    first, last = connection.execute(select(func.min(begins), func.max(begins))).one()
    if first != last:
        raise RuntimeError("the ids of the first plans have not begun alike: run it again")
    return str(first)
