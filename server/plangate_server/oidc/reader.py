"""From a file's tree to the rules for a provider's tokens. Whatever is not understood is a problem: a rule
that is guessed at would let someone in.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from plangate_server.domain.identity import Role
from plangate_server.oidc.addresses import key_address
from plangate_server.oidc.rules import ALGORITHMS, DEFAULT_WORKSPACE, SUBJECT, ClaimPath, OidcRules, RoleRule
from plangate_server.plainyaml.notes import Notes, instead_of, shown
from plangate_server.plainyaml.section import Section
from plangate_server.plainyaml.tree import Node, Table
from plangate_server.plainyaml.values import choice, plain

NEEDED: Final = {
    "issuer": "write the one that is in its tokens as iss",
    "audience": "write what its tokens for this gate have in aud",
    "jwks": "write where the provider's keys are, a file or an https:// URL",
    "roles": "without them nobody is let in; write a list of {claim: …, has: …, role: …}",
}
OIDC: Final = (*NEEDED, "name", "person", "workspace", "algorithms")
ROLE_RULE: Final = ("claim", "has", "role")


def read_oidc(tree: Node | None, notes: Notes, folder: Path) -> OidcRules | None:
    """The rules in a file that stands in this folder. They count only if nothing was noted."""
    if not isinstance(tree, Table) or not tree.entries:
        notes.add(1, "", f"the file names no provider: write a table of {', '.join(OIDC)}")
        return None
    root = Section(tree, "", notes, OIDC)
    for needed, advice in NEEDED.items():
        if needed not in root:
            notes.add(tree.line, "", f"the file has no {needed}: {advice}")
    jwks = root.value("jwks", key_address)
    return OidcRules(
        issuer=root.value("issuer", plain) or "",
        audience=root.value("audience", plain) or "",
        jwks=jwks if jwks and "://" in jwks else folder / (jwks or ""),
        roles=_role_rules(root),
        name=root.value("name", _claim) or SUBJECT,
        person=root.value("person", _claim) or SUBJECT,
        workspace=_workspace(root, tree),
        algorithms=root.values("algorithms", _algorithm) or ALGORITHMS,
    )


def _workspace(root: Section, tree: Table) -> str | ClaimPath:
    entry = tree.entries.get("workspace")
    if entry is None or not isinstance(entry.value, Table):
        return root.value("workspace", plain) or DEFAULT_WORKSPACE
    section = root.section("workspace", ("claim",))
    claim = section.value("claim", _claim) if section else None
    return claim or DEFAULT_WORKSPACE


def _role_rules(root: Section) -> tuple[RoleRule, ...]:
    places: dict[tuple[ClaimPath, str], str] = {}
    rules = []
    for section in root.sections("roles", ROLE_RULE):
        for needed in ROLE_RULE:
            if needed not in section:
                section.note(f"has no {needed}: write {{claim: …, has: …, role: …}}")
        claim, has = section.value("claim", _claim), section.value("has", plain)
        role = section.value("role", choice(Role))
        if claim is None or has is None or role is None:
            continue
        first = places.setdefault((claim, has), section.path())
        if first != section.path():
            section.note(f"asks for what {first} asks for, which decides: keep one")
        rules.append(RoleRule(claim, has, role))
    return tuple(rules)


def _claim(text: str) -> ClaimPath:
    """Dots lead into a claim, except in one that is named by a URL."""
    path = (plain(text),) if "://" in text else tuple(plain(text).split("."))
    if not all(path):
        raise ValueError(f"is {shown(text)}: write one dot between two names, like realm_access.roles")
    return path


def _algorithm(text: str) -> str:
    if text in ALGORITHMS:
        return text
    if text.lower() == "none":
        raise ValueError(f"is {shown(text)}: anybody can make a token without a signature; write RS256, say")
    if text.upper().startswith("HS"):
        raise ValueError(
            f"is {shown(text)}: whoever can check such a token can make one; let the provider sign "
            "with a key pair, like RS256 or ES256"
        )
    raise ValueError(f"is {shown(text)}: {instead_of(text, ALGORITHMS)}")
