"""Makes the databases of a release that the upgrade tests start from, in tests/release/fixtures.

python -m tools.make_release_fixtures 0.1.0

Run it once, in the commit of the release. Servers over both databases take part in everything that the
public API can do; then they are killed, and what they leave is written down as SQL, beside what their API
told of it. Nothing is written if a table is empty or a kind of record missing.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib.metadata
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable
from contextlib import AbstractAsyncContextManager, closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import psycopg

from plangate_proto.agent.v1 import (
    access_token_service_pb2,
    agent_session_service_pb2,
    plan_resource_pb2,
    review_resource_pb2,
    session_state_pb2,
    todo_tools_pb2,
    tool_approval_service_pb2,
)
from plangate_server.domain.events import EventType
from plangate_server.ports import Store
from plangate_server.storage.hub import Hub
from plangate_server.storage.postgres import open_postgres
from plangate_server.storage.schema import NEWEST
from plangate_server.storage.sqlite import open_sqlite
from plangate_server.storage.tables import metadata
from tests.e2e.processes import serving
from tests.helpers.conditions import eventually
from tests.helpers.gate import connected
from tests.helpers.postgres import Server, running_server
from tests.release.dumps import Dump, postgres_dump, sqlite_dump
from tests.release.observing import Json, words_in
from tests.release.plans import POLICY
from tests.release.play import leave, play, play_before_retention

LONG_AGO: Final = datetime(1970, 1, 1, tzinfo=UTC)

NOT_STORED: Final = {
    EventType.SNAPSHOT: "a stream says it of itself",
    EventType.CHECKPOINT: "a stream says it of itself",
}
"""Types of events that no log has."""

EMPTY: Final = {("sqlite", "watchers"): "one server has the file, and need not tell others who watches"}
"""Tables that have no rows, by database."""

KINDS: Final[tuple[Any, ...]] = (
    access_token_service_pb2.Role,
    agent_session_service_pb2.FullAccessState,
    agent_session_service_pb2.SessionMode,
    plan_resource_pb2.BuildOutcome,
    plan_resource_pb2.PlanProgress,
    plan_resource_pb2.PlanState,
    review_resource_pb2.CommentState,
    review_resource_pb2.DecisionSource,
    review_resource_pb2.ReviewOutcome,
    review_resource_pb2.ReviewStatus,
    session_state_pb2.FsmState,
    todo_tools_pb2.TodoStatus,
    tool_approval_service_pb2.ApprovalDecision,
    tool_approval_service_pb2.ApprovalState,
    tool_approval_service_pb2.RememberScope,
    tool_approval_service_pb2.ToolKind,
)
"""Each of their values must be somewhere in what the API tells."""


class Incomplete(Exception):
    """What a dump lacks."""


@dataclass(frozen=True, slots=True)
class Database:
    """A kind of database, and how to get at it without a server."""

    kind: str
    url: str
    open_store: Callable[[], AbstractAsyncContextManager[Store]]
    rows: Callable[[str], list[tuple[Any, ...]]]
    dump: Callable[[], str]


def sqlite_in(folder: Path) -> Database:
    path = folder / "plangate.db"

    def rows(query: str) -> list[tuple[Any, ...]]:
        with closing(sqlite3.connect(path)) as connection:
            return connection.execute(query).fetchall()

    return Database(
        "sqlite", f"sqlite:///{path}", lambda: open_sqlite(path, Hub()), rows, lambda: sqlite_dump(path)
    )


def postgres_at(server: Server) -> Database:
    server.create_database("release")
    url = server.url("release")

    def rows(query: str) -> list[tuple[Any, ...]]:
        with psycopg.connect(url) as connection:
            return connection.execute(query.encode()).fetchall()

    return Database(
        "postgres", url, lambda: open_postgres(url, Hub()), rows, lambda: _pg_dump(server.binaries, url)
    )


def _pg_dump(binaries: Path, url: str) -> str:
    command = [str(binaries / "pg_dump"), "--schema-only", "--no-owner", "--no-privileges", url]
    return postgres_dump(url, subprocess.run(command, check=True, capture_output=True, text=True).stdout)


async def fill(database: Database, policy: Path) -> Json:
    """Take part in everything; gives what the API told at the end."""
    options = ("--policy", str(policy))
    async with serving(database.url, *options) as server, connected(server.address) as gate:
        await play_before_retention(gate)
    async with database.open_store() as store:
        # Retention counts in days: this is what it does when they are over.
        await store.forget(events_before=datetime.now(UTC), requests_before=LONG_AGO)
    async with serving(database.url, *options) as server, connected(server.address) as gate:
        expected = await play(gate)
        expected["late"], watching = await leave(gate, expected["secrets"]["live"])
        if database.kind == "postgres":
            await eventually(lambda: bool(database.rows("SELECT * FROM watchers")))
        # Whoever watches is still there when the server is killed, at the end of this block.
        assert not watching.done()
    return expected


def check_complete(database: Database, expected: Json) -> None:
    """Refuse a database without some kind of row."""
    lacks = [
        *(f"the table {name} is empty" for name in _empty_tables(database)),
        *(f"no event {name}" for name in _missing_events(database)),
        *(f"no {name}" for name in _missing_kinds(words_in(expected))),
    ]
    if lacks:
        raise Incomplete(f"{database.kind}: {', '.join(lacks)}")


def _empty_tables(database: Database) -> list[str]:
    return [
        name
        for name in metadata.tables
        if (database.kind, name) not in EMPTY and not database.rows(f"SELECT * FROM {name} LIMIT 1")
    ]


def _missing_events(database: Database) -> list[str]:
    stored = {type for (type,) in database.rows("SELECT type FROM events WHERE body IS NOT NULL")}
    return sorted(set(EventType) - set(NOT_STORED) - stored)


def _missing_kinds(words: Iterable[str]) -> list[str]:
    told = set(words)
    names = [name for kind in KINDS for name in dict(kind.items()) if not name.endswith("_UNSPECIFIED")]
    return [name for name in names if name not in told]


def make(database: Database, version: str, policy: Path) -> Dump:
    """Fill the database, and write it down with what is expected of it."""
    expected = asyncio.run(fill(database, policy))
    check_complete(database, expected)
    dump = Dump(version, database.kind)
    dump.sql.parent.mkdir(parents=True, exist_ok=True)
    dump.sql.write_text(database.dump(), encoding="utf-8")
    text = json.dumps({"version": version, "schema": NEWEST, **expected}, ensure_ascii=False, indent=1)
    dump.expected.write_text(text + "\n", encoding="utf-8")
    return dump


def main() -> int:
    parser = argparse.ArgumentParser(description="Makes the databases that upgrade tests start from.")
    parser.add_argument("version", help="the release, which is the version of this source tree")
    version: str = parser.parse_args().version
    if (here := importlib.metadata.version("plangate")) != version:
        print(f"this is {here}, and not {version}: check the release out first", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory(prefix="plangate-release-") as made, running_server() as server:
        home = Path(made)
        os.environ.update(PLANGATE_TOKEN_DIR=str(home / "tokens"), LOGNAME="ada")
        policy = home / "policy.yaml"
        policy.write_text(POLICY, encoding="utf-8")
        for database in (sqlite_in(home), postgres_at(server)):
            dump = make(database, version, policy)
            for file in (dump.sql, dump.expected):
                print(f"{file.stat().st_size // 1024:5} KiB  {file}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
