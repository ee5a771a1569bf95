"""Waits for what nobody announces, like files and sessions of others: looks again until it is there."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

PATIENCE = 300.0
"""Seconds that only a hang exceeds, however busy the machine is: nothing that works comes near it."""
GLANCE = 0.002
"""Seconds between two looks."""


async def eventually(holds: Callable[[], bool]) -> None:
    """Return as soon as the condition holds, which may block."""
    await asyncio.to_thread(look_until, holds)


def look_until(holds: Callable[[], bool]) -> None:
    """The same for tests that have no event loop."""
    end = time.monotonic() + PATIENCE
    while not holds():
        if time.monotonic() > end:
            raise TimeoutError
        time.sleep(GLANCE)
