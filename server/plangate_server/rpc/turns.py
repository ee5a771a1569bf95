"""Whose call is worked on next.

Everything runs on one event loop, so of a caller who sends very much at once only some is worked on at a
time; the rest waits in a line of its own, in which nobody else stands. A call that waits costs next to
nothing.
"""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Hashable
from typing import Final, TypeAlias

from msgspec import Struct

LONG_SECONDS: Final = 0.1
"""A call that takes longer waits for something itself, and no longer keeps the next of its line waiting."""
RUN: Final = 128
"""The weight that begins one after the other before it is looked whether more comes than can be worked on.
gRPC hands over calls one by one, at most one in each round of the event loop, and those of others stand among
them: only when none is begun for a moment does it show how many there are.
"""
QUIET_SECONDS: Final = 0.005
"""Whoever sends nothing for so long has nothing on its way."""
SLOW: Final = 1
"""The weight that begins of a line at a look, while more comes than was begun at the last."""
FEW: Final = 64
LATE_SECONDS: Final = 0.001
"""A look that comes later says nothing of a line that is longer than a few: the process was kept waiting."""
MOST_LINES: Final = 1000
"""When there are so many, those without a call are forgotten."""


class Pace(Struct, frozen=True):
    at_once: int
    """How much of one line is worked on at a time: a call counts as its weight."""
    waiting: int
    """How many calls wait in one line."""
    all_waiting: int
    """And in all of them."""
    per_second: int = 0
    """How many calls of all lines together begin in a second; 0 for as many as there are."""
    seconds: float = 0.002
    """How often lines are looked at."""


class Turn:
    """A call that is worked on, until it ends or says that it only waits from now on."""

    __slots__ = ("_line", "since", "weight")

    def __init__(self, line: Line, weight: int, since: float) -> None:
        self._line: Line | None = line
        self.weight = weight
        self.since = since

    def end(self) -> None:
        """Once is enough, and more does no harm."""
        line, self._line = self._line, None
        if line is not None:
            line.leave(self)


Waiting: TypeAlias = "tuple[asyncio.Future[Turn], int]"


class Waiters:
    """The calls that wait in a line. Its parts, such as the connections from one address, take turns."""

    __slots__ = ("_count", "_parts")

    def __init__(self) -> None:
        self._parts: OrderedDict[Hashable, deque[Waiting]] = OrderedDict()
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def of(self, part: Hashable) -> int:
        return len(self._parts.get(part, ()))

    @property
    def longest(self) -> int:
        return max(map(len, self._parts.values()), default=0)

    def append(self, part: Hashable, call: Waiting) -> None:
        self._parts.setdefault(part, deque()).append(call)
        self._count += 1

    def popleft(self) -> Waiting:
        """The first of the part whose turn it is."""
        part, calls = self._parts.popitem(last=False)
        call = calls.popleft()
        if calls:
            self._parts[part] = calls
        self._count -= 1
        return call

    def drop(self) -> None:
        """Refuse the last of the longest part, which has another before it."""
        future, _ = max(self._parts.values(), key=len).pop()
        self._count -= 1
        if not future.done():  # but given up
            future.set_exception(LineFull())


class Line:
    """The calls of one caller: those that are worked on, and those that wait."""

    __slots__ = (
        "_arrived",
        "_at_work",
        "_begun",
        "_last",
        "_pace",
        "_run",
        "_working",
        "name",
        "share",
        "waiting",
    )

    def __init__(self, pace: Pace, name: Hashable) -> None:
        self._pace = pace
        self._working: dict[Turn, None] = {}
        self._at_work = 0
        self._run = 0
        self._arrived = 0
        self._begun = 0
        self._last = 0.0
        self.name = name
        self.waiting = Waiters()
        self.share = 0
        """The weight that may still begin at this look."""

    @property
    def has_room(self) -> bool:
        return self._at_work < self._pace.at_once

    @property
    def is_empty(self) -> bool:
        return not self._working and not self.waiting

    def arrive(self, now: float) -> bool:
        """A call has come; says whether it may begin at once."""
        if now - self._last >= QUIET_SECONDS:
            self._run = 0
        self._last = now
        self._arrived += 1
        return not self.waiting and self.has_room and self._run < RUN

    def begin(self, weight: int, now: float) -> Turn:
        turn = Turn(self, weight, now)
        self._working[turn] = None
        self._at_work += weight
        self._run += weight
        self._begun += 1
        self.share -= weight
        return turn

    def leave(self, turn: Turn) -> None:
        del self._working[turn]
        self._at_work -= turn.weight

    def wait(self, weight: int, part: Hashable) -> asyncio.Future[Turn]:
        future: asyncio.Future[Turn] = asyncio.get_running_loop().create_future()
        self.waiting.append(part, (future, weight))
        return future

    def look(self, now: float, *, is_late: bool) -> None:
        """Find out how much may begin: little, as long as more may be on its way than begins."""
        while self._working and now - (first := next(iter(self._working))).since >= LONG_SECONDS:
            first.end()
        # One that waits here is the next of somebody who does one thing after the other.
        is_flood = self._arrived > self._begun + 1 or (is_late and len(self.waiting) > FEW)
        self.share = SLOW if is_flood else self._pace.at_once
        if not is_flood:
            self._run = 0
        self._arrived = self._begun = 0


class LineFull(Exception):
    """No more calls can wait."""


class Turns:
    def __init__(self, pace: Pace, clock: Callable[[], float] = time.monotonic) -> None:
        self._pace = pace
        self._clock = clock
        self._lines: dict[Hashable, Line] = {}
        self._waiting = 0
        self._begun = 0
        self._looked = self._due = clock()
        self._most_lines = MOST_LINES
        self._timer: asyncio.TimerHandle | None = None

    async def take(self, name: Hashable, weight: int = 1, part: Hashable = None) -> Turn:
        """Wait for the turn of a call, in a part of the line of that name. LineFull, if too many wait;
        whoever has few that wait gets the place of one of those who have most.
        """
        line = self._lines.get(name) or self._new_line(name)
        now = self._clock()
        if line.arrive(now) and self._may_begin(now):
            self._begun += 1
            return line.begin(weight, now)
        self._make_room(line, part)
        future = line.wait(weight, part)
        self._waiting += 1
        self._look_later()
        try:
            return await future
        except asyncio.CancelledError:
            if future.done() and not future.cancelled():
                future.result().end()
            raise

    def _make_room(self, line: Line, part: Hashable) -> None:
        """For one more call, at the cost of those who have most that wait. LineFull, if it is one of them."""
        if len(line.waiting) >= self._pace.waiting:
            crowded = line
        elif self._waiting >= self._pace.all_waiting:
            crowded = max(self._lines.values(), key=lambda each: each.waiting.longest)
        else:
            return
        if crowded.waiting.longest <= line.waiting.of(part) + 1:
            raise LineFull
        crowded.waiting.drop()
        self._waiting -= 1

    def _new_line(self, name: Hashable) -> Line:
        if len(self._lines) >= self._most_lines:
            self._lines = {name: line for name, line in self._lines.items() if not line.is_empty}
            self._most_lines = max(MOST_LINES, 2 * len(self._lines))
        line = self._lines[name] = Line(self._pace, name)
        return line

    def _may_begin(self, now: float) -> bool:
        """Whether the pace of all lines together has room."""
        if not self._pace.per_second:
            return True
        if self._timer is None and now - self._looked >= self._pace.seconds:
            self._looked, self._begun = now, 0
        return self._begun < self._pace.per_second * self._pace.seconds

    def _look_later(self) -> None:
        if self._timer is None:
            self._due = self._clock() + self._pace.seconds
            self._timer = asyncio.get_running_loop().call_later(self._pace.seconds, self._look)

    def _look(self) -> None:
        """Let those begin whose turn it is: one of each line, and again, while there is room."""
        now = self._looked = self._clock()
        self._begun = 0
        lines = [line for line in self._lines.values() if line.waiting]
        for line in lines:
            line.look(now, is_late=now - self._due > LATE_SECONDS)
        while lines and self._may_begin(now):
            lines = [line for line in lines if line.share > 0 and self._next_of(line, now)]
        # When what has begun has had its first go: until the next look, calls can arrive.
        asyncio.get_running_loop().call_soon(self._again)

    def _again(self) -> None:
        self._timer = None
        if self._waiting:
            self._look_later()

    def _next_of(self, line: Line, now: float) -> bool:
        """Let the first of a line begin, if there is room; says whether one did."""
        while line.waiting and line.has_room and self._may_begin(now):
            future, weight = line.waiting.popleft()
            self._waiting -= 1
            if not future.done():  # but given up
                self._begun += 1
                future.set_result(line.begin(weight, now))
                self._lines[line.name] = self._lines.pop(line.name)  # the others come first next time
                return True
        return False
