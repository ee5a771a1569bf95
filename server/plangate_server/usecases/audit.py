"""ListEvents and VerifyAudit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from msgspec import Struct

from plangate_server.domain.audit import Link, Verdict, Verifier
from plangate_server.domain.errors import CursorExpired, InvalidCursor
from plangate_server.domain.events import LogEvent
from plangate_server.ports import EventFilter, Principal, Reading, World
from plangate_server.usecases.paging import CHUNK, PAGE_BYTES, checked_size, event_bytes
from plangate_server.usecases.streams import start_position

STRIDE = 1000


class AuditPage(Struct, frozen=True):
    events: Sequence[LogEvent]
    links: Mapping[int, Link]
    previous: dict[int, str]
    """The hash of the entry before each."""
    position: int


async def list_events(
    world: World, principal: Principal, which: EventFilter, cursor: str, page_size: int
) -> AuditPage:
    """A page of the log, oldest first, with each entry's place in the chain."""
    size = checked_size(page_size)
    start = start_position(world, principal, cursor) if cursor else None

    def look(reading: Reading) -> AuditPage:
        forgotten = reading.forgotten_sequence()
        after = forgotten if start is None else start
        if after > reading.last_sequence():
            raise InvalidCursor
        if after < forgotten:
            raise CursorExpired(world.store.cursors.encode(principal.workspace, forgotten))
        found = _page(reading, which, after, size)
        numbers = [event.sequence for event in found]
        links = reading.links_at({*numbers, *(number - 1 for number in numbers)})
        previous = {number: links[number - 1].hash if number > 1 else "" for number in numbers}
        return AuditPage(found, links, previous, numbers[-1] if numbers else after)

    return await world.store.read(principal.workspace, look)


def _page(reading: Reading, which: EventFilter, after: int, size: int) -> list[LogEvent]:
    """As many as were asked for and as fit into one message."""
    page: list[LogEvent] = []
    room = PAGE_BYTES
    while len(page) < size and (
        found := reading.events(which, after=after, limit=min(CHUNK, size - len(page)))
    ):
        for event in found:
            room -= event_bytes(event)
            if page and room < 0:
                return page
            page.append(event)
        after = found[-1].sequence
    return page


async def verify_audit(
    world: World, principal: Principal, expected_sequence: int, expected_hash: str
) -> Verdict:
    """Follow the whole chain; a few entries at a time, so that nobody waits for it."""
    verifier = Verifier((expected_sequence, expected_hash) if expected_sequence else None)
    after = 0
    while verifier.bad is None:
        links = await world.store.read(principal.workspace, partial(_stride, after))
        if not links:
            break
        verifier.follow(links)
        after = links[-1].entry.sequence
    return verifier.verdict()


def _stride(after: int, reading: Reading) -> Sequence[Link]:
    return reading.links(after=after, limit=STRIDE)
