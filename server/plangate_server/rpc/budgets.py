"""How much of the server one caller may take: calls in a second, and streams at a time.

Streams have a budget of their own, so that watchers never keep a decision out.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, TypeAlias

from plangate_server.domain.errors import RateLimited, TooManyStreams
from plangate_server.domain.identity import Principal
from plangate_server.domain.limits import Limits

BURST_SECONDS: Final = 2
"""Whoever was quiet may make that many seconds' calls at once."""
OPENING: Final = 8
"""So many calls' work it is to open a stream, and to tell it where things stand."""
MOST_BUCKETS: Final = 10_000

Name: TypeAlias = tuple[str, str, str, str]


class Bucket:
    """Fills at its rate, up to a burst, and every call takes one out."""

    __slots__ = ("_burst", "_left", "_rate", "_then")

    def __init__(self, rate: float, now: float, burst: int) -> None:
        self._rate = rate
        self._burst = burst
        self._left = float(burst)
        self._then = now

    def take(self, now: float) -> bool:
        left = min(self._left + (now - self._then) * self._rate, self._burst)
        self._then = now
        self._left = left - 1 if left >= 1 else left
        return left >= 1

    def full(self, now: float) -> bool:
        return self._left + (now - self._then) * self._rate >= self._burst


class Budgets:
    def __init__(self, limits: Limits, clock: Callable[[], float] = time.monotonic) -> None:
        self._limits = limits
        self._clock = clock
        self._calls: dict[Name, Bucket] = {}
        self._openings: dict[Name, Bucket] = {}
        self._streams: Counter[Name] = Counter()

    def call(self, principal: Principal) -> None:
        """Somebody makes a call."""
        self._take(self._calls, principal, self._limits.calls_per_second)

    def opening(self, principal: Principal) -> None:
        """Somebody opens a stream."""
        # One in a second at least, or who waits as told would wait too short.
        self._take(self._openings, principal, max(self._limits.calls_per_second / OPENING, 1))

    @contextmanager
    def stream(self, principal: Principal) -> Iterator[None]:
        """Somebody has a stream open."""
        name = name_of(principal)
        own, all_of_them = self._streams[name], self._streams.total()
        if own >= self._limits.streams_per_principal:
            raise TooManyStreams("streams_per_principal", self._limits.streams_per_principal, own + 1)
        if all_of_them >= self._limits.streams:
            raise TooManyStreams("streams", self._limits.streams, all_of_them + 1)
        self._streams[name] += 1
        try:
            yield
        finally:
            self._streams[name] -= 1
            if not self._streams[name]:
                del self._streams[name]

    def _take(self, buckets: dict[Name, Bucket], principal: Principal, rate: float) -> None:
        now = self._clock()
        name = name_of(principal)
        bucket = buckets.get(name)
        if bucket is None:
            if len(buckets) >= MOST_BUCKETS:
                self._forget_idle(buckets, now)
            bucket = buckets[name] = Bucket(rate, now, self._limits.calls_per_second * BURST_SECONDS)
        if not bucket.take(now):
            raise RateLimited("calls_per_second", self._limits.calls_per_second)

    @staticmethod
    def _forget_idle(buckets: dict[Name, Bucket], now: float) -> None:
        """A full bucket says nothing: whoever comes back gets another."""
        for name in [name for name, bucket in buckets.items() if bucket.full(now)]:
            del buckets[name]


def name_of(principal: Principal) -> Name:
    return principal.workspace, principal.role, principal.name, principal.person
