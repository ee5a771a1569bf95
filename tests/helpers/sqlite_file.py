"""A new database in a file: made once, and copied for each test."""

from __future__ import annotations

import os
import tempfile
from functools import cache
from pathlib import Path

from sqlalchemy import create_engine

from plangate_server.storage.schema import migrate


def new_database(path: Path) -> Path:
    """As a server leaves one that it has just made; what is there already stays."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not path.exists():
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(_made())
    return path


@cache
def _made() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "plangate.db"
        engine = create_engine(f"sqlite:///{path}")
        with engine.connect() as connection:
            connection.exec_driver_sql("PRAGMA journal_mode = WAL")
        with engine.begin() as connection:
            migrate(connection)
            # The databases made from it are different logs: each is named when it is first opened.
            connection.exec_driver_sql("DELETE FROM logs")
        engine.dispose()
        return path.read_bytes()
