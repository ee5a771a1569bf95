"""What the tests of the client share."""

import pytest

from tests.helpers.fake_gate import FakeGate


@pytest.fixture
def fake() -> FakeGate:
    """A gate that answers as the test says, and a client of it."""
    return FakeGate()
