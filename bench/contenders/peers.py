"""What one would pick instead of Plangate, each with its callers."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from bench import postgres
from bench.contenders import peer_servers
from bench.contenders.peer_load import loaded_by
from bench.parts import Contender, Open
from bench.peers.environment import DBOS, LANGGRAPH, RESTATE, TEMPORAL


@asynccontextmanager
async def _langgraph_sqlite(folder: Path) -> AsyncIterator[str]:
    await LANGGRAPH.make()
    yield str(folder / "checkpoints.db")


@asynccontextmanager
async def _langgraph_postgres(folder: Path) -> AsyncIterator[str]:
    await LANGGRAPH.make()
    async with postgres.running(folder) as url:
        yield url


@asynccontextmanager
async def _dbos(folder: Path) -> AsyncIterator[str]:
    await DBOS.make()
    async with postgres.running(folder) as url:
        yield url


@asynccontextmanager
async def _restate(folder: Path) -> AsyncIterator[str]:
    await RESTATE.make()
    async with peer_servers.restate(folder) as address:
        yield address


@asynccontextmanager
async def _temporal(folder: Path) -> AsyncIterator[str]:
    await TEMPORAL.make()
    async with peer_servers.temporal(folder) as address:
        yield address


_langgraph = loaded_by(LANGGRAPH, "bench.peers.langgraph")

STRONGEST: Final = Contender(
    "Restate",
    f"{RESTATE.versions}; an awakeable; one node, its log flushed",
    _restate,
)

PEERS: Final[Mapping[Contender, Open]] = {
    Contender(
        "LangGraph, SQLite",
        f"{LANGGRAPH.versions}; interrupt and resume; WAL, synchronous FULL",
        _langgraph_sqlite,
    ): _langgraph,
    Contender(
        "LangGraph, PostgreSQL",
        "the same on a PostgreSQL of its own; fsync and synchronous_commit on",
        _langgraph_postgres,
    ): _langgraph,
    Contender(
        "DBOS, PostgreSQL",
        f"{DBOS.versions}; recv and send on a PostgreSQL of its own; fsync and synchronous_commit on",
        _dbos,
    ): loaded_by(DBOS, "bench.peers.dbos"),
    STRONGEST: loaded_by(RESTATE, "bench.peers.restate"),
    Contender(
        "Temporal",
        f"{TEMPORAL.versions}; a signal; the development server on a file; WAL, synchronous FULL",
        _temporal,
    ): loaded_by(TEMPORAL, "bench.peers.temporal"),
}
"""None of them has a server of ours between: callers and library are one process, so ``load`` is of both."""
