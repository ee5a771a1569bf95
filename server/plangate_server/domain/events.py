"""What happened to plans and in sessions: the entries of the log, and the cursors that point into it."""

from __future__ import annotations

import base64
import binascii
import hashlib
from datetime import datetime
from enum import StrEnum
from typing import ClassVar, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from plangate_server.domain.approvals import Approval
from plangate_server.domain.builds import Build
from plangate_server.domain.comments import Comment
from plangate_server.domain.credentials import Credential
from plangate_server.domain.errors import InvalidCursor
from plangate_server.domain.plan import Plan
from plangate_server.domain.remembering import Remembered
from plangate_server.domain.restoring import LeftOut
from plangate_server.domain.review import Review
from plangate_server.domain.sessions import Session


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
    TOOL_CALL_REQUESTED = "tool_call_requested"
    TOOL_CALL_DECIDED = "tool_call_decided"
    TOOL_CALL_CANCELLED = "tool_call_cancelled"
    TOOL_CALL_EXPIRED = "tool_call_expired"
    SESSION_MODE_CHANGED = "session_mode_changed"
    FULL_ACCESS_CHANGED = "full_access_changed"
    SESSION_MOVED = "session_moved"
    DECISION_REMEMBERED = "decision_remembered"
    DECISION_FORGOTTEN = "decision_forgotten"
    MEMORY_RESET = "memory_reset"
    TOKEN_CREATED = "token_created"
    TOKEN_REVOKED = "token_revoked"
    DECISION_REFUSED = "decision_refused"
    BREAK_GLASS_USED = "break_glass_used"
    PLAN_REFERENCED = "plan_referenced"


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

CARRY_COMMENTS = frozenset(
    {
        EventType.SNAPSHOT,
        EventType.PLAN_APPROVED,
        EventType.PLAN_REJECTED,
        EventType.PLAN_MODIFICATION_REQUESTED,
        EventType.PLAN_EDITED,
    }
)
"""The events that tell of the comments that went along with a decision."""

OF_SESSIONS = frozenset(
    {
        EventType.TOOL_CALL_REQUESTED,
        EventType.TOOL_CALL_DECIDED,
        EventType.TOOL_CALL_CANCELLED,
        EventType.TOOL_CALL_EXPIRED,
        EventType.SESSION_MODE_CHANGED,
        EventType.FULL_ACCESS_CHANGED,
        EventType.SESSION_MOVED,
        EventType.DECISION_REMEMBERED,
        EventType.DECISION_FORGOTTEN,
        EventType.MEMORY_RESET,
        EventType.TOKEN_CREATED,
        EventType.TOKEN_REVOKED,
    }
)
"""What happens in sessions, or to nothing but the workspace."""

OF_EITHER = frozenset({EventType.BREAK_GLASS_USED})
"""What happens to plans or, in sessions, to tool calls. The rest, but for refused decisions, is of plans."""


class Event(Struct, frozen=True):
    """One thing that happened to a plan, with the plan as it was right afterwards; once it is stored, with as
    much of it as the event tells of.
    """

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
    session: Session | None = None
    """The plan's session right afterwards, if the event moved it."""
    request_id: str = ""
    """Of the call that caused it, as the caller chose it; empty if there was none."""

    @property
    def in_short(self) -> Event:
        """With as much of the plan and of its session as it tells of: the rest would be one more copy."""
        plan, session = self.plan, self.session
        if self.told_review is not plan.review or plan.builds:
            plan = replace(plan, review=self.told_review, builds=())
        if self.type not in CARRY_PLAN:
            progress = {id: plan.progress[id] for id in self.todo_ids}
            plan = replace(plan, progress=progress, edited_by=(), referenced_by=(), built_by={})
        return replace(self, plan=plan, session=session and session.in_short)

    @property
    def told_review(self) -> Review:
        """The review as the event tells of it."""
        review = self.plan.review
        return review if self.type in CARRY_COMMENTS else review.without_comments

    @property
    def workspace(self) -> str:
        return self.plan.workspace

    @property
    def plan_id(self) -> str:
        return self.plan.plan_id

    @property
    def session_id(self) -> str:
        return self.plan.session_id

    @property
    def revision(self) -> int:
        return self.plan.revision.number

    @property
    def digest(self) -> str:
        return self.plan.revision.digest


class DecidedText(Struct, frozen=True):
    """The text of a plan that was decided about, and the review in which it was."""

    plan_id: str
    revision: int
    digest: str
    approval_request_id: str


class SessionEvent(Struct, frozen=True):
    """One thing that happened in a session, or to what the workspace remembers."""

    type: EventType
    time: datetime
    actor: str
    workspace: str
    session: Session | None = None
    """The session right afterwards; None where the whole workspace is meant."""
    approval: Approval | None = None
    remembered: Remembered | None = None
    cleared: int = 0
    """How many remembered decisions are gone."""
    message: str = ""
    sequence: int = 0
    request_id: str = ""
    cause: DecidedText | None = None
    """What a person decided that brought it about."""

    @property
    def in_short(self) -> SessionEvent:
        """With as much of the session as it tells of."""
        return replace(self, session=self.session and self.session.in_short)

    @property
    def plan_id(self) -> str:
        """The plan that the tool call belongs to, or that was decided about."""
        told = self.approval or self.cause
        return told.plan_id if told else ""

    @property
    def session_id(self) -> str:
        return self.session.session_id if self.session else ""

    @property
    def revision(self) -> int:
        return self.cause.revision if self.cause else 0

    @property
    def digest(self) -> str:
        told = self.approval or self.cause
        return told.digest if told else ""

    @property
    def approval_request_id(self) -> str:
        return self.cause.approval_request_id if self.cause else ""


class RefusedDecision(Struct, frozen=True):
    """A decision that did not count: who wanted what, about which text they said they saw, and why not."""

    time: datetime
    actor: str
    workspace: str
    person: str
    """Who answers for the actor."""
    method: str
    """The call that was refused, without the name of its service."""
    reason: str
    """The word of the refusal that the caller got."""
    selected_option: str = ""
    plan_id: str = ""
    session_id: str = ""
    approval_request_id: str = ""
    call_id: str = ""
    revision: int = 0
    digest: str = ""
    request_id: str = ""
    sequence: int = 0
    type: ClassVar[EventType] = EventType.DECISION_REFUSED
    session: ClassVar[None] = None
    """It moved none."""

    @property
    def in_short(self) -> RefusedDecision:
        """Itself."""
        return self


LogEvent: TypeAlias = Event | SessionEvent | RefusedDecision
"""An entry of the log."""


class SessionChange(Struct, frozen=True):
    """Sessions after something happened in them, what there is to tell of it, and what moved with them."""

    sessions: tuple[Session, ...] = ()
    events: tuple[SessionEvent, ...] = ()
    approvals: tuple[Approval, ...] = ()
    """Of a command about one call, that call is the first."""
    remembered: tuple[Remembered, ...] = ()
    forgotten: tuple[Remembered, ...] = ()
    credentials: tuple[Credential, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    """What was to be remembered again and is not."""
    refused: RefusedDecision | None = None
    """Then nothing has changed, and that is told."""

    @property
    def session(self) -> Session:
        return self.sessions[0]

    @property
    def approval(self) -> Approval:
        return self.approvals[0]


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
    session: Session | None = None
    """The plan's session, if it moved."""
    session_events: tuple[SessionEvent, ...] = ()
    """What there is to tell of the session, after what is told of the plan."""


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
