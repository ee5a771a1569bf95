"""A connection of its own for looks of one statement, which need no transaction: each sees one state."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError

from plangate_server.storage.driver import Driver

Result = TypeVar("Result")


class OwnLine:
    """Kept open, and used by one look at a time."""

    def __init__(self, engine: Engine, driver: type[Driver]) -> None:
        self._engine = engine
        self._driver = driver
        self._connection: Connection | None = None

    def look(self, work: Callable[[Driver], Result]) -> Result:
        try:
            return work(self._open())
        except DBAPIError as error:
            self.close()
            if not error.connection_invalidated:
                raise
        return work(self._open())  # it was lost since it was last used; there may well be another

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _open(self) -> Driver:
        if self._connection is None:
            connection = self._engine.connect()
            self._connection = connection.execution_options(isolation_level="AUTOCOMMIT")
        return self._driver(self._connection)
