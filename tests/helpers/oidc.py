"""A provider for tests: its keys, its tokens, and where it publishes the keys."""

from __future__ import annotations

import json
from base64 import urlsafe_b64encode
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from jwt.algorithms import get_default_algorithms

from plangate_server.domain.errors import InvalidCredentials
from plangate_server.domain.identity import Role
from plangate_server.oidc import JwtTokens
from plangate_server.oidc.keyring import KeyRing
from plangate_server.oidc.keys import KeyProblem
from plangate_server.oidc.rules import OidcRules, RoleRule
from plangate_server.oidc.signatures import read_keys
from plangate_server.oidc.verified import VerifiedTokens

NOW = 1_800_000_000.0
ISSUER = "https://login.example.com"
RULES = OidcRules(
    issuer=ISSUER,
    audience="plangate",
    jwks="https://login.example.com/keys",
    roles=(
        RoleRule(("groups",), "plangate-admins", Role.ADMIN),
        RoleRule(("groups",), "reviewers", Role.REVIEWER),
        RoleRule(("realm_access", "roles"), "watchers", Role.OBSERVER),
        RoleRule(("azp",), "build-agent", Role.AGENT),
    ),
    name=("preferred_username",),
)
CLAIMS: dict[str, Any] = {
    "iss": ISSUER,
    "aud": "plangate",
    "sub": "4711",
    "preferred_username": "ada",
    "groups": ["staff", "reviewers"],
    "iat": NOW - 60,
    "exp": NOW + 600,
    "jti": "token-1",
}

CURVES = {"ES256": ec.SECP256R1(), "ES384": ec.SECP384R1(), "ES512": ec.SECP521R1()}


@dataclass(frozen=True)
class Signer:
    """A key pair of the provider."""

    key_id: str
    algorithm: str
    private: Any

    def jwk(self, **changes: object) -> dict[str, Any]:
        """How it is published; what is changed to None is left out."""
        public = get_default_algorithms()[self.algorithm].to_jwk(self.private.public_key(), as_dict=True)
        return without_none({**public, "kid": self.key_id, "use": "sig", **changes})

    def token(self, claims: dict[str, Any] | None = None, **header: object) -> str:
        head = without_none({"alg": self.algorithm, "typ": "JWT", "kid": self.key_id, **header})
        return self.signed(
            json.dumps(head).encode(), json.dumps(CLAIMS if claims is None else claims).encode()
        )

    def signed(self, header: bytes, payload: bytes) -> str:
        message = f"{encoded(header)}.{encoded(payload)}"
        signature = get_default_algorithms()[self.algorithm].sign(message.encode(), self.private)
        return f"{message}.{encoded(signature)}"


@cache
def rsa_signer(key_id: str = "rsa-1", bits: int = 2048, algorithm: str = "RS256") -> Signer:
    return Signer(key_id, algorithm, rsa.generate_private_key(65537, bits))


@cache
def ec_signer(key_id: str = "ec-1", algorithm: str = "ES256") -> Signer:
    return Signer(key_id, algorithm, ec.generate_private_key(CURVES[algorithm]))


@cache
def ed_signer(key_id: str = "ed-1") -> Signer:
    return Signer(key_id, "EdDSA", ed25519.Ed25519PrivateKey.generate())


def jwks(*keys: Signer | dict[str, Any]) -> bytes:
    return json.dumps({"keys": [key.jwk() if isinstance(key, Signer) else key for key in keys]}).encode()


def claims(**changes: object) -> dict[str, Any]:
    """Good claims with changes; what is changed to None is left out."""
    return without_none({**CLAIMS, **changes})


def without_none(table: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in table.items() if value is not None}


def encoded(data: bytes) -> str:
    return urlsafe_b64encode(data).rstrip(b"=").decode()


class Clock:
    """Moves only when told."""

    def __init__(self, now: float = NOW) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


@dataclass
class Published:
    """Where the keys are, without a network."""

    content: bytes | Exception
    is_near: bool = False
    shown: str = "the provider"
    is_new: bool = False
    fetches: int = 0

    def changed(self) -> bool:
        return self.is_new

    def fetch(self) -> bytes:
        self.fetches += 1
        self.is_new = False
        if isinstance(self.content, Exception):
            raise self.content
        return self.content

    def goes_away(self) -> None:
        self.content = KeyProblem("cannot be reached: Connection refused")


@dataclass
class Provider:
    """A gate's view of a provider, at a time that the test sets."""

    published: Published
    rules: OidcRules = RULES
    clock: Clock = field(default_factory=Clock)
    steady: Clock = field(default_factory=lambda: Clock(0))
    verified: VerifiedTokens = field(default_factory=VerifiedTokens)

    def __post_init__(self) -> None:
        self.ring = KeyRing(self.published, read_keys, self.steady)
        self.tokens = JwtTokens(self.rules, self.ring, self.clock, self.verified)

    def later(self, seconds: float) -> None:
        self.clock.now += seconds
        self.steady.now += seconds

    async def settled(self) -> None:
        """When nothing is being fetched."""
        if (asking := self.ring._asking) is not None:
            await asking

    async def refuses(self, token: str) -> bool:
        try:
            await self.tokens.caller(token)
        except InvalidCredentials:
            return True
        return False


def provider(*keys: Signer | dict[str, Any], rules: OidcRules = RULES) -> Provider:
    return Provider(Published(jwks(*keys)), rules)


def checks(caplog: pytest.LogCaptureFixture) -> list[str]:
    """Which checks failed, as the log has it."""
    told = (getattr(record, "plangate", None) for record in caplog.records)
    return [each.fields["check"] for each in told if each is not None and each.event == "oidc_refused"]


def events(caplog: pytest.LogCaptureFixture) -> list[str]:
    told = (getattr(record, "plangate", None) for record in caplog.records)
    return [each.event for each in told if each is not None]
