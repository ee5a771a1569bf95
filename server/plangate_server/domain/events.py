"""What happened to plans: the entries of the event log, and the cursors that point into it."""

from __future__ import annotations

import base64
import binascii
import hashlib
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from plangate_server.domain.errors import InvalidCursor
from plangate_server.domain.plan import Plan


class EventType(StrEnum):
    SNAPSHOT = "snapshot"
    PLAN_CREATED = "plan_created"
    PLAN_APPROVAL_REQUIRED = "plan_approval_required"
    PLAN_APPROVED = "plan_approved"
    PLAN_REJECTED = "plan_rejected"
    PLAN_MODIFICATION_REQUESTED = "plan_modification_requested"


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened, with the plan as it was right afterwards."""

    type: EventType
    time: datetime
    actor: str
    plan: Plan
    message: str = ""
    sequence: int = 0
    """The event's number in its workspace, counted from 1; 0 until it is stored."""


@dataclass(frozen=True, slots=True)
class Cursors:
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
        return int.from_bytes(payload, "big")

    def _check(self, workspace: str, payload: bytes) -> bytes:
        key = f"{self.log_id}/{workspace}/".encode()
        return hashlib.sha256(key + payload).digest()[:4]
