"""The driver's transactions, whatever goes wrong in them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Final

import pytest
from sqlalchemy import Connection, Engine, create_engine, text

from plangate_server.storage.sqlite import SqliteDriver

ADD: Final = "INSERT INTO things VALUES (1)"


class Stubborn(sqlite3.Connection):
    """Rolls back until it is told not to."""

    stubborn = False

    def rollback(self) -> None:
        if self.stubborn:
            raise sqlite3.OperationalError("disk I/O error")
        super().rollback()


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    def connect() -> sqlite3.Connection:
        return sqlite3.connect(tmp_path / "things.db", factory=Stubborn, isolation_level=None)

    with closing(connect()) as connection:
        connection.execute("CREATE TABLE things (number INTEGER)")
    engine = create_engine("sqlite://", creator=connect)
    yield engine
    engine.dispose()


def count(connection: Connection) -> int:
    number: int = connection.execute(text("SELECT count(*) FROM things")).scalar_one()
    return number


def fail(connection: Connection, *, known: bool) -> None:
    """A transaction, of which SQLAlchemy may know or not, that cannot be rolled back."""
    driver, raw = SqliteDriver(connection), connection.connection.driver_connection
    assert isinstance(raw, Stubborn)
    with driver.transaction():
        driver.run(ADD, ())
        assert not known or count(connection) == 1
        raw.stubborn = True
        raise KeyError("lost")


@pytest.mark.parametrize("known", [False, True], ids=["driver", "SQLAlchemy"])
def test_a_rollback_that_fails(engine: Engine, known: bool) -> None:
    """The connection is given up, with what was in it, and the next transaction has another one."""
    with engine.connect() as connection:
        with pytest.raises(KeyError, match="lost"):
            fail(connection, known=known)
        driver = SqliteDriver(connection)
        with driver.transaction():
            driver.run(ADD, ())
        assert count(connection) == 1
