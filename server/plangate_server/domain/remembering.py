"""Decisions that are remembered: which calls one covers, and which it never does."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from msgspec import Struct

from plangate_server.domain.tools import ToolKind


class Scope(StrEnum):
    """How far a remembered decision reaches."""

    SESSION = "session"
    WORKSPACE = "workspace"


class Remembered(Struct, frozen=True):
    """A person's answer, kept for calls to come."""

    remembered_id: str
    kind: ToolKind
    tool: str
    signature: str
    """The normalised signature of a call, or a pattern."""
    is_pattern: bool
    allows: bool
    scope: Scope
    reviewer: str
    create_time: datetime
    session_id: str = ""
    """The session it reaches; empty where it reaches the whole workspace."""
    expire_time: datetime | None = None
