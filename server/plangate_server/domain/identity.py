"""Who calls, and what they may be."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Final

from msgspec import Struct

OPERATORS_WORKSPACE: Final = "default"
"""Its admins run the gate; those of others only what is theirs."""


class Role(StrEnum):
    AGENT = "agent"
    """Proposes and builds; never decides."""
    REVIEWER = "reviewer"
    """A person who decides."""
    OBSERVER = "observer"
    """Reads, and changes nothing."""
    ADMIN = "admin"
    """Runs the gate."""


AGENTS: Final = frozenset({Role.AGENT, Role.ADMIN})
"""Those who do what agents do."""
DECIDERS: Final = frozenset({Role.REVIEWER, Role.ADMIN})
"""Those who can say yes or no."""


class Principal(Struct, frozen=True):
    """Who is calling, as the service knows them; never what a message says."""

    name: str
    """What is recorded of them: of an agent, of a person's token, of a certificate."""
    workspace: str
    role: Role
    person: str
    """The person who answers for the caller. Several principals can be of one person."""


class Caller(Struct, frozen=True):
    """A principal with the credential that shows who it is."""

    principal: Principal
    credential_id: str
    """Names the credential without being one."""
    expire_time: datetime | None = None
    """When the credential ends; calls that are still open then end with it."""
