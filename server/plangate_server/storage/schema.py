"""Brings a database to this version's schema at start; refuses one that is newer."""

from __future__ import annotations

import secrets
from typing import Final

from sqlalchemy import Connection, column, insert, inspect, select, table

from plangate_server.storage.tables import logs

NEWEST: Final = "0004"
"""The last of the scripts in migrations/versions."""
VERSION: Final = table("alembic_version", column("version_num"))


class CannotOpen(Exception):
    """Why a database cannot be used, in words for whoever starts the server."""


class NewerSchema(CannotOpen):
    """The database was brought to a schema that this version does not know."""


def migrate(connection: Connection) -> None:
    """Run what is missing, inside the connection's transaction: all of it happens, or nothing."""
    current = _current(connection)
    if current != NEWEST:
        # To import Alembic takes a fifth of the time in which a server starts.
        from plangate_server.storage.upgrading import known, upgrade  # noqa: PLC0415, only where needed

        if current is not None and current not in known():
            raise NewerSchema(
                f"the database has schema {current}, which this version does not know: it was used with a "
                "newer Plangate, so use that one, or another database"
            )
        upgrade(connection, NEWEST)
    _name_log(connection)


def _current(connection: Connection) -> str | None:
    """The schema that the database has; None if it is empty."""
    if not inspect(connection).has_table(VERSION.name):
        return None
    current: str | None = connection.scalar(select(VERSION.c.version_num))
    return current


def _name_log(connection: Connection) -> None:
    """The log gets its name from the server that made it; whoever opens it later finds it."""
    if connection.scalar(select(logs.c.log_id)) is None:
        connection.execute(insert(logs), {"log_id": secrets.token_hex(16)})
