"""What an operator says of a provider: whose tokens are taken, and who their bearers are here."""

from __future__ import annotations

from pathlib import Path
from typing import Final, TypeAlias

from msgspec import Struct

from plangate_server.domain.identity import Role

ClaimPath: TypeAlias = tuple[str, ...]
"""The name of a claim, and of what is inside it."""

SUBJECT: Final[ClaimPath] = ("sub",)
DEFAULT_WORKSPACE: Final = "default"

# Those in which whoever can check a token cannot make one.
ALGORITHMS: Final = (
    *("RS256", "RS384", "RS512"),
    *("PS256", "PS384", "PS512"),
    *("ES256", "ES384", "ES512"),
    "EdDSA",
)


class RoleRule(Struct, frozen=True):
    """Whose claim is this text, or a list that has it, is of that role."""

    claim: ClaimPath
    has: str
    role: Role


class OidcRules(Struct, frozen=True):
    issuer: str
    audience: str
    jwks: Path | str
    """The provider's keys: a file, or a URL."""
    roles: tuple[RoleRule, ...]
    """The first that fits decides; whom none fits is refused."""
    name: ClaimPath = SUBJECT
    person: ClaimPath = SUBJECT
    workspace: str | ClaimPath = DEFAULT_WORKSPACE
    """One for everybody, or the claim that has it."""
    algorithms: tuple[str, ...] = ALGORITHMS
