"""Disks that are full: for large plans only, or for everything."""

from __future__ import annotations

import os
import resource
import signal
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import Engine, event

TOO_LARGE = 200_000
"""Bytes of a plan that has no room any more."""


@dataclass(frozen=True, slots=True)
class SmallDisk:
    """A file system of a few megabytes, which a file of no use fills up."""

    folder: Path

    def fill(self, room: int = 0) -> None:
        """Leave room for so many bytes; the file system takes them in pages."""
        disk = os.statvfs(self.folder)
        with self._ballast.open("ab") as ballast:
            ballast.write(bytes(max(disk.f_bavail * disk.f_frsize - room, 0)))

    def empty(self) -> None:
        self._ballast.unlink()

    @property
    def _ballast(self) -> Path:
        return self.folder / "ballast"


@contextmanager
def small_disk(folder: Path, megabytes: int = 16) -> Iterator[SmallDisk]:
    """A file system of its own in the folder, really full once it is filled; only root may mount one."""
    folder.mkdir(exist_ok=True)
    mount = ("mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", str(folder))
    try:
        subprocess.run(mount, check=True, capture_output=True, text=True)
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"no small file system can be mounted here: {getattr(error, 'stderr', error)}")
    try:
        yield SmallDisk(folder)
    finally:
        subprocess.run(("umount", "--lazy", str(folder)), check=True)


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
        for table, content in (("revisions", "record"), ("requests", "answer")):
            connection.execute(
                f"""
                CREATE TRIGGER disk_is_full BEFORE INSERT ON {table} FOR EACH ROW
                WHEN (octet_length(NEW.{content}) >= {least:d}) EXECUTE FUNCTION disk_is_full()
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
