"""Plangate as anyone starts it, on the embedded database."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from bench import process
from bench.parts import Contender


@asynccontextmanager
async def _running(folder: Path) -> AsyncIterator[str]:
    async with process.plangate(f"sqlite:///{folder / 'plans.db'}") as address:
        yield address


SQLITE = Contender("Plangate, SQLite", "python -m plangate_server; WAL, synchronous FULL", _running)
