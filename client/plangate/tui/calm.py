"""A moment of calm after what is under the eyes has changed: nobody decides about what they have not seen."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

CALM_SECONDS: Final = 1.0
"""Longer than keyboards wait until a key that is held down repeats."""
GLANCE: Final = 0.05
"""Seconds after it is calm until the choices are offered."""
NEW: Final = "one moment: this is new"


class Calm:
    """A key that comes too early begins the moment anew, so that a key held down never decides."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._since = now()

    def disturb(self) -> None:
        self._since = self._now()

    def left(self) -> float:
        """Seconds until it is calm; 0 if it is."""
        return max(self._since + CALM_SECONDS - self._now(), 0.0)
