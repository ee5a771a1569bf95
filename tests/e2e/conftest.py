"""What the tests of whole processes share."""

from pathlib import Path

import pytest

from tests.helpers.postgres import database_of, stop_shared_server

__all__ = ["database", "postgres_url", "stop_shared_server"]


@pytest.fixture
def postgres_url(tmp_path: Path) -> str:
    """A PostgreSQL database that nobody else has, with the schema of this version."""
    return database_of(tmp_path)


@pytest.fixture(params=["sqlite", "postgres"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of a database of each kind."""
    return f"sqlite:///{tmp_path / 'plangate.db'}" if request.param == "sqlite" else database_of(tmp_path)
