"""What all tests share."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from plangate_server import app
from tests.helpers.gate import Gate, open_gate
from tests.helpers.no_skip import pytest_make_collect_report, pytest_runtest_makereport
from tests.helpers.streams import WatchedHub

__all__ = ["gate", "hub", "pytest_make_collect_report", "pytest_runtest_makereport"]


@pytest.fixture
async def hub(monkeypatch: pytest.MonkeyPatch) -> WatchedHub:
    """The hub of the gate."""
    hub = WatchedHub()
    monkeypatch.setattr(app, "Hub", lambda: hub)
    return hub


@pytest.fixture
async def gate(tmp_path: Path, hub: WatchedHub) -> AsyncIterator[Gate]:
    """A server of the test's own, over a database that nobody else has."""
    async with open_gate(tmp_path / "plangate.db") as gate:
        yield gate
