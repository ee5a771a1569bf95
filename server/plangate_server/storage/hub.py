"""Hands committed events to the streams of this node."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import contextmanager

from plangate_server.domain.errors import ShuttingDown, SlowConsumer, StreamEnded
from plangate_server.domain.events import Event

BACKLOG = 1000
"""How many events a stream may lag behind before it is cut off."""


class _Line:
    """One stream's queue. A reader who lags too far is told so; nobody else waits for it."""

    def __init__(self) -> None:
        self._waiting: asyncio.Queue[Event | StreamEnded] = asyncio.Queue()
        self._ended = False

    def put(self, event: Event) -> None:
        if self._waiting.qsize() >= BACKLOG:
            self.end(SlowConsumer())
        elif not self._ended:
            self._waiting.put_nowait(event)

    def end(self, why: StreamEnded) -> None:
        """The reader gets what waits for it, then this; nothing that comes later."""
        if not self._ended:
            self._ended = True
            self._waiting.put_nowait(why)

    async def __aiter__(self) -> AsyncIterator[Event]:
        while True:
            next_one = await self._waiting.get()
            if isinstance(next_one, StreamEnded):
                raise next_one
            yield next_one


class Hub:
    """Lives on the event loop: every method must be called there."""

    def __init__(self) -> None:
        self._lines: defaultdict[tuple[str, str], set[_Line]] = defaultdict(set)
        self._closed = False

    @contextmanager
    def follow(self, workspace: str, plan_id: str) -> Iterator[_Line]:
        key = (workspace, plan_id)
        line = _Line()
        self._lines[key].add(line)
        if self._closed:
            line.end(ShuttingDown())
        try:
            yield line
        finally:
            self._lines[key].discard(line)
            if not self._lines[key]:
                del self._lines[key]

    def publish(self, events: Iterable[Event]) -> None:
        for event in events:
            for line in self._lines.get((event.plan.workspace, event.plan.plan_id), ()):
                line.put(event)

    def close(self) -> None:
        """End every stream, so that its reader goes on elsewhere."""
        self._closed = True
        for lines in self._lines.values():
            for line in lines:
                line.end(ShuttingDown())
