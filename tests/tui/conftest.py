"""What the tests of the full screen share."""

from functools import partial

import pytest

from plangate.tui import deciding
from plangate.tui.calm import Calm
from tests.tui.person import Clock


@pytest.fixture
def stillness(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The clock of what must be calm, which stands still; that of the gate goes on."""
    clock = Clock()
    monkeypatch.setattr(deciding, "Calm", partial(Calm, clock))
    return clock
