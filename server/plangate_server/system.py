"""The clock and the ids of a real machine."""

from __future__ import annotations

import secrets
import time
from datetime import UTC, datetime


class SystemClock:
    def now(self) -> datetime:
        return datetime.now(UTC)


class TimeOrderedIds:
    """Version 7 UUIDs without dashes: they sort by the time they were made, also within a millisecond."""

    def __init__(self) -> None:
        self._last = 0

    def new(self) -> str:
        milliseconds = time.time_ns() // 1_000_000
        random = secrets.randbits(74)
        fresh = milliseconds << 80 | 7 << 76 | (random >> 62) << 64 | 2 << 62 | random & (1 << 62) - 1
        self._last = max(fresh, self._last + 1)
        return f"{self._last:032x}"

    def secret(self) -> str:
        return secrets.token_hex(16)
