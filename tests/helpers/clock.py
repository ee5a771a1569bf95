"""The clock of a gate in a test: that of the machine, until the test lets time pass."""

from __future__ import annotations

from datetime import datetime, timedelta

from plangate_server.system import SystemClock


class SkippingClock(SystemClock):
    def __init__(self) -> None:
        self._ahead = timedelta()

    def now(self) -> datetime:
        return super().now() + self._ahead

    def skip(self, **span: float) -> None:
        """Let time pass at once: ``skip(hours=2)``."""
        self._ahead += timedelta(**span)
