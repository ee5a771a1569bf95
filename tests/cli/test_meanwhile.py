"""Work that goes on while a person is asked."""

import pytest

from plangate.cli._meanwhile import begun
from tests.helpers.conditions import PATIENCE


def test_whatever_goes_wrong_is_heard_of() -> None:
    """Whoever waits for the result gets the error, of any kind, and does not wait for ever."""

    def work() -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        begun(work).result(PATIENCE)
