"""Readers that go on elsewhere when their node is gone, and what they have seen."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import grpc

from plangate_proto.agent.v1.review_event_pb2 import ReviewEvent, ReviewEventType
from plangate_proto.aiserver.v1.plan_review_service_pb2 import ListEventsRequest
from tests.helpers.gate import Gate

PLACES = {ReviewEventType.REVIEW_EVENT_TYPE_SNAPSHOT, ReviewEventType.REVIEW_EVENT_TYPE_CHECKPOINT}
"""Events that say where a stream stands, and are not in the log."""

OpenStream = Callable[[Gate, str], Any]
"""Opens a stream on a node, behind a cursor."""


@dataclass(slots=True)
class Reader:
    """Everything that a stream has told, and the cursor from which it goes on."""

    open: OpenStream
    cursor: str = ""
    events: list[ReviewEvent] = field(default_factory=list)
    moved: asyncio.Condition = field(default_factory=asyncio.Condition)

    async def read(self, nodes: Iterable[Gate]) -> None:
        """Read from one node after the other, each until it is gone."""
        for node in nodes:
            try:
                async for response in self.open(node, self.cursor):
                    await self._take(response.event)
            except grpc.aio.AioRpcError as error:
                if error.code() is not grpc.StatusCode.UNAVAILABLE:
                    raise

    async def until_told(self, count: int) -> None:
        """Wait until so many events were told."""
        async with self.moved:
            await self.moved.wait_for(lambda: len(self.events) >= count)

    async def until_open(self) -> None:
        """Wait until the stream has said where it stands."""
        async with self.moved:
            await self.moved.wait_for(lambda: bool(self.cursor))

    async def _take(self, event: ReviewEvent) -> None:
        async with self.moved:
            self.cursor = event.cursor or self.cursor
            if event.type not in PLACES:
                self.events.append(event)
            self.moved.notify_all()


async def log_of(gate: Gate, plan_uri: str = "") -> list[ReviewEvent]:
    """Every event of the log, or of one plan, oldest first."""
    events: list[ReviewEvent] = []
    cursor = ""
    while True:
        request = ListEventsRequest(plan_uri=plan_uri, cursor=cursor, page_size=1000)
        page = await gate.reviews.ListEvents(request)
        if not page.entries:
            return events
        events += [entry.event for entry in page.entries]
        cursor = page.next_cursor
