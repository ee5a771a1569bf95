"""Plans and the places in the log that they are after, read in one statement."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import cache
from typing import TypeAlias

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError

from plangate_server.domain.plan import Plan
from plangate_server.storage import records
from plangate_server.storage.driver import Driver, Marks, filled_up
from plangate_server.storage.together import Key

Snapshot: TypeAlias = tuple[Plan, int]
"""A plan, and the number of the newest event when it was looked at."""


class Snapshots:
    """Has a connection of its own. One statement sees one state of the database: it needs no transaction."""

    def __init__(self, engine: Engine, driver: type[Driver]) -> None:
        self._engine = engine
        self._driver = driver
        self._connection: Connection | None = None

    def take(self, keys: Collection[Key]) -> Mapping[Key, Snapshot]:
        """Those that there are."""
        try:
            return dict(self._look(keys))
        except DBAPIError as error:
            self.close()
            if not error.connection_invalidated:
                raise
        return dict(self._look(keys))  # it was lost since it was last used; there may well be another

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _look(self, keys: Collection[Key]) -> Iterator[tuple[Key, Snapshot]]:
        if self._connection is None:
            connection = self._engine.connect()
            self._connection = connection.execution_options(isolation_level="AUTOCOMMIT")
        driver = self._driver(self._connection)
        for workspace in {workspace for workspace, _ in keys}:
            ids = filled_up([plan_id for own, plan_id in keys if own == workspace])
            found = driver.run(_statement(driver.marks, len(ids)), (workspace, workspace, *ids))
            for plan_id, record, revision, last in found.fetchall():
                plan = records.decode_plan(plan_id, workspace, records.decode_revision(revision), record)
                yield (workspace, plan_id), (plan, last)


@cache
def _statement(marks: Marks, ids: int) -> str:
    return (
        "SELECT plans.plan_id, plans.record, revisions.record, "
        f"(SELECT last_sequence FROM workspaces WHERE workspace = {marks(1, 1)}) "
        "FROM plans JOIN revisions "
        "ON revisions.plan_id = plans.plan_id AND revisions.number = plans.revision "
        f"WHERE plans.workspace = {marks(1, 2)} AND plans.plan_id IN ({marks(ids, 3)})"
    )
