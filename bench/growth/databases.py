"""The databases that grow: any number of them, each empty at first."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

from bench import postgres

MakeDatabase: TypeAlias = Callable[[str], Awaitable[str]]
"""Gives the URL of a new database with that name."""

BYTES_PER_PLAN: Final = 16_000
"""What a small plan takes with its events, indexes and write-ahead log, and half as much again."""


@dataclass(frozen=True, slots=True)
class Kind:
    name: str
    running: Callable[[Path], AbstractAsyncContextManager[MakeDatabase]]
    """Makes ready to keep databases in a folder; they are thrown away in the end."""


@asynccontextmanager
async def _sqlite(folder: Path) -> AsyncIterator[MakeDatabase]:
    async def make(name: str) -> str:
        return f"sqlite:///{folder / name}.db"

    yield make


@asynccontextmanager
async def _postgres(folder: Path) -> AsyncIterator[MakeDatabase]:
    async with postgres.running(folder) as url:
        yield lambda name: postgres.new_database(url, name)


KINDS: Final = (Kind("SQLite", _sqlite), Kind("PostgreSQL", _postgres))


def check_room(folder: Path, sizes: Sequence[int]) -> None:
    """Refuse to begin what would fill the disk."""
    needed, free = sum(sizes) * BYTES_PER_PLAN, shutil.disk_usage(folder).free
    if free < needed:
        raise RuntimeError(
            f"databases of {' and '.join(map(str, sizes))} plans need up to {needed / 1e9:.1f} GB, and the "
            f"disk for temporary files has {free / 1e9:.1f} GB free: name smaller ones with --growth, or "
            "another place with TMPDIR"
        )
