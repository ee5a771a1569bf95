"""Brings a database to this version's schema at start; refuses one that is newer."""

from __future__ import annotations

import secrets

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, insert, select

from plangate_server.storage.tables import logs

SCRIPTS = "plangate_server:storage/migrations"


class CannotOpen(Exception):
    """Why a database cannot be used, in words for whoever starts the server."""


class NewerSchema(CannotOpen):
    """The database was brought to a schema that this version does not know."""


def migrate(connection: Connection) -> None:
    """Run what is missing, inside the connection's transaction: all of it happens, or nothing."""
    config = Config()
    config.set_main_option("script_location", SCRIPTS)
    config.attributes["connection"] = connection
    known = {script.revision for script in ScriptDirectory.from_config(config).walk_revisions()}
    current = MigrationContext.configure(connection).get_current_revision()
    if current is not None and current not in known:
        raise NewerSchema(
            f"the database has schema {current}, which this version does not know: it was used with a "
            "newer Plangate, so use that one, or another database"
        )
    command.upgrade(config, "head")
    _name_log(connection)


def _name_log(connection: Connection) -> None:
    """The log gets its name from the server that made it; whoever opens it later finds it."""
    if connection.scalar(select(logs.c.log_id)) is None:
        connection.execute(insert(logs), {"log_id": secrets.token_hex(16)})
