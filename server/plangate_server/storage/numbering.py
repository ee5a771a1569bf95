"""Gives staged events their place in the log: a number, and the hash that ties them to the one before."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct
from msgspec.structs import replace

from plangate_server.domain.audit import Entry, chain, hash_body
from plangate_server.domain.events import LogEvent
from plangate_server.storage import records


class LogEnd(Struct, frozen=True):
    """Where a workspace's log ends."""

    sequence: int = 0
    hash: str = ""


class Numbered(Struct, frozen=True):
    event: LogEvent
    entry: Entry
    body: bytes
    hash: str


def number(events: Iterable[LogEvent], end: LogEnd) -> list[Numbered]:
    """The events of one workspace as the next entries of its log."""
    numbered = []
    for unnumbered in events:
        event = replace(unnumbered.in_short, sequence=end.sequence + 1)
        body = records.encode_body(event)
        entry = _entry(event, body)
        end = LogEnd(event.sequence, chain(end.hash, entry))
        numbered.append(Numbered(event, entry, body, end.hash))
    return numbered


def _entry(event: LogEvent, body: bytes) -> Entry:
    return Entry(
        workspace=event.workspace,
        sequence=event.sequence,
        plan_id=event.plan_id,
        session_id=event.session_id,
        revision=event.revision,
        digest=event.digest,
        type=event.type.value,
        time=str(records.microseconds(event.time)),
        actor=event.actor,
        body_hash=hash_body(body),
    )
