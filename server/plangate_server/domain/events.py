"""What happened to plans: the entries of the event log, and the cursors that point into it."""

from __future__ import annotations

import base64
import binascii
import hashlib
from datetime import datetime
from enum import StrEnum

from msgspec import Struct

from plangate_server.domain.builds import Build
from plangate_server.domain.comments import Comment
from plangate_server.domain.errors import InvalidCursor
from plangate_server.domain.plan import Plan
from plangate_server.domain.review import Review


class EventType(StrEnum):
    SNAPSHOT = "snapshot"
    CHECKPOINT = "checkpoint"
    DRAFT_UPDATED = "draft_updated"
    PLAN_CREATED = "plan_created"
    PLAN_APPROVAL_REQUIRED = "plan_approval_required"
    PLAN_UPDATED = "plan_updated"
    COMMENT_ADDED = "comment_added"
    COMMENT_RESOLVED = "comment_resolved"
    APPROVAL_RECORDED = "approval_recorded"
    PLAN_APPROVED = "plan_approved"
    PLAN_REJECTED = "plan_rejected"
    PLAN_MODIFICATION_REQUESTED = "plan_modification_requested"
    PLAN_EDITED = "plan_edited"
    REVIEW_EXPIRED = "review_expired"
    PLAN_WITHDRAWN = "plan_withdrawn"
    DECISION_DELIVERED = "decision_delivered"
    DECISION_ACKNOWLEDGED = "decision_acknowledged"
    BUILD_STARTED = "build_started"
    TODOS_CHANGED = "todos_changed"
    EXECUTION_COMPLETED = "execution_completed"
    EXECUTION_FAILED = "execution_failed"


CARRY_PLAN = frozenset(
    {
        EventType.SNAPSHOT,
        EventType.DRAFT_UPDATED,
        EventType.PLAN_CREATED,
        EventType.PLAN_UPDATED,
        EventType.PLAN_EDITED,
    }
)
"""The events that tell of a plan's content as well."""


class Event(Struct, frozen=True):
    """One thing that happened, with the plan as it was right afterwards."""

    type: EventType
    time: datetime
    actor: str
    plan: Plan
    message: str = ""
    todo_ids: tuple[str, ...] = ()
    """The todos that moved on."""
    comment: Comment | None = None
    build: Build | None = None
    sequence: int = 0
    """The event's number in its workspace, counted from 1; 0 until it is stored."""


class Change(Struct, frozen=True):
    """A plan after something happened to it, what there is to tell of it, and what else moved with it."""

    plan: Plan
    events: tuple[Event, ...]
    reviews: tuple[Review, ...] = ()
    """Earlier reviews of the plan that ended."""
    builds: tuple[Build, ...] = ()
    """Builds that began, went on or ended."""
    comments: tuple[Comment, ...] = ()
    before: Plan | None = None
    """The plan as it was, where the answer tells of it."""


class Cursors(Struct, frozen=True):
    """Turns sequence numbers into opaque cursors and back.

    A cursor carries a check value made with the name of the log, so that an altered one, or one of
    another database, is refused instead of silently pointing somewhere else.
    """

    log_id: str

    def encode(self, workspace: str, sequence: int) -> str:
        payload = sequence.to_bytes(8, "big")
        return base64.urlsafe_b64encode(self._check(workspace, payload) + payload).decode()

    def decode(self, workspace: str, cursor: str) -> int:
        try:
            raw = base64.b64decode(cursor, altchars=b"-_", validate=True)
        except (binascii.Error, ValueError):
            raise InvalidCursor from None
        check, payload = raw[:4], raw[4:]
        if len(payload) != 8 or check != self._check(workspace, payload):
            raise InvalidCursor
        sequence = int.from_bytes(payload, "big")
        if self.encode(workspace, sequence) != cursor:
            raise InvalidCursor  # the same bytes can be written in more than one way; we gave out one
        return sequence

    def _check(self, workspace: str, payload: bytes) -> bytes:
        key = f"{self.log_id}/{workspace}/".encode()
        return hashlib.sha256(key + payload).digest()[:4]
