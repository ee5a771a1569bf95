"""Many who watch for approvals, at little cost to the test, and go on where their server left them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from plangate_proto.aiserver.v1.plan_review_service_pb2 import WatchReviewsRequest
from tests.helpers.conditions import eventually
from tests.helpers.gate import Gate
from tests.helpers.refusals import Refused, refused
from tests.helpers.resuming import PLACES, log_of
from tests.helpers.streams import types
from tests.rpc.steps import kinds

APPROVED = "PLAN_APPROVED"


@dataclass(slots=True)
class Watcher:
    cursor: str = ""
    """Where the next stream begins."""
    told: list[str] = field(default_factory=list)
    """The cursors of all approvals that the streams told of."""
    open: bool = False

    async def watch(self, gate: Gate) -> Refused:
        """Until the server ends the stream; what it ends with says where to go on."""
        request = WatchReviewsRequest(cursor=self.cursor, types=kinds(APPROVED))
        refusal = await refused(self._read(gate, request))
        self.open, self.cursor = False, refusal.metadata.get("cursor", self.cursor)
        return refusal

    async def _read(self, gate: Gate, request: WatchReviewsRequest) -> None:
        async for response in gate.reviews.WatchReviews(request):
            self.open = True
            if response.event.type not in PLACES:
                self.told.append(response.event.cursor)


@asynccontextmanager
async def all_watching(
    watchers: Sequence[Watcher], gates: Sequence[Gate]
) -> AsyncIterator[list[asyncio.Task[Refused]]]:
    """All streams, open, on the channels in turn; gives how each will end."""
    ends = [
        asyncio.create_task(watcher.watch(gates[place % len(gates)]))
        for place, watcher in enumerate(watchers)
    ]
    try:
        await eventually(lambda: all(watcher.open for watcher in watchers))
        yield ends
    finally:
        for end in ends:
            end.cancel()
        await asyncio.gather(*ends, return_exceptions=True)


async def until_told(watchers: Sequence[Watcher], count: int) -> None:
    await eventually(lambda: all(len(watcher.told) >= count for watcher in watchers))


async def approvals(gate: Gate) -> list[str]:
    """The cursors of all approvals in the log."""
    return [event.cursor for event in await log_of(gate) if types([event]) == [APPROVED]]
