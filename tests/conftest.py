"""What all tests share."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.helpers.gate import Gate, open_gate
from tests.helpers.no_skip import pytest_make_collect_report, pytest_runtest_makereport

__all__ = ["gate", "pytest_make_collect_report", "pytest_runtest_makereport"]


@pytest.fixture
async def gate(tmp_path: Path) -> AsyncIterator[Gate]:
    """A server of the test's own, over a database that nobody else has."""
    async with open_gate(tmp_path / "plangate.db") as gate:
        yield gate
