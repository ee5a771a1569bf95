"""The driver's own cursor, for what every write runs: what SQLAlchemy does around a statement takes several
times as long as the statement itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, Protocol, TypeAlias

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from plangate_server.logs import Log

tell = Log(__name__)

Marks: TypeAlias = Callable[[int, int], str]
"""What stands for so many values in a statement, of which the first has this number."""


class Stored(Protocol):
    """How many rows a statement stored."""

    @property
    def rowcount(self) -> int: ...


class Cursor(Stored, Protocol):
    """What came of a statement."""

    def fetchall(self) -> Sequence[Sequence[Any]]: ...


class Runs(Protocol):
    """Runs statements, now or later."""

    @property
    def marks(self) -> Marks: ...
    @property
    def announcement(self) -> str:
        """The statement that tells other nodes, with the commit, that there is something new; if any."""

    def run(self, text: str, values: Sequence[object]) -> Stored: ...


class Driver:
    """Runs statements in the connection's transaction; errors are SQLAlchemy's, as everywhere else."""

    lock: str = ""
    """What a SELECT says to keep others from changing what it found."""

    def __init__(self, connection: Connection, announcement: str = "") -> None:
        self._connection = connection
        self.announcement = announcement
        self._raw: Any = connection.connection.driver_connection
        self._errors = connection.dialect.loaded_dbapi.Error

    @staticmethod
    def marks(count: int, start: int) -> str:
        return ", ".join(["?"] * count)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Everything in the block is committed together, what SQLAlchemy runs on the connection included."""
        try:
            self._begin()
            yield
            self._end(self._connection.commit, self._raw.commit)
        except BaseException:
            self._undo()
            raise

    def run(self, text: str, values: Sequence[object]) -> Cursor:
        cursor: Any = self._cursor()
        try:
            cursor.execute(text, values)
        except self._errors as error:
            raise self._explained(error) from error
        result: Cursor = cursor
        return result

    @contextmanager
    def together(self) -> Iterator[None]:
        """Statements that need not wait for one another; what came of them is known after the block."""
        try:
            with self._pipeline():
                yield
        except self._errors as error:
            raise self._explained(error, stuck=self._is_stuck()) from error

    def _cursor(self) -> Any:
        return self._raw.cursor()

    def _pipeline(self) -> AbstractContextManager[object]:
        return nullcontext()

    def _begin(self) -> None:
        """Most drivers begin by themselves."""

    def _end(self, known: Callable[[], None], bare: Callable[[], None]) -> None:
        """SQLAlchemy must be told if it took part; to go through it if it did not takes longer."""
        try:
            (known if self._connection.in_transaction() else bare)()
        except self._errors as error:
            raise self._explained(error) from error

    def _undo(self) -> None:
        """Whatever it takes: what is left of a transaction would be in the way of every one after it."""
        transaction = self._connection.get_transaction()
        try:
            if transaction is not None:
                transaction.rollback()  # also of one that was lost with its connection, or failed to commit
            if not self._connection.invalidated:
                self._raw.rollback()
        except (self._errors, DBAPIError) as error:
            tell.warning("rollback_failed", "a transaction could not be rolled back: connecting anew")
            self._connection.invalidate(error)

    def _is_stuck(self) -> bool:
        """Whether the connection cannot be used any more, though nobody has said that it is lost."""
        return False

    def _explained(self, error: Any, *, stuck: bool = False) -> Exception:
        dialect = self._connection.dialect
        lost = stuck or dialect.is_disconnect(error, self._raw, None)
        if lost:
            self._connection.invalidate(error)
        explained: Exception = DBAPIError.instance(
            None, None, error, self._errors, connection_invalidated=lost, dialect=dialect
        )
        return explained


def filled_up(ids: Sequence[str]) -> Sequence[str]:
    """The ids, the first of them repeated up to a power of two: so there are few statements to prepare."""
    room = 1 << (len(ids) - 1).bit_length()
    return [*ids, *[ids[0]] * (room - len(ids))]
