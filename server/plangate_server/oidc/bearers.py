"""Who the bearer of a token is here."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

from plangate_server.domain.identity import Principal, Role
from plangate_server.domain.limits import ID_BYTES
from plangate_server.domain.persons import same_person
from plangate_server.domain.review import SERVICE
from plangate_server.oidc.claims import claim_at, has
from plangate_server.oidc.compact import Jwt
from plangate_server.oidc.rejected import Rejected
from plangate_server.oidc.rules import ClaimPath, OidcRules
from plangate_server.plainyaml.values import plain


def principal_of(claims: dict[str, Any], rules: OidcRules) -> Principal:
    """Or Rejected, if no role is for them or they cannot be named."""
    workspace = rules.workspace
    return Principal(
        name=_somebody(_text(claims, rules.name, "name"), "name"),
        workspace=workspace if isinstance(workspace, str) else _id(claims, workspace, "workspace"),
        role=_role(claims, rules),
        person=_somebody(_id(claims, rules.person, "person"), "person"),
    )


def credential_id_of(jwt: Jwt) -> str:
    """The same for the same token. Nobody can make the token of it."""
    jti = jwt.claims.get("jti")
    if isinstance(jti, str) and jti:
        told = b"jti:" + jti.encode(errors="surrogatepass")
    else:
        told = b"signature:" + jwt.signature
    return f"jwt-{sha256(told).hexdigest()[:32]}"


def _role(claims: dict[str, Any], rules: OidcRules) -> Role:
    for rule in rules.roles:
        if has(claim_at(claims, rule.claim), rule.has):
            return rule.role
    raise Rejected("role")


def _somebody(name: str, check: str) -> str:
    """The name, unless it reads as that of the service: what it decides by itself is told under that one."""
    if same_person(name, SERVICE):
        raise Rejected(check)
    return name


def _id(claims: dict[str, Any], path: ClaimPath, check: str) -> str:
    text = _text(claims, path, check)
    if len(text.encode()) > ID_BYTES:
        raise Rejected(check)
    return text


def _text(claims: dict[str, Any], path: ClaimPath, check: str) -> str:
    found = claim_at(claims, path)
    if not isinstance(found, str) or not found:
        raise Rejected(check)
    try:
        return plain(found)
    except ValueError:
        raise Rejected(check) from None
