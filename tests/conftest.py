"""What all tests share."""

import os
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

import tests.helpers.profiles  # noqa: F401  # registers the profiles before one is chosen
from plangate_server import app
from tests.helpers.certificates import Certificates, make_certificates
from tests.helpers.clock import SkippingClock
from tests.helpers.gate import Gate, open_gate
from tests.helpers.no_skip import pytest_make_collect_report, pytest_runtest_makereport
from tests.helpers.streams import WatchedHub
from tests.helpers.tiers import (
    pytest_addoption,
    pytest_collection_modifyitems,
    pytest_configure,
    pytest_ignore_collect,
    pytest_report_header,
)

__all__ = [
    "certificates",
    "clock",
    "gate",
    "hub",
    "pytest_addoption",
    "pytest_collection_modifyitems",
    "pytest_configure",
    "pytest_ignore_collect",
    "pytest_make_collect_report",
    "pytest_report_header",
    "pytest_runtest_makereport",
]

# Every gate of the tests, in this process or another, has the same user, and leaves the same tokens for them.
TOKENS = tempfile.TemporaryDirectory(prefix="plangate-tokens-")
os.environ["PLANGATE_TOKEN_DIR"] = TOKENS.name
os.environ["LOGNAME"] = "ada"

# A search path relative to this folder would lead the processes that tests start elsewhere.
if searched := os.environ.get("PYTHONPATH"):
    os.environ["PYTHONPATH"] = os.pathsep.join(
        str(Path(part).resolve()) for part in searched.split(os.pathsep)
    )


@pytest.fixture(scope="session")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    """Every sort of certificate, good and bad."""
    return make_certificates(tmp_path_factory.mktemp("certificates"))


@pytest.fixture
async def hub(monkeypatch: pytest.MonkeyPatch) -> WatchedHub:
    """The hub of the gate."""
    hub = WatchedHub()
    monkeypatch.setattr(app, "Hub", lambda: hub)
    return hub


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> SkippingClock:
    """The clock of the gate."""
    clock = SkippingClock()
    monkeypatch.setattr(app, "SystemClock", lambda: clock)
    return clock


@pytest.fixture
async def gate(tmp_path: Path, hub: WatchedHub, clock: SkippingClock) -> AsyncIterator[Gate]:
    """A server of the test's own, over a database that nobody else has."""
    async with open_gate(tmp_path / "plangate.db") as gate:
        yield gate
