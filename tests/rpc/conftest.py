"""What the tests over a socket share."""

from collections.abc import AsyncIterator

import pytest

from tests.helpers.gate import Gate, open_gate
from tests.helpers.postgres import stop_shared_server

__all__ = ["stop_shared_server"]


@pytest.fixture(scope="module")
async def empty_gate(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Gate]:
    """A gate for the rows of a table, in which no row may leave anything behind."""
    async with open_gate(tmp_path_factory.mktemp("empty") / "plangate.db") as gate:
        yield gate
