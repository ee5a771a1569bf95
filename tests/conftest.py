"""What all tests share."""

import os
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from plangate_server import app
from plangate_server.rpc import server
from tests.helpers.certificates import Certificates, make_certificates
from tests.helpers.gate import Gate, open_gate
from tests.helpers.no_skip import pytest_make_collect_report, pytest_runtest_makereport
from tests.helpers.streams import WatchedHub

__all__ = ["certificates", "gate", "hub", "pytest_make_collect_report", "pytest_runtest_makereport"]

# Every gate of the tests, in this process or another, has the same user, and leaves the same tokens for them.
TOKENS = tempfile.TemporaryDirectory(prefix="plangate-tokens-")
os.environ["PLANGATE_TOKEN_DIR"] = TOKENS.name
os.environ["LOGNAME"] = "ada"

# A search path relative to this folder would lead the processes that tests start elsewhere.
if searched := os.environ.get("PYTHONPATH"):
    os.environ["PYTHONPATH"] = os.pathsep.join(
        str(Path(part).resolve()) for part in searched.split(os.pathsep)
    )

# Who calls a gate of a test knows when it stops; nobody else is on the way.
server.QUIET_SECONDS = 0  # type: ignore[misc]


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
async def gate(tmp_path: Path, hub: WatchedHub) -> AsyncIterator[Gate]:
    """A server of the test's own, over a database that nobody else has."""
    async with open_gate(tmp_path / "plangate.db") as gate:
        yield gate
