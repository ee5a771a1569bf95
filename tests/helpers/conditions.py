"""Waits for what nobody announces, like files and sessions of others: looks again until it is there."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

PATIENCE = 30.0
"""Seconds after which something that should have happened long ago has failed."""
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
