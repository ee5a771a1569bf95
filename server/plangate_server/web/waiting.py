"""How much waits for people, asked of the database at most once a second, however many want to know."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Final

from plangate_server.domain.errors import StoreUnavailable
from plangate_server.logs import Log
from plangate_server.ports import Waiting

tell = Log(__name__)

FRESH_SECONDS: Final = 1.0
PATIENCE_SECONDS: Final = 2.0
"""A scrape that takes longer is given up by whoever scrapes, with all that it has beside this."""


class WaitingNow:
    def __init__(
        self, look: Callable[[], Awaitable[Waiting]], now: Callable[[], float] = time.monotonic
    ) -> None:
        self._look = look
        self._now = now
        self._known: Waiting | None = None
        self._fresh_until = float("-inf")
        self._looking: asyncio.Task[None] | None = None

    def reviews(self) -> int | None:
        """As of the last refresh; None if it could not be found out."""
        return self._known.reviews if self._known else None

    def calls(self) -> int | None:
        return self._known.calls if self._known else None

    async def refresh(self) -> None:
        """Look, unless that was done just now. Whoever asks while a look is under way shares it."""
        if self._now() < self._fresh_until:
            return
        if self._looking is None:
            self._looking = asyncio.create_task(self._look_again())
        _, still_looking = await asyncio.wait({self._looking}, timeout=PATIENCE_SECONDS)
        if still_looking:
            self._known = None  # what was true before need not be true now

    async def _look_again(self) -> None:
        try:
            self._known = await self._look()
        except StoreUnavailable:
            self._known = None
        except Exception as error:
            self._known = None
            tell.fault("waiting_failed", "what waits for people could not be counted", error)
        finally:
            self._fresh_until = self._now() + FRESH_SECONDS
            self._looking = None
