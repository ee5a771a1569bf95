"""One plan after the other, and when it is there: on a gRPC stream, on a page's stream, in a browser."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field
from typing import Final

from bench import steps
from bench.browser import Desk
from bench.call import Answer
from bench.live import PATIENCE_SECONDS, Listener
from bench.measurements import methods
from bench.plan import create_request
from bench.wire import Connection
from plangate_proto.aiserver.v1.plan_review_service_pb2 import WatchReviewsRequest

GRPC: Final = "WatchReviews over gRPC"
STREAM: Final = "the page's stream"
THERE: Final = "the row, in the page"
DRAWN: Final = "the row, drawn"
WATCHERS: Final = (GRPC, STREAM, THERE, DRAWN)


class Watch(Answer):
    """A WatchReviews stream, and when it told of each plan first."""

    def __init__(self, connection: Connection) -> None:
        super().__init__(methods.WATCH_REVIEWS)
        self._told: list[tuple[float, bytes]] = []
        self._more = asyncio.Event()
        connection.begin(self, methods.WATCH_REVIEWS, WatchReviewsRequest().SerializeToString())

    def message(self, message: bytes) -> None:
        self._told.append((time.time(), message))
        self._more.set()

    def end(self, problem: Exception | None) -> None:
        """Whoever waits for a message notices that none comes."""

    async def heard(self, words: bytes) -> float:
        """When it told of them; what was told before is forgotten."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            while True:
                for when, message in self._told:
                    if words in message:
                        self._told.clear()
                        return when
                self._more.clear()
                await self._more.wait()


@dataclass(slots=True)
class Arrivals:
    """Seconds from the call that made a plan, and from its answer, to each watcher."""

    answered: list[float] = field(default_factory=list)
    from_call: dict[str, list[float]] = field(default_factory=lambda: {name: [] for name in WATCHERS})
    from_answer: dict[str, list[float]] = field(default_factory=lambda: {name: [] for name in WATCHERS})


async def arrivals(creator: Connection, watch: Watch, page: Listener, desk: Desk, plans: int) -> Arrivals:
    seen = Arrivals()
    for _ in range(plans):
        begun = time.time()
        plan = await steps.create(creator, create_request())
        answered = time.time()
        row = await desk.sees(plan.plan_id)
        plan_id = plan.plan_id.encode()
        heard = (await watch.heard(plan_id), await page.heard(plan_id))
        told = dict(zip(WATCHERS, (*heard, row.there, row.drawn), strict=True))
        seen.answered.append(answered - begun)
        for name, when in told.items():
            seen.from_call[name].append(when - begun)
            seen.from_answer[name].append(when - answered)
        await steps.approve(creator, plan)
    return seen
