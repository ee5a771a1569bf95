"""What the tests over a socket share."""

from collections.abc import AsyncIterator

import pytest

from plangate_server.rpc import running
from tests.helpers.gate import Gate, open_gate
from tests.helpers.postgres import stop_shared_server
from tests.rpc.sending import SendingClock

__all__ = ["stop_shared_server"]


@pytest.fixture(scope="module")
async def empty_gate(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Gate]:
    """A gate for the rows of a table, in which no row may leave anything behind."""
    async with open_gate(tmp_path_factory.mktemp("empty") / "plangate.db") as gate:
        yield gate


@pytest.fixture
def sending_clock(monkeypatch: pytest.MonkeyPatch) -> SendingClock:
    """The clock of every gate that is opened after it: slow readers are cut off only while it goes."""
    clock = SendingClock()
    monkeypatch.setattr(running, "time", clock)
    monkeypatch.setattr(running, "SEND_SECONDS", 0.2)
    return clock
