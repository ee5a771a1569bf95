"""One statement that copies the rows of a table under other ids; its columns are asked of the database.

A copy differs from its original only in the first digits of ids, wherever they stand, and in the numbers of
events, which go on without a gap.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    Column,
    ColumnElement,
    Connection,
    Insert,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    bindparam,
    case,
    cast,
    delete,
    func,
    insert,
    literal,
    select,
    text,
)

from bench.growth.seed import WAITING

DIGITS: Final = 6
"""How much of an id is replaced: the part that all ids made within some hours have in common."""

COPIES: Final = Table(
    "bench_copies",
    MetaData(),
    Column("number", BigInteger, primary_key=True),
    Column("digits", String, nullable=False),
    Column("events_before", BigInteger, nullable=False),
    prefixes=["TEMPORARY"],
)
"""What there is to make: the first digits of each copy's ids, and how many events come before its own."""


def renamed(id: str, copy: int) -> str:
    """What an id is called in that copy."""
    return f"{copy:0{DIGITS}x}{id[DIGITS:]}"


def set_aside(connection: Connection, table: Table, waiting: Sequence[str]) -> Table:
    """The rows that are to be copied: all but those of the plans that wait."""
    name = f"bench_{table.name}"
    connection.execute(text(f"CREATE TEMPORARY TABLE {name} AS SELECT * FROM {table.name}"))
    originals = Table(name, MetaData(), *(Column(column.name, column.type) for column in table.columns))
    if "plan_id" in originals.columns:
        connection.execute(delete(originals).where(originals.c.plan_id.in_(waiting)))
    if "request_id" in originals.columns:
        connection.execute(delete(originals).where(originals.c.request_id.startswith(WAITING)))
    return originals


def copy_statement(table: Table, originals: Table, digits: str, dialect: str) -> Insert:
    """Adds the copies with the numbers from ``first`` to ``last``, made of rows whose ids begin so."""
    columns = [_copied(column, digits, dialect) for column in originals.columns]
    rows = select(*columns).select_from(COPIES.join(originals, literal(True)))
    wanted = COPIES.c.number.between(bindparam("first"), bindparam("last"))
    return insert(table).from_select([column.name for column in table.columns], rows.where(wanted))


def _copied(column: Column[Any], digits: str, dialect: str) -> ColumnElement[Any]:
    if column.name == "request_id":
        return COPIES.c.digits + column  # its own first digits are random, and may be another copy's
    fresh = COPIES.c.digits + func.substr(column, DIGITS + 1)
    if column.name == "sequence":
        return column + COPIES.c.events_before
    if isinstance(column.type, String):
        return case((func.substr(column, 1, DIGITS) == digits, fresh), else_=column)
    if isinstance(column.type, LargeBinary):
        return _renamed_within(column, digits, dialect)
    return column


def _renamed_within(column: Column[Any], digits: str, dialect: str) -> ColumnElement[Any]:
    """A record is JSON: an id in it begins after a quotation mark."""
    old, new = f'"{digits}', literal('"') + COPIES.c.digits
    if dialect == "sqlite":
        return cast(func.replace(cast(column, Text), old, new), LargeBinary)
    return func.convert_to(func.replace(func.convert_from(column, "UTF8"), old, new), "UTF8")
