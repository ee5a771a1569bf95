"""Databases of releases as SQL, and how they become databases again."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import psycopg

from tests.helpers.postgres import shared_server

FIXTURES = Path(__file__).parent / "fixtures"
DATABASES = ("sqlite", "postgres")


@dataclass(frozen=True, slots=True)
class Dump:
    """What one version left in one kind of database, and what its API told of it."""

    version: str
    database: str

    def __str__(self) -> str:
        return f"{self.version}-{self.database}"

    @property
    def sql(self) -> Path:
        return FIXTURES / self.version / self.database / "dump.sql"

    @property
    def expected(self) -> Path:
        return FIXTURES / self.version / self.database / "expected.json"

    def read_expected(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.expected.read_text(encoding="utf-8"))
        return found

    def load(self, folder: Path) -> str:
        """The URL of a new database with what is in the dump."""
        text = self.sql.read_text(encoding="utf-8")
        return _into_sqlite(text, folder) if self.database == "sqlite" else _into_postgres(text)


def all_dumps() -> list[Dump]:
    versions = sorted(folder.name for folder in FIXTURES.iterdir() if folder.is_dir())
    return [Dump(version, database) for version in versions for database in DATABASES]


# Requests are kept for 48 hours: without this there would be none left whose answer could be asked for again.
YOUNG = "UPDATE requests SET time = {}"


def _young() -> str:
    return YOUNG.format(time.time_ns() // 1000)


def _into_sqlite(text: str, folder: Path) -> str:
    path = folder / "plangate.db"
    path.touch(0o600)
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(f"BEGIN; {text} COMMIT;")
        connection.execute(_young())
        connection.commit()
    return f"sqlite:///{path}"


def _into_postgres(text: str) -> str:
    server, name = shared_server(), f"release_{uuid4().hex}"
    # Not from the template that the tests share, which has tables already.
    server.create_database(name, "template0")
    with psycopg.connect(server.url(name)) as connection:
        connection.execute(text.encode())
        connection.execute(_young().encode())
    return server.url(name)


def sqlite_dump(path: Path) -> str:
    """All tables and rows, always in the same order."""
    with closing(sqlite3.connect(path)) as connection:
        schema = "SELECT sql, name, type FROM sqlite_master WHERE sql IS NOT NULL ORDER BY type DESC, name"
        objects = connection.execute(schema).fetchall()
        tables = [name for _, name, type in objects if type == "table"]
        rows = [row for name in tables for row in _rows(name, connection.execute(_all_of(name)).fetchall())]
    return "\n".join([*(f"{sql};" for sql, *_ in objects), *rows, ""])


def postgres_dump(url: str, schema: str) -> str:
    """The same after what pg_dump wrote of the schema, without what only some versions of it understand."""
    noise = ("--", "SET ", "SELECT pg_catalog.set_config", "\\")
    kept = [line for line in schema.splitlines() if line and not line.startswith(noise)]
    with psycopg.connect(url) as connection:
        listed = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1")
        for (table,) in listed.fetchall():
            kept += _rows(f"public.{table}", connection.execute(_all_of(table).encode()).fetchall(), BYTEA)
    return "\n".join([*kept, ""])


# Records are JSON: like this, a person can read what is in a dump.
BLOB, BYTEA = "CAST({} AS BLOB)", "convert_to({}, 'UTF8')"


def _all_of(table: str) -> str:
    return f"SELECT * FROM {table}"


def _rows(table: str, rows: Iterable[tuple[Any, ...]], of_bytes: str = BLOB) -> list[str]:
    def literal(value: object) -> str:
        match value:
            case None:
                return "NULL"
            case bytes():
                return of_bytes.format(literal(value.decode()))
            case str():
                return "'" + value.replace("'", "''") + "'"
            case _:
                return str(value)

    return sorted(f"INSERT INTO {table} VALUES ({', '.join(map(literal, row))});" for row in rows)
