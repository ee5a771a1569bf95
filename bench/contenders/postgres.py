"""Plangate on PostgreSQL: one node, and two that share a database."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from bench import postgres, process
from bench.parts import Contender


@asynccontextmanager
async def _one(folder: Path) -> AsyncIterator[str]:
    async with postgres.running(folder) as url, process.plangate(url) as address:
        yield address


@asynccontextmanager
async def _two(folder: Path) -> AsyncIterator[str]:
    async with (
        postgres.running(folder) as url,
        process.plangate(url) as first,
        process.plangate(url) as second,
    ):
        yield f"{first},{second}"


POSTGRES = Contender(
    "Plangate, PostgreSQL",
    "python -m plangate_server on a PostgreSQL of its own; fsync and synchronous_commit on",
    _one,
)
TWO_NODES = Contender(
    "Plangate, PostgreSQL, two nodes",
    "two of them on one PostgreSQL; every other plan on each",
    _two,
)
CROSSWISE = Contender(
    "Plangate, PostgreSQL, crosswise",
    "the same; each plan is proposed and awaited on one node and decided on the other",
    _two,
)
