"""Backups of each kind of database, made and restored as docs/operations.md says."""

from __future__ import annotations

import asyncio
import os
import sys
from asyncio.subprocess import PIPE, STDOUT
from dataclasses import dataclass
from pathlib import Path

from tests.helpers.conditions import PATIENCE
from tests.helpers.postgres import shared_server


async def run(*command: str) -> str:
    """What a command prints that must succeed."""
    process = await asyncio.create_subprocess_exec(*command, stdout=PIPE, stderr=STDOUT)
    async with asyncio.timeout(PATIENCE):
        output, _ = await process.communicate()
    assert process.returncode == 0, output.decode()
    return output.decode()


@dataclass(frozen=True, slots=True)
class Copies:
    """Copies of a database, by number."""

    database: str
    folder: Path

    @property
    def _of_sqlite(self) -> bool:
        return self.database.startswith("sqlite:")

    async def make(self, number: int) -> None:
        if self._of_sqlite:
            command = (sys.executable, "-m", "plangate_server.backup_command")
            await run(*command, str(self._file(number)), "--database", self.database)
        else:
            file = f"--file={self._file(number)}"
            await run(postgres_tool("pg_dump"), "--format=custom", file, self.database)

    async def restore(self, number: int) -> str:
        """The URL of a database that holds what the copy does."""
        if self._of_sqlite:
            return f"sqlite:///{self._file(number)}"
        name = f"{self.database.rpartition('/')[2]}_{number}"
        shared_server().create_database(name)
        url = shared_server().url(name)
        options = ("--no-owner", "--exit-on-error", "--single-transaction", f"--dbname={url}")
        await run(postgres_tool("pg_restore"), *options, str(self._file(number)))
        await run(postgres_tool("psql"), "--command", "DELETE FROM logs", url)
        return url

    def _file(self, number: int) -> Path:
        return self.folder / f"copy-{number}"


def postgres_tool(name: str) -> str:
    """The one that belongs to the server of the tests."""
    return os.fspath(shared_server().binaries / name)
