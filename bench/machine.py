"""What a reader must know of the machine to judge the figures; nothing that would name it."""

from __future__ import annotations

import os
import platform
import sqlite3
import statistics
import tempfile
import time
from importlib.metadata import version
from typing import Final

PACKAGES: Final = ("grpcio", "protobuf", "sqlalchemy", "psycopg")


def description() -> str:
    packages = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    return (
        f"{platform.system()}, {os.cpu_count()} cores, Python {platform.python_version()}, {packages}, "
        f"SQLite {sqlite3.sqlite_version}. To append 8 KB to a file and flush it to the disk takes "
        f"{flush_seconds() * 1000:.2f} ms here."
    )


def flush_seconds(repeats: int = 50) -> float:
    """The median time of an append with fsync, where the databases are: near zero means no real disk."""
    taken = []
    with tempfile.NamedTemporaryFile(buffering=0) as file:
        for _ in range(repeats):
            started = time.perf_counter()
            file.write(bytes(8192))
            os.fsync(file.fileno())
            taken.append(time.perf_counter() - started)
    return statistics.median(taken)
