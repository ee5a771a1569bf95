"""What the service does by itself, again and again: ends what is overdue, forgets what is too old."""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta
from typing import Final

from plangate_server.domain.errors import Refusal
from plangate_server.domain.limits import KEPT_ENDED
from plangate_server.logs import Log
from plangate_server.ports import World
from plangate_server.usecases.overdue import settle_overdue

tell = Log(__name__)

OVERDUE_SECONDS: Final = 0.5
FORGET_EVERY: Final = timedelta(hours=1)
KEEP_REQUESTS: Final = timedelta(hours=48)


async def keep_house(world: World, keep_events: timedelta | None = None) -> None:
    """Never returns. While the database is away, nothing is due: it tries again."""
    forget_next = world.clock.now()
    while True:
        try:
            await settle_overdue(world)
            if world.clock.now() >= forget_next:
                await _forget(world, world.clock.now(), keep_events)
                forget_next = world.clock.now() + FORGET_EVERY
        except Refusal as refusal:
            tell.warning("housekeeping_waits", "housekeeping has to wait", reason=refusal.reason)
        except Exception as error:
            tell.fault("housekeeping_failed", "housekeeping failed; it will try again", error)
        await asyncio.sleep(OVERDUE_SECONDS)


async def _forget(world: World, now: datetime, keep_events: timedelta | None) -> None:
    before = None if keep_events is None else now - keep_events
    await world.store.forget(events_before=before, requests_before=now - KEEP_REQUESTS)
    await world.store.forget_ended(now - KEPT_ENDED)
