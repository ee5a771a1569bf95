"""Plangate as anyone starts it, on the embedded database."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from bench import process
from bench.parts import Contender


@asynccontextmanager
async def _running(folder: Path) -> AsyncIterator[str]:
    database = f"sqlite:///{folder / 'plans.db'}"
    server = ("-m", "plangate_server", "--listen", "127.0.0.1:0", "--database", database)
    async with process.python(*server) as address:
        yield address


SQLITE = Contender("Plangate, SQLite", "python -m plangate_server; WAL, synchronous FULL", _running)
