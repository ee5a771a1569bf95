"""Many WatchReviews streams at once, at the least cost: their messages are counted and hardly looked at."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Final

from bench.call import Answer
from bench.measurements import methods
from bench.wire import Connection, connected
from plangate_proto.aiserver.v1.plan_review_service_pb2 import WatchReviewsRequest

EVENTS: Final = 2
"""How many messages each watcher gets for a plan: it was created, and people are asked about it."""
PATIENCE_SECONDS: Final = 120
_WATCH: Final = WatchReviewsRequest().SerializeToString()


class _Watcher(Answer):
    def __init__(self, crowd: Crowd) -> None:
        super().__init__(methods.WATCH_REVIEWS)
        self._crowd = crowd
        self.count = 0
        self.last = b""

    def message(self, message: bytes) -> None:
        self.count += 1
        self.last = message
        self._crowd.more()

    def end(self, problem: Exception | None) -> None:
        self._crowd.broke(problem or RuntimeError("the stream of a watcher ended"))


class Crowd:
    """The watchers, and how many messages they have had together."""

    def __init__(self) -> None:
        self._watchers: list[_Watcher] = []
        self._wanted: dict[int, asyncio.Event] = {}
        self._next = 0
        self._problem: Exception | None = None
        self.arrived = 0

    def join(self, connection: Connection) -> None:
        watcher = _Watcher(self)
        self._watchers.append(watcher)
        connection.begin(watcher, methods.WATCH_REVIEWS, _WATCH)

    def plans(self, number: int) -> int:
        """How many messages that many plans are to all watchers together."""
        return number * EVENTS * len(self._watchers)

    async def reach(self, total: int) -> None:
        """Wait until so many messages have arrived in all."""
        if self._problem is None and self.arrived < total:
            enough = self._wanted.setdefault(total, asyncio.Event())
            self._next = min(self._wanted)
            async with asyncio.timeout(PATIENCE_SECONDS):
                await enough.wait()
        if self._problem is not None:
            raise self._problem

    def check(self) -> None:
        """All streams carry the same: the same number of messages, and the same one last."""
        if len({(watcher.count, watcher.last) for watcher in self._watchers}) != 1:
            raise RuntimeError("not every watcher was told the same")

    def more(self) -> None:
        self.arrived += 1
        if self.arrived == self._next:
            self._wanted.pop(self._next).set()
            self._next = min(self._wanted, default=0)

    def broke(self, problem: Exception) -> None:
        self._problem = problem
        for enough in self._wanted.values():
            enough.set()


@asynccontextmanager
async def watching(address: str, watchers: int, *, per_connection: int) -> AsyncIterator[Crowd]:
    """Open that many streams; each has had its first message, the CHECKPOINT."""
    async with AsyncExitStack() as stack:
        crowd = Crowd()
        for first in range(0, watchers, per_connection):
            connection = await stack.enter_async_context(connected(address))
            up_to = min(first + per_connection, watchers)
            for _ in range(first, up_to):
                crowd.join(connection)
            await crowd.reach(up_to)
        yield crowd
