"""What the tests of the contract share."""

import pytest

from plangate_server.storage import postgres
from tests.helpers.conditions import PATIENCE
from tests.helpers.postgres import stop_shared_server

__all__ = ["stop_shared_server"]


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A store gives up neither a database nor the log's lock because the machine or its disk is busy."""
    monkeypatch.setattr(postgres, "LOCK_SECONDS", round(PATIENCE))
    monkeypatch.setitem(postgres.LINE, "connect_timeout", round(PATIENCE))
