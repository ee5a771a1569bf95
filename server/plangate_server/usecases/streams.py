"""What every stream does: tell what is, or what came after the cursor, then what happens, without a gap."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence

from msgspec import Struct

from plangate_server.domain.errors import CursorExpired, InvalidCursor, StreamEnded
from plangate_server.domain.events import Event, LogEvent, SessionEvent
from plangate_server.domain.identity import Principal
from plangate_server.domain.review import Review
from plangate_server.ports import EventFilter, Reading, Stream, World
from plangate_server.usecases.paging import call_bytes, read_page

CATCH_UP = 500
"""How many events at most are read at a time when a stream resumes far behind."""

CHECKPOINT_SECONDS = 15.0
"""How long a stream stays silent before it says how far the log has moved on."""


class Moment(Struct, frozen=True):
    """A place in the log: an event, or the news that nothing happened up to here."""

    sequence: int
    event: LogEvent | None = None
    superseded: Review | None = None
    """The review of whoever is told, if the event's is of another author's text, which took its place."""


def start_position(world: World, principal: Principal, cursor: str) -> int:
    return world.store.cursors.decode(principal.workspace, cursor)


async def past(
    world: World, principal: Principal, which: EventFilter, position: int
) -> AsyncGenerator[LogEvent]:
    """Every matching event after the position that is stored by now."""
    workspace = principal.workspace

    def look(reading: Reading) -> tuple[Sequence[LogEvent], bool]:
        def read(after: int, limit: int) -> Sequence[LogEvent]:
            return reading.events(which, after=after, limit=limit)

        if position > reading.last_sequence():
            raise InvalidCursor
        forgotten = reading.forgotten_sequence()
        if position < forgotten:
            raise CursorExpired(world.store.cursors.encode(workspace, forgotten))
        return read_page(read, _held_bytes, position, CATCH_UP)

    more = True
    while more:
        page, more = await world.store.read(workspace, look)
        for event in page:
            yield event
            position = event.sequence


def _held_bytes(event: LogEvent) -> int:
    """About what an event takes while it is held."""
    if isinstance(event, Event):
        content = event.plan.revision.content
        return len(content.plan) + sum(len(todo.content) for todo in content.todos)
    return call_bytes(event.approval) if isinstance(event, SessionEvent) and event.approval else 0


async def next_moment(world: World, principal: Principal, stream: Stream, position: int) -> Moment:
    """The first thing after the position, as it happens; or a checkpoint when nothing does for a while."""
    try:
        while True:
            event = await stream.next(CHECKPOINT_SECONDS)
            reached = event.sequence if event else stream.position()
            if reached > position:
                return Moment(reached, event)
    except StreamEnded as ended:
        ended.metadata["cursor"] = world.store.cursors.encode(principal.workspace, position)
        raise
