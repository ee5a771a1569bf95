"""What is counted while somebody waits, and how it is read."""

from math import inf

import pytest

from plangate_server.metrics import CallTally, Distribution


def test_a_value_falls_into_the_buckets_that_hold_it() -> None:
    """Bounds belong to their bucket, each bucket has all that are smaller, and the last has everything."""
    seen = Distribution((1.0, 2.0))
    for value in (0.5, 1.0, 1.5, 9.0):
        seen.observe(value)
    assert list(seen.buckets()) == [(1.0, 2), (2.0, 3), (inf, 4)]
    assert (seen.count, seen.total) == (4, 12.0)


def test_many_of_the_same_value_count_as_many() -> None:
    """A whole batch is counted at once."""
    one_by_one, at_once = Distribution((1.0,)), Distribution((1.0,))
    for _ in range(3):
        one_by_one.observe(0.25)
    at_once.observe(0.25, 3)
    assert list(one_by_one.buckets()) == list(at_once.buckets())
    assert one_by_one.total == pytest.approx(at_once.total)


def test_calls_are_open_until_they_are_finished() -> None:
    """However they end, and each counts once under its status."""
    tally = CallTally((1.0,), ["OK", "INTERNAL"])
    for _ in range(3):
        tally.begun()
    assert tally.open == 3
    for status in ("OK", "CANCELLED", "OK"):
        tally.finished(status, 0.5)
    assert tally.open == 0
    assert tally.by_status() == [("CANCELLED", 1), ("INTERNAL", 0), ("OK", 2)]
    assert tally.seconds.count == 3
