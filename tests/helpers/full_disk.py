"""Disks that are full: for large plans only, or for everything."""

from __future__ import annotations

import resource
import signal
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from sqlalchemy import Engine, event

TOO_LARGE = 200_000
"""Bytes of a plan that has no room any more."""


@contextmanager
def little_room_in_sqlite() -> Iterator[None]:
    """Every database that is opened has room for a few plans and not for a large one."""

    def limit(connection: sqlite3.Connection, _: object) -> None:
        connection.execute("PRAGMA max_page_count = 80")

    event.listen(Engine, "connect", limit)
    yield
    event.remove(Engine, "connect", limit)


@contextmanager
def little_room_in_postgres(url: str, least: int = TOO_LARGE) -> Iterator[None]:
    """The database says what it says when its disk is full, to every plan with so many bytes."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(
            """
            CREATE FUNCTION disk_is_full() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
                RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full';
            END $$
            """
        )
        connection.execute(
            f"""
            CREATE TRIGGER disk_is_full BEFORE INSERT ON revisions FOR EACH ROW
            WHEN (octet_length(NEW.record) >= {least:d}) EXECUTE FUNCTION disk_is_full()
            """.encode()
        )
        try:
            yield
        finally:
            connection.execute("DROP FUNCTION disk_is_full CASCADE")


@contextmanager
def little_room_for_files(bytes_each: int) -> Iterator[None]:
    """No file of this process can be larger: a write fails as it does on a full disk, in the middle."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    died_of = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (bytes_each, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, died_of)
