"""Hands committed events to the streams of this node."""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager

from plangate_server.domain.errors import ShuttingDown, SlowConsumer, StreamEnded
from plangate_server.domain.events import LogEvent
from plangate_server.ports import EventFilter

BACKLOG = 1000
"""How many events a stream may lag behind before it is cut off."""


class _Line:
    """One stream's queue. A reader who lags too far is told so; nobody else waits for it."""

    def __init__(self, hub: Hub, workspace: str, which: EventFilter) -> None:
        self._hub = hub
        self._workspace = workspace
        self._which = which
        self._waiting: deque[LogEvent | StreamEnded] = deque()
        self._reader: asyncio.Future[None] | None = None
        self._deadline = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self._ended = False

    @property
    def length(self) -> int:
        return len(self._waiting)

    def put(self, event: LogEvent) -> None:
        if self._ended or not self._which.matches(event):
            return
        if len(self._waiting) >= BACKLOG:
            self.end(SlowConsumer())
        else:
            self._waiting.append(event)
            self._wake()

    def end(self, why: StreamEnded) -> None:
        """The reader gets what waits for it, then this; nothing that comes later."""
        if not self._ended:
            self._ended = True
            self._waiting.append(why)
            self._wake()

    async def next(self, patience: float) -> LogEvent | None:
        if not self._waiting:
            await self._news(patience)
        found = self._waiting.popleft() if self._waiting else None
        if isinstance(found, StreamEnded):
            raise found
        return found

    def position(self) -> int:
        return 0 if self._waiting else self._hub.position(self._workspace)

    def close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()

    async def _news(self, patience: float) -> None:
        """Wait until something is put, or the time is over."""
        loop = asyncio.get_running_loop()
        self._deadline = loop.time() + patience
        # One timer for many waits: most end early, and to set and cancel one takes as long as the rest.
        if self._timer is None or self._timer.when() > self._deadline:
            self.close()
            self._timer = loop.call_at(self._deadline, self._time_is_over)
        self._reader = loop.create_future()
        try:
            await self._reader
        finally:
            self._reader = None

    def _time_is_over(self) -> None:
        loop = asyncio.get_running_loop()
        if loop.time() < self._deadline:
            self._timer = loop.call_at(self._deadline, self._time_is_over)
        else:
            self._timer = None
            self._wake()

    def _wake(self) -> None:
        if self._reader is not None and not self._reader.done():
            self._reader.set_result(None)


class Hub:
    """Lives on the event loop: every method must be called there."""

    def __init__(self) -> None:
        self._lines: defaultdict[tuple[str, str, str], set[_Line]] = defaultdict(set)
        self._positions: Counter[str] = Counter()
        self._reviewers: Counter[str] = Counter()
        self._elsewhere: Mapping[str, int] = {}
        self.reviewers_changed = asyncio.Event()
        self._closed = False

    @contextmanager
    def follow(self, workspace: str, which: EventFilter, *, reviewer: bool = False) -> Iterator[_Line]:
        # A stream of one plan or session is kept under its id: an event asks only those it may concern.
        key = (workspace, which.plan_id, "" if which.plan_id else which.session_id)
        line = _Line(self, workspace, which)
        self._lines[key].add(line)
        self._count_reviewer(workspace, reviewer)
        if self._closed:
            line.end(ShuttingDown())
        try:
            yield line
        finally:
            line.close()
            self._count_reviewer(workspace, -reviewer)
            self._lines[key].discard(line)
            if not self._lines[key]:
                del self._lines[key]

    def publish(self, events: Iterable[LogEvent]) -> None:
        """Events in the order of their numbers, each exactly once."""
        for event in events:
            workspace = event.workspace
            self._positions[workspace] = event.sequence
            for key in {
                (workspace, event.plan_id, ""),
                (workspace, "", event.session_id),
                (workspace, "", ""),
            }:
                for line in self._lines.get(key, ()):
                    line.put(event)

    def followed(self, workspace: str) -> frozenset[str]:
        """The ids of the plans that streams follow; with the empty id if one follows more than a plan."""
        return frozenset(plan_id for own, plan_id, _ in self._lines if own == workspace)

    def skip_to(self, workspace: str, sequence: int) -> None:
        """Everything up to this number was committed before this node looked."""
        self._positions[workspace] = sequence

    def position(self, workspace: str) -> int:
        """The number of the last event that was published; 0 if none was since the start."""
        return self._positions[workspace]

    def longest_queue(self) -> int:
        """How many events wait for the reader that is furthest behind."""
        return max((line.length for lines in self._lines.values() for line in lines), default=0)

    def reviewers_watching(self, workspace: str) -> int:
        return self._reviewers[workspace] + self._elsewhere.get(workspace, 0)

    def reviewers_here(self) -> Mapping[str, int]:
        """How many reviewers watch each workspace on this node."""
        return +self._reviewers

    def reviewers_elsewhere(self, counts: Mapping[str, int]) -> None:
        """How many watch each workspace on other nodes."""
        self._elsewhere = counts

    def _count_reviewer(self, workspace: str, change: int) -> None:
        if change:
            self._reviewers[workspace] += change
            self.reviewers_changed.set()

    def close(self) -> None:
        """End every stream, so that its reader goes on elsewhere."""
        self._closed = True
        for lines in self._lines.values():
            for line in lines:
                line.end(ShuttingDown())
