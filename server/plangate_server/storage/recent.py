"""The plans and sessions that changed last, so that what is hot need not be read again.

Holds what this node has committed itself. Where other nodes write, too, that may be outdated: it is good
enough to begin with when the commit checks that it was still the same. What is old is not believed at all:
what rested for long is removed from the database in the end, and may have begun anew.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final, TypeAlias

from msgspec import Struct

from plangate_server.domain.content import content_bytes
from plangate_server.domain.plan import Plan
from plangate_server.domain.sessions import Session
from plangate_server.storage.staging import session_key

Thing: TypeAlias = Plan | Session

MAX_BYTES: Final = 64 * 1024 * 1024
OVERHEAD_BYTES: Final = 4096
BELIEVED_SECONDS: Final = 3600
"""Far less than the time for which anything is kept after its end."""


class _Entry(Struct, frozen=True):
    thing: Thing
    version: int
    size: int
    stored: float
    """When that was, as the monotonic clock has it."""


class Recent:
    """Plans by their id and by the ids of their review and live builds, and sessions by their key, each with
    the number of times it was stored; the least recently changed go first.
    """

    def __init__(self, max_bytes: int = MAX_BYTES, now: Callable[[], float] = time.monotonic) -> None:
        self._max_bytes = max_bytes
        self._now = now
        self._bytes = 0
        self._things: OrderedDict[str, _Entry] = OrderedDict()
        self._names: dict[str, str] = {}

    def plan(self, plan_id: str, workspace: str) -> tuple[Plan, int] | None:
        entry = self._believed(plan_id)
        if entry is None or not isinstance(entry.thing, Plan) or entry.thing.workspace != workspace:
            return None
        return entry.thing, entry.version

    def session(self, key: str) -> tuple[Session, int] | None:
        entry = self._believed(key)
        return (entry.thing, entry.version) if entry and isinstance(entry.thing, Session) else None

    def plan_named(self, name: str, workspace: str) -> tuple[Plan, int] | None:
        """The plan whose review or live build has this id."""
        return self.plan(self._names.get(name, ""), workspace)

    def add(self, things: Mapping[str, Thing], versions: Mapping[str, int] | None = None) -> None:
        """What was just stored; ``versions`` says how often it had been before, if it matters."""
        before = versions or {}
        now = self._now()
        self.drop(things)
        for key, thing in things.items():
            entry = _Entry(thing, before.get(key, 0) + 1, _bytes(thing), now)
            self._things[key] = entry
            for name in _names(thing):
                self._names[name] = key
            self._bytes += entry.size
        while self._bytes > self._max_bytes:
            self.drop([next(iter(self._things))])

    def drop(self, keys: Iterable[str]) -> None:
        for key in keys:
            if entry := self._things.pop(key, None):
                self._bytes -= entry.size
                for name in _names(entry.thing):
                    self._names.pop(name, None)

    def _believed(self, key: str) -> _Entry | None:
        entry = self._things.get(key)
        return entry if entry and self._now() - entry.stored < BELIEVED_SECONDS else None


class ByHeart:
    """What is known by heart of one workspace; ``asked`` holds what was asked for."""

    def __init__(self, recent: Recent, workspace: str, versions: dict[str, int]) -> None:
        self._recent = recent
        self._workspace = workspace
        self._versions = versions
        self.asked: set[str] = set()

    def plan(self, plan_id: str) -> Plan | None:
        return self._plan(self._recent.plan(plan_id, self._workspace))

    def plan_named(self, name: str) -> Plan | None:
        """The plan whose review or live build has this id."""
        return self._plan(self._recent.plan_named(name, self._workspace))

    def session(self, session_id: str) -> Session | None:
        key = session_key(self._workspace, session_id)
        found = self._recent.session(key)
        if found is None:
            return None
        self._note(key, found[1])
        return found[0]

    def _plan(self, found: tuple[Plan, int] | None) -> Plan | None:
        if found is None:
            return None
        self._note(found[0].plan_id, found[1])
        return found[0]

    def _note(self, key: str, version: int) -> None:
        self.asked.add(key)
        self._versions.setdefault(key, version)


def _bytes(thing: Thing) -> int:
    if isinstance(thing, Session):
        return OVERHEAD_BYTES + sum(map(len, thing.queue))
    return OVERHEAD_BYTES + content_bytes(thing.revision.content)


def _names(thing: Thing) -> Iterator[str]:
    if isinstance(thing, Session):
        return
    plan = thing
    if plan.review.approval_request_id:  # a draft has none
        yield plan.review.approval_request_id
    for build in plan.builds:
        yield build.build_id
