"""Plain numbers that are counted up while somebody waits, and read only when somebody scrapes.

They belong to the event loop, so they need no locks: that makes them several times as cheap as the library's.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from math import inf


class Distribution:
    """How many values were how large."""

    __slots__ = ("_bounds", "_counts", "total")

    def __init__(self, bounds: Sequence[float]) -> None:
        self._bounds = bounds
        self._counts = [0] * (len(bounds) + 1)
        self.total = 0.0

    def observe(self, value: float, times: int = 1) -> None:
        self._counts[bisect_left(self._bounds, value)] += times
        self.total += value * times

    @property
    def count(self) -> int:
        return sum(self._counts)

    def buckets(self) -> Iterator[tuple[float, int]]:
        """How many values were at most so large; the last bound is infinite."""
        return zip((*self._bounds, inf), accumulate(self._counts), strict=True)


class CallTally:
    """The calls of one method."""

    __slots__ = ("_by_status", "open", "seconds")

    def __init__(self, bounds: Sequence[float], statuses: Iterable[str]) -> None:
        self.open = 0
        self._by_status = defaultdict(int, dict.fromkeys(statuses, 0))
        self.seconds = Distribution(bounds)

    def begun(self) -> None:
        self.open += 1

    def finished(self, status: str, seconds: float) -> None:
        self.open -= 1
        self._by_status[status] += 1
        self.seconds.observe(seconds)

    def by_status(self) -> list[tuple[str, int]]:
        return sorted(self._by_status.items())
