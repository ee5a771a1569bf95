"""Who calls, and what they may be."""

from __future__ import annotations

import hashlib
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

    @property
    def key(self) -> str:
        """What tells it from every other of its workspace: no part has a line break."""
        return f"{self.role}\n{self.person}\n{self.name}"


class Author(Struct, frozen=True, omit_defaults=True):
    """Who proposes: a caller, under the name of one of its agents."""

    name: str
    """As people see it: the agent's, or that of the caller."""
    principal: str = ""
    """The caller's key. Unknown of what release 0.1.0 stored."""
    agent_id: str = ""
    """The agent, as it names itself; empty if it does not."""

    @property
    def is_known(self) -> bool:
        """Whether it is recorded who it was."""
        return bool(self.principal)

    @property
    def is_admin(self) -> bool:
        """Whether the caller's role is that of an admin."""
        return self.principal.partition("\n")[0] == Role.ADMIN

    @property
    def mark(self) -> str:
        """A short name that tells it from others."""
        return hashlib.sha256(f"{self.principal}\n{self.agent_id}".encode()).hexdigest()[:16]

    @property
    def caller(self) -> tuple[str, str]:
        """The name of the caller's credentials and the person behind them; empty where they are unknown."""
        _, person, name = self.principal.split("\n") if self.principal else ("", "", "")
        return name, person

    def is_callers(self, other: Author) -> bool:
        """Whether the other is of the same caller, under whatever name."""
        return self.principal == other.principal if other.principal else self.name == other.name

    def is_same(self, other: Author) -> bool:
        if self.principal and other.principal:
            return (self.principal, self.agent_id) == (other.principal, other.agent_id)
        return self.name == other.name


def author_of(principal: Principal, agent_id: str) -> Author:
    return Author(agent_id or principal.name, principal.key, agent_id)


class Caller(Struct, frozen=True):
    """A principal with the credential that shows who it is."""

    principal: Principal
    credential_id: str
    """Names the credential without being one."""
    expire_time: datetime | None = None
    """When the credential ends; calls that are still open then end with it."""
