"""ListEvents and VerifyAudit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final

from msgspec import Struct

from plangate_server.domain.audit import Link, Verdict, Verifier, canonical
from plangate_server.domain.errors import CursorExpired, InvalidCursor, InvalidField, MissingField
from plangate_server.domain.events import LogEvent
from plangate_server.domain.identity import Principal
from plangate_server.domain.limits import MIB, check_id
from plangate_server.ports import EventFilter, Reading, World
from plangate_server.usecases.paging import CHUNK, checked_size, event_bytes, read_page
from plangate_server.usecases.streams import start_position

STRIDE: Final = 100
"""How many entries are followed at one go, and how many bytes of them."""
STRIDE_BYTES: Final = 4 * MIB
FRAME: Final = 256
"""Bytes of an entry's message beside what it says: numbers, hashes."""


class AuditPage(Struct, frozen=True):
    events: Sequence[LogEvent]
    links: Mapping[int, Link]
    previous: dict[int, str]
    """The hash of the entry before each; empty if it is not there."""
    position: int


class ChainPage(Struct, frozen=True):
    links: Sequence[Link]
    previous: str
    """The hash of the entry before the first."""
    forgotten: int
    """The newest entry whose content retention has removed."""
    position: int


async def list_events(
    world: World,
    principal: Principal,
    which: EventFilter,
    cursor: str,
    page_size: int,
    *,
    newest_first: bool = False,
) -> AuditPage:
    """A page of the log with each entry's place in the chain."""
    check_id("session_id", which.session_id)
    size = checked_size(page_size, world.limits)
    start = start_position(world, principal, cursor) if cursor else None

    def look(reading: Reading) -> AuditPage:
        forgotten, last = reading.forgotten_sequence(), reading.last_sequence()
        if start is not None and start > last:
            raise InvalidCursor
        if newest_first:
            at = last + 1 if start is None else start
            found, _ = read_page(partial(_events_before, reading, which), event_bytes, at, size)
        else:
            at = forgotten if start is None else start
            if at < forgotten:
                raise CursorExpired(world.store.cursors.encode(principal.workspace, forgotten))
            found, _ = read_page(partial(_events_after, reading, which), event_bytes, at, size)
        return _with_links(reading, found, min(at, last))

    return await world.store.read(principal.workspace, look)


def _with_links(reading: Reading, found: Sequence[LogEvent], position: int) -> AuditPage:
    """The page, whose position is as given if there is nothing on it."""
    numbers = [event.sequence for event in found]
    links = reading.links_at({*numbers, *(number - 1 for number in numbers)})
    previous = {number: _hash_at(links, number - 1) for number in numbers}
    return AuditPage(found, links, previous, numbers[-1] if numbers else position)


async def read_chain(world: World, principal: Principal, cursor: str, page_size: int) -> ChainPage:
    """A page of the chain itself, from its first entry on: with what was removed, and as it is stored."""
    size = checked_size(page_size, world.limits)
    after = start_position(world, principal, cursor) if cursor else 0

    def look(reading: Reading) -> ChainPage:
        # Somebody may have moved an entry beyond the end; then that is what there is to show.
        if after > reading.last_sequence() and not reading.links_at({after}):
            raise InvalidCursor
        found, _ = read_page(partial(_links_after, reading), _link_bytes, after, size)
        position = found[-1].sequence if found else after
        before = found[0].sequence - 1 if found else 0
        previous = _hash_at(reading.links_at({before}), before)
        return ChainPage(found, previous, reading.forgotten_sequence(), position)

    return await world.store.read(principal.workspace, look)


def _events_after(reading: Reading, which: EventFilter, after: int, limit: int) -> Sequence[LogEvent]:
    return reading.events(which, after=after, limit=limit)


def _events_before(reading: Reading, which: EventFilter, before: int, limit: int) -> Sequence[LogEvent]:
    return reading.events_before(which, before=before, limit=limit)


def _links_after(reading: Reading, after: int, limit: int) -> Sequence[Link]:
    return reading.links(after=after, limit=limit)


def _link_bytes(link: Link) -> int:
    return FRAME + len(canonical(link.entry)) + len(link.body or b"")


def _hash_at(links: Mapping[int, Link], number: int) -> str:
    """Of a log that was tampered with, too, where an entry may be gone."""
    return links[number].hash if number in links else ""


async def verify_audit(
    world: World, principal: Principal, expected_sequence: int, expected_hash: str
) -> Verdict:
    """Follow the whole chain; a few entries at a time, so that nobody waits for it."""
    verifier = Verifier(_saved_head(expected_sequence, expected_hash))
    more = True
    while more and verifier.bad is None:
        more = await world.store.read(principal.workspace, partial(_stride, verifier))
    return verifier.verdict()


def _saved_head(sequence: int, head_hash: str) -> tuple[int, str] | None:
    """The head to look for, if one is named; half of one is refused, or "valid" would say too much."""
    if sequence < 0:
        raise InvalidField("expected_head_sequence", "is negative: entries are counted from 1")
    if head_hash and not sequence:
        raise MissingField("expected_head_sequence", "send the number of the entry that has this hash")
    if sequence and not head_hash:
        raise MissingField("expected_head_hash", "send the hash that the entry had when it was saved")
    return (sequence, head_hash) if sequence else None


def _stride(verifier: Verifier, reading: Reading) -> bool:
    """Follow the next entries; gives whether there were any. Where it is read, not where others wait."""
    verifier.forgotten = reading.forgotten_sequence()
    count = size = 0
    while count < STRIDE and size < STRIDE_BYTES and verifier.bad is None:
        links = reading.links(after=verifier.sequence, limit=CHUNK)
        verifier.follow(links)
        if not links:
            verifier.expect(reading.last_sequence())
            return False
        count += len(links)
        size += sum(len(link.body or b"") for link in links)
    return True
