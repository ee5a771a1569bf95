"""Hands committed events to the streams of this node."""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from plangate_server.domain.errors import ShuttingDown, SlowConsumer, StreamEnded
from plangate_server.domain.events import Event
from plangate_server.ports import EventFilter

BACKLOG = 1000
"""How many events a stream may lag behind before it is cut off."""


class _Line:
    """One stream's queue. A reader who lags too far is told so; nobody else waits for it."""

    def __init__(self, hub: Hub, workspace: str, which: EventFilter) -> None:
        self._hub = hub
        self._workspace = workspace
        self._which = which
        self._waiting: asyncio.Queue[Event | StreamEnded] = asyncio.Queue()
        self._ended = False

    def put(self, event: Event) -> None:
        if self._ended or not self._which.matches(event):
            return
        if self._waiting.qsize() >= BACKLOG:
            self.end(SlowConsumer())
        else:
            self._waiting.put_nowait(event)

    def end(self, why: StreamEnded) -> None:
        """The reader gets what waits for it, then this; nothing that comes later."""
        if not self._ended:
            self._ended = True
            self._waiting.put_nowait(why)

    async def next(self, patience: float) -> Event | None:
        if self._waiting.empty():
            try:
                async with asyncio.timeout(patience):
                    found = await self._waiting.get()
            except TimeoutError:
                return None
        else:
            found = self._waiting.get_nowait()
        if isinstance(found, StreamEnded):
            raise found
        return found

    def position(self) -> int:
        return self._hub.position(self._workspace) if self._waiting.empty() else 0


class Hub:
    """Lives on the event loop: every method must be called there."""

    def __init__(self) -> None:
        self._lines: defaultdict[tuple[str, str], set[_Line]] = defaultdict(set)
        self._positions: Counter[str] = Counter()
        self._reviewers: Counter[str] = Counter()
        self._closed = False

    @contextmanager
    def follow(self, workspace: str, which: EventFilter, *, reviewer: bool = False) -> Iterator[_Line]:
        # A stream of one plan is kept under the plan, so that an event asks only those it may concern.
        key = (workspace, which.plan_id)
        line = _Line(self, workspace, which)
        self._lines[key].add(line)
        self._reviewers[workspace] += reviewer
        if self._closed:
            line.end(ShuttingDown())
        try:
            yield line
        finally:
            self._reviewers[workspace] -= reviewer
            self._lines[key].discard(line)
            if not self._lines[key]:
                del self._lines[key]

    def publish(self, events: Iterable[Event]) -> None:
        """Events in the order of their numbers, each exactly once."""
        for event in events:
            workspace = event.plan.workspace
            self._positions[workspace] = event.sequence
            for key in ((workspace, event.plan.plan_id), (workspace, "")):
                for line in self._lines.get(key, ()):
                    line.put(event)

    def skip_to(self, workspace: str, sequence: int) -> None:
        """Everything up to this number was committed before this node looked."""
        self._positions[workspace] = sequence

    def position(self, workspace: str) -> int:
        """The number of the last event that was published; 0 if none was since the start."""
        return self._positions[workspace]

    def reviewers_watching(self, workspace: str) -> int:
        return self._reviewers[workspace]

    def close(self) -> None:
        """End every stream, so that its reader goes on elsewhere."""
        self._closed = True
        for lines in self._lines.values():
            for line in lines:
                line.end(ShuttingDown())
