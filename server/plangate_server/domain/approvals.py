"""Tool calls that need a person's yes, and what became of them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import datetime, timedelta
from enum import StrEnum
from functools import lru_cache
from typing import Final

import msgspec
from msgspec import Struct

from plangate_server.domain import limits
from plangate_server.domain.calls import call_of, check_names
from plangate_server.domain.errors import MissingField
from plangate_server.domain.persons import known_as
from plangate_server.domain.review import DecisionSource
from plangate_server.domain.signatures import signature, signature_hash
from plangate_server.domain.tools import Call, ToolKind


class ApprovalState(StrEnum):
    QUEUED = "queued"
    ACTIVE = "active"
    DECIDED = "decided"
    CANCELLED = "cancelled"
    EXPIRED = "expired"


WAITING: Final = frozenset({ApprovalState.QUEUED, ApprovalState.ACTIVE})

NEXT_STATES: Final = {
    ApprovalState.QUEUED: (
        ApprovalState.ACTIVE,
        ApprovalState.DECIDED,
        ApprovalState.CANCELLED,
        ApprovalState.EXPIRED,
    ),
    ApprovalState.ACTIVE: (ApprovalState.DECIDED, ApprovalState.CANCELLED, ApprovalState.EXPIRED),
    ApprovalState.DECIDED: (),
    ApprovalState.CANCELLED: (),
    ApprovalState.EXPIRED: (),
}
"""Where a call can go from each state: it ends once, and stays so."""


class ApprovalDecision(StrEnum):
    APPROVED = "approved"
    APPROVED_FOR_SESSION = "approved_for_session"
    DENIED = "denied"


class Approval(Struct, frozen=True, omit_defaults=True):
    approval_id: str
    workspace: str
    session_id: str
    call_id: str
    kind: ToolKind
    tool: str
    command: str
    request_time: datetime
    requested_by: str
    state: ApprovalState = ApprovalState.QUEUED
    agent_id: str = ""
    agents_signature: str = ""
    """The agent's own word for calls of this sort; nothing rests on it."""
    prompt: str = ""
    metadata: Mapping[str, str] = {}
    plan_id: str = ""
    build_id: str = ""
    todo_id: str = ""
    expire_time: datetime | None = None
    active_time: datetime | None = None
    authority_token: str = ""
    """What whoever answers the active prompt must show."""
    decision: ApprovalDecision | None = None
    source: DecisionSource | None = None
    rule: str = ""
    reviewer: str = ""
    feedback_text: str = ""
    end_time: datetime | None = None
    role: str = ""
    """Of whoever asked: it is their call that rules are asked about, whoever answers it."""
    person: str = ""
    """Who answers for whoever asked."""
    break_glass: str = ""
    """Why an admin went past four_eyes; empty where nobody did."""
    principal: str = ""
    """The key of whoever asked; unknown of what release 0.1.0 stored."""

    @property
    def waits(self) -> bool:
        return self.state in WAITING

    @property
    def digest(self) -> str:
        return call_digest(self.kind, self.tool, self.command)

    @property
    def signature_hash(self) -> str:
        return signature_hash(self.kind, self.tool, self.command)

    @property
    def can_remember(self) -> bool:
        return signature(self.kind, self.command) is not None

    @property
    def correlation_id(self) -> str:
        return correlation_id(self.session_id, self.plan_id, self.build_id, self.todo_id)

    def call(self) -> Call:
        return call_of(
            self.tool,
            self.command,
            kind=self.kind,
            agent_id=self.agent_id,
            role=self.role,
            person=self.person,
        )

    def is_same(self, other: Approval) -> bool:
        """Whether the same agent of the same person asks for the very same thing.

        Or whoever says yes to somebody's call could let an agent of their own ask for it again.
        """
        same_caller = self.principal == other.principal or not (self.principal and other.principal)
        return (
            same_caller and _asked(self) == _asked(other) and known_as(self.person) == known_as(other.person)
        )


def call_digest(kind: ToolKind, tool: str, command: str) -> str:
    """SHA-256 over the canonical JSON (RFC 8785) of what would be done."""
    document = {"command": command, "kind": kind.name, "tool_name": tool}
    return hashlib.sha256(msgspec.json.encode(document)).hexdigest()


@lru_cache(maxsize=4096)
def correlation_id(session_id: str, plan_id: str, build_id: str, todo_id: str) -> str:
    """The same for every call that is made for the same todo of the same build of the same plan."""
    work = msgspec.json.encode((session_id, plan_id, build_id, todo_id))
    return hashlib.sha256(work).hexdigest()[:32]


def check_call(approval: Approval, expires_after: timedelta | None) -> None:
    """Refuse what cannot be asked for."""
    _check_named("session_id", approval.session_id, "say which session the call is of")
    _check_named("call_id", approval.call_id, "give the call an id")
    _check_named("tool_name", approval.tool, "say which tool would be used")
    if not approval.command.strip():
        raise MissingField("command", "send exactly what would be done, for a person to read")
    limits.check_bytes("command", approval.command, "command_bytes", limits.COMMAND_BYTES)
    check_names("command", approval.command)
    limits.check_bytes("prompt", approval.prompt, "prompt_bytes", limits.PROMPT_BYTES)
    for field in ("agent_id", "build_id", "todo_id"):
        limits.check_id(field, getattr(approval, field))
    limits.check_bytes("signature", approval.agents_signature, "command_bytes", limits.COMMAND_BYTES)
    _check_metadata(approval.metadata)
    limits.check_wait("expires_after", expires_after)


def _check_named(field: str, value: str, advice: str) -> None:
    if not value:
        raise MissingField(field, advice)
    limits.check_id(field, value)


def _check_metadata(metadata: Mapping[str, str]) -> None:
    limits.check_count("metadata", len(metadata), "metadata_entries", limits.METADATA_ENTRIES)
    for key, value in metadata.items():
        limits.check_id("metadata", key)
        limits.check_bytes(f"metadata[{key!r}]", value, "metadata_bytes", limits.METADATA_BYTES)


def _asked(approval: Approval) -> tuple[object, ...]:
    what = (approval.kind, approval.tool, approval.command, approval.build_id, approval.todo_id)
    return (*what, approval.agent_id)
