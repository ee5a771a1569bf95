"""Copies the embedded database to another file, while a server uses it or not, and checks the copy."""

from __future__ import annotations

import os
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

from msgspec import Struct
from sqlalchemy import Connection, create_engine, select
from sqlalchemy.exc import DBAPIError

from plangate_server.domain.audit import Verdict, Verifier
from plangate_server.storage.reading import SqlReading
from plangate_server.storage.tables import events, workspaces

STRIDE: Final = 1000
BUSY_SECONDS: Final = 30.0


class CannotBackUp(Exception):
    """Why there is no copy, in words for whoever wants one."""


class CopiedLog(Struct, frozen=True):
    """The event log of a workspace as it is in the copy; its chain holds."""

    workspace: str
    verdict: Verdict


def back_up(source: Path, target: Path) -> list[CopiedLog]:
    """Everything that was committed before, in one new file that only its owner can read.

    The target is there when the copy is whole and checked; otherwise what was there before stays.
    """
    _refuse_what_is_in_use(source, target)
    try:
        place = target.resolve()  # behind a link, so that the link stays one
        with _part_of(place) as part:
            _copy(source, part)
            found = _check(part)
            _flush(part)
            part.replace(place)
            _flush(place.parent)
    except OSError as error:
        raise CannotBackUp(f"{target} cannot be written: {error.strerror or error}") from None
    return found


def _refuse_what_is_in_use(source: Path, target: Path) -> None:
    if not source.is_file():
        raise CannotBackUp(f"{source} is no database: name the one that the server uses with --database")
    if not target.exists():
        return
    if target.samefile(source):
        raise CannotBackUp(f"{target} is the database itself: choose another file")
    if not target.is_file():
        raise CannotBackUp(f"{target} is there and no file: choose another one")
    if target.with_name(f"{target.name}-wal").exists():
        raise CannotBackUp(f"{target} is a database in use (see {target.name}-wal): choose another file")


@contextmanager
def _part_of(target: Path) -> Iterator[Path]:
    descriptor, name = tempfile.mkstemp(prefix=".plangate-", suffix=".part", dir=target.parent)
    os.close(descriptor)
    part = Path(name)
    try:
        yield part
    finally:
        part.unlink(missing_ok=True)


def _copy(source: Path, part: Path) -> None:
    """In one step: it sees one state and holds no writer up; in several, each write would begin it anew."""
    try:
        with (
            closing(sqlite3.connect(_uri(source, "mode=rw"), uri=True, timeout=BUSY_SECONDS)) as original,
            closing(sqlite3.connect(part, isolation_level=None)) as copy,
        ):
            # Until it is whole nobody needs it, and then it is flushed at once.
            copy.execute("PRAGMA journal_mode = OFF")
            copy.execute("PRAGMA synchronous = OFF")
            original.backup(copy)
            copy.execute("PRAGMA journal_mode = DELETE")  # one file, without a log beside it
            # Events after this moment are in no copy. Without its name, which the next server gives it anew,
            # no cursor to one of them can be taken for a place in what follows.
            copy.execute("DELETE FROM logs")
    except sqlite3.Error as error:
        raise CannotBackUp(f"{source} cannot be copied: {error}") from None


def _check(part: Path) -> list[CopiedLog]:
    engine = create_engine("sqlite://", creator=lambda: sqlite3.connect(_uri(part, "immutable=1"), uri=True))
    try:
        with engine.connect() as connection:
            problems = connection.exec_driver_sql("PRAGMA integrity_check").scalars().all()
            if problems != ["ok"]:
                raise CannotBackUp(f"the database is damaged: {problems[0]}")
            return [CopiedLog(each, _verify(connection, each)) for each in _workspaces(connection)]
    except DBAPIError as error:
        raise CannotBackUp(f"the copy cannot be read by this version of Plangate: {error.orig}") from None
    finally:
        engine.dispose()


def _workspaces(connection: Connection) -> list[str]:
    named = select(workspaces.c.workspace).union(select(events.c.workspace))
    return sorted(connection.execute(named).scalars())


def _verify(connection: Connection, workspace: str) -> Verdict:
    reading = SqlReading(connection, workspace)
    verifier = Verifier(forgotten=reading.forgotten_sequence())
    while verifier.bad is None and (links := reading.links(after=verifier.sequence, limit=STRIDE)):
        verifier.follow(links)
    verifier.expect(reading.last_sequence())
    verdict = verifier.verdict()
    if not verdict.valid:
        raise CannotBackUp(f"the event log of workspace {workspace} does not hold: {verdict.problem}")
    return verdict


def _flush(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _uri(path: Path, options: str) -> str:
    return f"{path.resolve().as_uri()}?{options}"
