"""Alembic's part: the scripts that lead from one schema to the next."""

from __future__ import annotations

from typing import Final

from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import Connection

SCRIPTS: Final = "plangate_server:storage/migrations"


def known() -> set[str]:
    """Every schema that there was, and the one that there is."""
    return {script.revision for script in ScriptDirectory.from_config(_config()).walk_revisions()}


def upgrade(connection: Connection, to: str) -> None:
    config = _config()
    config.attributes["connection"] = connection
    command.upgrade(config, to)


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", SCRIPTS)
    return config
