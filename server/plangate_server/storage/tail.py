"""Follows the log for the streams of this node, whoever wrote to it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Final

from plangate_server.domain.errors import StoreUnavailable
from plangate_server.domain.events import LogEvent
from plangate_server.logs import Log
from plangate_server.metrics import Metrics
from plangate_server.storage.hub import Hub
from plangate_server.storage.jobs import Committed
from plangate_server.storage.measuring import observe_lag
from plangate_server.storage.sql import SqlStore

tell = Log(__name__)

PAGE: Final = 500
CANCEL_SECONDS: Final = 0.5
RETRY_SECONDS: Final = 1.0


class Tail:
    """Publishes every event once and in order: this node's own at once where nothing lies between, all
    others as they are read from the table.
    """

    def __init__(self, hub: Hub, poll_seconds: float | None, metrics: Metrics) -> None:
        self._hub = hub
        self._lag = metrics.event_lag_seconds
        self._poll_seconds = poll_seconds
        self._news = asyncio.Event()

    def committed(self, committed: Committed) -> bool:
        """This node has committed something; gives whether all of it was published at once."""
        gap = committed.in_doubt
        for workspace, group in groupby(committed.events, key=lambda event: event.workspace):
            told = list(group)
            if told[0].sequence == self._hub.position(workspace) + 1:
                self._hub.publish(told)
                self._lag.observe(time.monotonic() - committed.at, len(told))
            else:
                gap = True
        if gap:
            self.look_again()
        return not gap

    def look_again(self) -> None:
        """Something may have been committed elsewhere."""
        self._news.set()

    async def begin(self, store: SqlStore) -> None:
        """Start from the ends of the logs as they are now."""
        for workspace, last in (await store.heads()).items():
            self._hub.skip_to(workspace, last)

    async def run(self, store: SqlStore) -> None:
        """Never returns. Looks when told to, and by itself now and then."""
        while True:
            try:
                async with asyncio.timeout(self._poll_seconds):
                    await self._news.wait()
            except TimeoutError:
                tell.debug("no_news", "no news: looking all the same")
            self._news.clear()
            try:
                await self._catch_up(store)
            except StoreUnavailable:
                tell.warning("streams_wait", "the database cannot be reached: streams wait")
                await self._try_again()
            except Exception as error:
                tell.fault("tail_failed", "the log could not be followed; it is tried again", error)
                await self._try_again()

    async def _try_again(self) -> None:
        await asyncio.sleep(RETRY_SECONDS)
        self._news.set()

    async def _catch_up(self, store: SqlStore) -> None:
        for workspace, last in (await store.heads()).items():
            while (position := self._hub.position(workspace)) < last:
                followed = self._hub.followed(workspace)
                page = await _page(store, workspace, (position, last), followed)
                # Some may have been published while the table was read.
                told = [e for e in page if e.sequence > self._hub.position(workspace)]
                self._hub.publish(told)
                observe_lag(self._lag, told)
                if len(page) < PAGE and self._hub.position(workspace) < last:
                    self._hub.skip_to(workspace, last)  # the rest is nobody's, or was forgotten


async def _page(
    store: SqlStore, workspace: str, between: tuple[int, int], followed: frozenset[str]
) -> Sequence[LogEvent]:
    """The next events of followed plans, up to where the log was known to end before that was asked: whoever
    begins to follow a plan now reads the store afterwards, and sees so far.
    """
    if not followed:
        return ()
    plan_ids = () if "" in followed else followed
    return await store.events_of(workspace, plan_ids, between, PAGE)


async def stop(tasks: Iterable[asyncio.Task[None]]) -> None:
    """End the tasks. The driver waits in a way that can lose a cancellation, so it is said again."""
    running = set(tasks)
    while running:
        for task in running:
            task.cancel()
        _, running = await asyncio.wait(running, timeout=CANCEL_SECONDS)
