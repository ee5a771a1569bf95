"""Writes many rows in one statement.

The driver lets go of the interpreter with every statement and must win it back from the event loop, which is
busiest just when there is most to write: with a statement for each row it would wait at every row.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import chain
from typing import Final, TypeAlias

from sqlalchemy import Table

from plangate_server.storage.driver import Marks, Runs, Stored

MOST: Final = 512
"""Databases limit how many values a statement has."""

Row: TypeAlias = tuple[object, ...]
"""The values of all columns, in their order."""


def insert_new(runs: Runs, table: Table, rows: Sequence[Row]) -> list[Stored]:
    """Insert the rows whose keys are not there yet; how many those were shows in the cursors."""
    return [
        runs.run(_insert_new(runs.marks, table, len(part)), tuple(chain.from_iterable(part)))
        for part in parts(rows)
    ]


def upsert(runs: Runs, table: Table, rows: Sequence[Row]) -> list[Stored]:
    """Insert the rows, or put them in the place of those with the same key."""
    return [
        runs.run(_upsert(runs.marks, table, len(part)), tuple(chain.from_iterable(part)))
        for part in parts(rows)
    ]


def store_next(runs: Runs, table: Table, rows: Sequence[Row]) -> list[Stored]:
    """Store rows that count in the column ``version`` how often they were stored: the first time only where
    there is none, and later only in the place of the one before. How many were stored shows in the cursors.

    A row that is gone does not come back with what somebody still remembers of it.
    """
    at = [column.name for column in table.columns].index("version")
    new = [row for row in rows if row[at] == 1]
    later = [row for row in rows if row[at] != 1]
    return insert_new(runs, table, new) + [
        runs.run(_update_next(runs.marks, table, len(part)), tuple(chain.from_iterable(part)))
        for part in parts(later)
    ]


def delete(runs: Runs, table: Table, keys: Sequence[Row]) -> None:
    """Remove the rows with these keys, of one column each."""
    for part in parts(keys):
        runs.run(_delete(runs.marks, table, len(part)), tuple(chain.from_iterable(part)))


def parts(rows: Sequence[Row]) -> Iterator[Sequence[Row]]:
    """The rows in powers of two, so that there are few statements to prepare."""
    start = 0
    while rest := len(rows) - start:
        size = min(1 << (rest.bit_length() - 1), MOST)
        yield rows[start : start + size]
        start += size


@cache
def _insert(marks: Marks, table: Table, rows: int) -> str:
    names = ", ".join(column.name for column in table.columns)
    return f"INSERT INTO {table.name} ({names}) VALUES {_value_rows(marks, table, rows)}"


@cache
def _delete(marks: Marks, table: Table, rows: int) -> str:
    (key,) = table.primary_key
    return f"DELETE FROM {table.name} WHERE {key.name} IN ({marks(rows, 1)})"


@cache
def _insert_new(marks: Marks, table: Table, rows: int) -> str:
    return f"{_insert(marks, table, rows)} ON CONFLICT DO NOTHING"


@cache
def _upsert(marks: Marks, table: Table, rows: int) -> str:
    keys = [column.name for column in table.primary_key]
    names = [column.name for column in table.columns if column.name not in keys]
    changes = ", ".join(f"{name} = excluded.{name}" for name in names)
    return f"{_insert(marks, table, rows)} ON CONFLICT ({', '.join(keys)}) DO UPDATE SET {changes}"


@cache
def _update_next(marks: Marks, table: Table, rows: int) -> str:
    # Every database calls the columns of bare values so.
    given = {column.name: f"given.column{number}" for number, column in enumerate(table.columns, 1)}
    keys = [column.name for column in table.primary_key]
    changes = ", ".join(f"{name} = {value}" for name, value in given.items() if name not in keys)
    same = [f"{table.name}.{key} = {given[key]}" for key in keys]
    the_one_before = f"{table.name}.version = {given['version']} - 1"
    values = f"(VALUES {_value_rows(marks, table, rows)}) AS given"
    return f"UPDATE {table.name} SET {changes} FROM {values} WHERE {' AND '.join([*same, the_one_before])}"


def _value_rows(marks: Marks, table: Table, rows: int) -> str:
    width = len(table.columns)
    return ", ".join(f"({marks(width, 1 + row * width)})" for row in range(rows))
