"""The driver's own cursor, for what every write runs: what SQLAlchemy does around a statement takes several
times as long as the statement itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from sqlalchemy import Connection, Dialect
from sqlalchemy.exc import DBAPIError

Result = TypeVar("Result")


def placeholder(dialect: Dialect) -> str:
    """What stands for a value in a statement."""
    return "?" if dialect.paramstyle == "qmark" else "%s"


class Driver:
    """Runs statements in the connection's transaction; errors are SQLAlchemy's, as everywhere else."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._cursor = connection.connection.cursor()
        self.dialect = connection.dialect

    def run(self, text: str, values: Sequence[object]) -> int:
        """How many rows were stored."""
        self._try(lambda: self._cursor.execute(text, values))
        return self._cursor.rowcount

    def rows(self, text: str, values: Sequence[object]) -> Sequence[Sequence[Any]]:
        self._try(lambda: self._cursor.execute(text, values))
        return self._try(self._cursor.fetchall)

    def _try(self, step: Callable[[], Result]) -> Result:
        try:
            return step()
        except self.dialect.loaded_dbapi.Error as error:
            raise self._explained(error) from error

    def _explained(self, error: Any) -> Exception:
        errors = self.dialect.loaded_dbapi.Error
        lost = self.dialect.is_disconnect(error, self._connection.connection, self._cursor)
        if lost:
            self._connection.invalidate(error)
        explained: Exception = DBAPIError.instance(
            None, None, error, errors, connection_invalidated=lost, dialect=self.dialect
        )
        return explained
