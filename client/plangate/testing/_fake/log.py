"""Everything that happened, in order, and those who wait for more."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from plangate.testing._fake.messages import moment
from plangate.testing._fake.refusals import Refused
from plangate_proto.agent.v1.agent_session_service_pb2 import Session
from plangate_proto.agent.v1.plan_resource_pb2 import Plan
from plangate_proto.agent.v1.review_event_pb2 import ReviewEvent
from plangate_proto.agent.v1.tool_approval_service_pb2 import WatchApprovalsResponse


@dataclass(frozen=True, slots=True)
class Entry:
    """An event; with the plan, the session, and what people saw of its queue, as they were then."""

    event: ReviewEvent
    plan: Plan | None = None
    session: Session | None = None
    prompts: WatchApprovalsResponse | None = None


class Log:
    def __init__(self) -> None:
        self._entries: list[Entry] = []
        self._sleepers: list[Callable[[], None]] = []
        self._request_id = ""

    @property
    def end(self) -> int:
        """The position behind the last entry."""
        return len(self._entries)

    def append(self, entry: Entry) -> None:
        self._entries.append(entry)
        entry.event.cursor, entry.event.request_id = str(self.end), self._request_id
        entry.event.event_time.CopyFrom(moment())
        for wake in [*self._sleepers]:
            wake()

    @contextmanager
    def caused_by(self, request_id: str) -> Iterator[None]:
        """What is told meanwhile was caused by this request."""
        self._request_id = request_id
        try:
            yield
        finally:
            self._request_id = ""

    def after(self, position: int) -> list[Entry]:
        return self._entries[position:]

    def following(self, position: int) -> Iterator[Entry | None]:
        """Every entry behind the position, for ever; None where there is none yet."""
        while True:
            entries = self.after(position)
            position += len(entries)
            yield from entries
            if not entries:
                yield None

    def position_of(self, cursor: str) -> int:
        if not cursor.isdecimal() or int(cursor) > self.end:
            raise Refused("INVALID_CURSOR", "cursor is not one that this gate gave", field="cursor")
        return int(cursor)

    def on_change(self, wake: Callable[[], None]) -> Callable[[], None]:
        """Call ``wake`` after every entry; gives what ends that."""
        self._sleepers.append(wake)

        def forget() -> None:
            if wake in self._sleepers:
                self._sleepers.remove(wake)

        return forget
