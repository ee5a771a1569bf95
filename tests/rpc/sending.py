"""The clock by which a server tells for how long a reader has taken nothing."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager


class SendingClock:
    """Stands still, so that no reader is too slow, but for those whom a test lets the time run out for."""

    def __init__(self) -> None:
        self._stands_at: float | None = time.monotonic()

    def monotonic(self) -> float:
        return time.monotonic() if self._stands_at is None else self._stands_at

    @contextmanager
    def going(self) -> Iterator[None]:
        """While the block lasts, a reader that takes nothing is cut off."""
        self._stands_at = None
        try:
            yield
        finally:
            self._stands_at = time.monotonic()
