"""Whether a token is meant for this gate, and for now."""

from __future__ import annotations

from typing import Any, Final

from plangate_server.oidc.rejected import Rejected
from plangate_server.oidc.rules import ClaimPath, OidcRules

LEEWAY_SECONDS: Final = 30
"""By how much the provider's clock may be ahead. A token's end is taken as it is: it may only come early."""
LATEST: Final = 253_402_300_799
"""The last second of the year 9999."""


def claim_at(claims: dict[str, Any], path: ClaimPath) -> object:
    """What a claim holds; None if it is not there."""
    found: object = claims
    for name in path:
        found = found.get(name) if isinstance(found, dict) else None
    return found


def has(claim: object, text: str) -> bool:
    """Whether a claim is this text, or a list that has it."""
    return text in claim if isinstance(claim, list) else claim == text


def check_claims(claims: dict[str, Any], rules: OidcRules, now: float) -> float:
    """When the token ends, in seconds since 1970; or Rejected."""
    if claims.get("iss") != rules.issuer:
        raise Rejected("issuer")
    if not has(claims.get("aud"), rules.audience):
        raise Rejected("audience")
    end = _moment(claims, "exp")
    if end is None or end <= now:
        raise Rejected("exp")
    for name in ("nbf", "iat"):
        begin = _moment(claims, name)
        if begin is not None and begin > now + LEEWAY_SECONDS:
            raise Rejected(name)
    return end


def _moment(claims: dict[str, Any], name: str) -> float | None:
    if name not in claims:
        return None
    found = claims[name]
    if isinstance(found, bool) or not isinstance(found, int | float) or not 0 <= found <= LATEST:
        raise Rejected(name)
    return float(found)
