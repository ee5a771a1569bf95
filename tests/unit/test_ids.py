"""Ids are version 7 UUIDs without dashes: unique, and in the order in which they were made."""

import itertools
import time
import uuid
from datetime import UTC, datetime

import pytest

from plangate_server.domain.plan import PLAN_ID
from plangate_server.system import SystemClock, TimeOrderedIds


def test_an_id_has_the_shape_of_a_version_7_uuid() -> None:
    """32 lower-case hexadecimal digits, with the version and variant where the standard has them."""
    ids = TimeOrderedIds()
    for made in (ids.new() for _ in range(1000)):
        assert PLAN_ID.fullmatch(made)
        assert uuid.UUID(made).version == 7
        assert uuid.UUID(made).variant == uuid.RFC_4122


def test_ids_grow() -> None:
    """Of ten thousand ids made as fast as possible, each is greater than the one before."""
    ids = TimeOrderedIds()
    made = [ids.new() for _ in range(10_000)]
    assert all(earlier < later for earlier, later in itertools.pairwise(made))


def test_an_id_begins_with_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first 12 digits are the milliseconds since 1970."""
    monkeypatch.setattr(time, "time_ns", lambda: 0x0123456789AB * 1_000_000 + 999_999)
    assert TimeOrderedIds().new().startswith("0123456789ab7")


def test_ids_grow_while_the_clock_stands_still_or_goes_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock that is set back an hour makes no id that sorts before an earlier one."""
    ids = TimeOrderedIds()
    hour = 3600 * 1_000_000_000
    made = []
    for now in (hour * 9, hour * 9, hour * 8, hour * 8, hour * 9):
        monkeypatch.setattr(time, "time_ns", lambda now=now: now)
        made.append(ids.new())
    assert all(earlier < later for earlier, later in itertools.pairwise(made))


def test_two_servers_do_not_make_the_same_ids(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the same millisecond, ids of different processes differ."""
    monkeypatch.setattr(time, "time_ns", lambda: 10**18)
    assert len({TimeOrderedIds().new() for _ in range(1000)}) == 1000


def test_a_secret_does_not_follow_from_anything(monkeypatch: pytest.MonkeyPatch) -> None:
    """It has nothing of the time in it, and none is next to an id or to another secret."""
    monkeypatch.setattr(time, "time_ns", lambda: 10**18)
    ids = TimeOrderedIds()
    made = [number for _ in range(500) for number in (int(ids.new(), 16), int(ids.secret(), 16))]
    assert all(abs(later - earlier) > 1 << 64 for earlier, later in itertools.pairwise(made))


def test_the_clock_tells_the_zone() -> None:
    """Times are in UTC and say so."""
    before, now, after = datetime.now(UTC), SystemClock().now(), datetime.now(UTC)
    assert before <= now <= after
    assert now.tzinfo is UTC
