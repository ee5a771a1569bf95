"""Which decisions of an export are remembered again, and why others are not. None reaches further by it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from plangate_server.domain import limits
from plangate_server.domain.command_patterns import BadPattern, parse_pattern
from plangate_server.domain.open_programs import ANY_WORD, Opened
from plangate_server.domain.persons import same_person
from plangate_server.domain.remembering import Remembered, reach_of
from plangate_server.domain.signatures import signature
from plangate_server.domain.tools import ToolKind

HASH: Final = re.compile("sha256:[0-9a-f]{64}")


class Obstacle(StrEnum):
    EXPIRED = "expired"
    ALREADY_REMEMBERED = "already_remembered"
    DECIDED_OTHERWISE = "decided_otherwise"
    SESSION_NOT_FOUND = "session_not_found"
    NOT_READABLE = "not_readable"


class LeftOut(Struct, frozen=True):
    place: int
    """In what was to be restored."""
    obstacle: Obstacle


class Sorted(Struct, frozen=True):
    """An export, taken apart."""

    kept: tuple[Remembered, ...]
    left_out: tuple[LeftOut, ...]


def sort_out(
    wanted: Sequence[Remembered],
    known: Iterable[Remembered],
    sessions: Collection[str],
    *,
    by: str,
    now: datetime,
    opened: Opened = (),
) -> Sorted:
    """What can be remembered again, in the order of the export; a no that is in it twice wins over a yes."""
    held = {reach_of(each): each for each in known if each.holds(now)}
    obstacles: dict[int, Obstacle] = {}
    for place, each in sorted(enumerate(wanted), key=lambda one: one[1].allows):
        obstacle = _obstacle(each, held, sessions, now, opened)
        if obstacle is None:
            held[reach_of(each)] = each
        else:
            obstacles[place] = obstacle
    kept = tuple(_restored(each, by) for place, each in enumerate(wanted) if place not in obstacles)
    return Sorted(kept, tuple(LeftOut(place, why) for place, why in sorted(obstacles.items())))


def check_room(known: Iterable[Remembered], kept: Iterable[Remembered], now: datetime) -> None:
    """Refuse more than may reach a session, as an answer that is remembered one at a time is."""
    new = Counter(each.session_id for each in kept)
    if not new:
        return
    held = Counter(each.session_id for each in known if each.holds(now)) + new
    touched = held if "" in new else new
    most = max((held[session] for session in touched if session), default=0)
    limits.check_count("remembered", held[""] + most, "remembered", limits.REMEMBERED)


def _obstacle(
    each: Remembered,
    held: Mapping[tuple[object, ...], Remembered],
    sessions: Collection[str],
    now: datetime,
    opened: Opened,
) -> Obstacle | None:
    if not each.holds(now):
        return Obstacle.EXPIRED
    if not _is_readable(each, opened):
        return Obstacle.NOT_READABLE
    if each.session_id and each.session_id not in sessions:
        return Obstacle.SESSION_NOT_FOUND
    there = held.get(reach_of(each))
    if there is None:
        return None
    return Obstacle.ALREADY_REMEMBERED if there.allows is each.allows else Obstacle.DECIDED_OTHERWISE


def _is_readable(each: Remembered, opened: Opened) -> bool:
    """Whether an answer could be remembered in just this form."""
    if each.is_pattern:
        return _plainest_pattern(each, opened) == each.signature
    if each.kind is not ToolKind.TERMINAL and HASH.fullmatch(each.signature):
        return True
    return each.kind is not ToolKind.EDIT and signature(each.kind, each.signature) == each.signature


def _plainest_pattern(each: Remembered, opened: Opened) -> str:
    if each.kind is not ToolKind.TERMINAL:
        return ANY_WORD
    try:
        return parse_pattern(each.signature, to_deny=not each.allows, opened=opened).text
    except BadPattern:
        return ""


def _restored(each: Remembered, by: str) -> Remembered:
    if any(same_person(by, other) for other in each.restored_by):
        return each
    return replace(each, restored_by=(*each.restored_by, by))
