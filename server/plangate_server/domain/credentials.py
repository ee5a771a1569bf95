"""Tokens: what proves who somebody is. Of a secret only its hash is ever stored."""

from __future__ import annotations

import hashlib
import hmac
import re
from datetime import datetime
from typing import Final

from msgspec import Struct

from plangate_server.domain.identity import Caller, Principal

PREFIX: Final = "plangate"
"""So that scanners for leaked secrets, and people, know one when they see it."""
ID_DIGITS: Final = 32
_TEXT: Final = re.compile(rf"{PREFIX}_([0-9a-f]{{32}})_([0-9a-f]{{32}})")


class Credential(Struct, frozen=True):
    credential_id: str
    principal: Principal
    create_time: datetime
    created_by: str
    secret_hash: str = ""
    """Empty where a certificate is shown instead."""
    certificate: str = ""
    """The common name of the client certificate; empty where a secret is."""
    expire_time: datetime | None = None
    revoke_time: datetime | None = None

    def holds(self, now: datetime) -> bool:
        return self.revoke_time is None and (self.expire_time is None or now < self.expire_time)

    def fits(self, secret: str) -> bool:
        """Whether this is the secret; how long that takes says nothing about it."""
        return bool(self.secret_hash) and hmac.compare_digest(self.secret_hash, hash_secret(secret))

    @property
    def caller(self) -> Caller:
        return Caller(self.principal, self.credential_id, self.expire_time)


def hash_secret(secret: str) -> str:
    # Secrets are 128 bits of chance, so nobody can try them out; passwords would need something slower.
    return hashlib.sha256(secret.encode()).hexdigest()


def is_credential_id(text: str) -> bool:
    """Whether it names a token of ours."""
    return len(text) == ID_DIGITS and "-" not in text


def token_text(credential_id: str, secret: str) -> str:
    """What the bearer of a token sends."""
    return f"{PREFIX}_{credential_id}_{secret}"


def read_token_text(text: str) -> tuple[str, str] | None:
    """Id and secret; None if it is no token of ours."""
    found = _TEXT.fullmatch(text)
    return (found[1], found[2]) if found else None
