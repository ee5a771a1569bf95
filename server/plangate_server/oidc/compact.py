"""A JWT as it is sent: three parts with dots between them, read without believing any of it."""

from __future__ import annotations

import binascii
import json
import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import Any, Final

from msgspec import Struct

from plangate_server.oidc.rejected import Rejected

MOST_BYTES: Final = 8 * 1024
LONGEST_KEY_ID: Final = 256

_FORM: Final = re.compile(r"[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+")

# Tokens of other kinds are signed by the same keys, and would be taken for what they are not.
_TYPES: Final = frozenset({"jwt", "at+jwt", "application/jwt", "application/at+jwt"})


class Jwt(Struct, frozen=True):
    algorithm: str
    key_id: str
    claims: dict[str, Any]
    signed: bytes
    signature: bytes


def looks_like_jwt(token: str) -> bool:
    """Whether it has the form of one: three parts, with dots between them."""
    return _FORM.fullmatch(token) is not None


def read_jwt(token: str) -> Jwt:
    """What it says, which nobody has checked yet; or Rejected."""
    if len(token) > MOST_BYTES:
        raise Rejected("size")
    if not looks_like_jwt(token):
        raise Rejected("form")
    header, payload, signature = token.split(".")
    head = _table(header, "header")
    algorithm, key_id = head.get("alg"), head.get("kid")
    if "crit" in head:  # it names what must be understood, and nothing beyond the standard is
        raise Rejected("critical header")
    if not isinstance(algorithm, str):
        raise Rejected("algorithm")
    if not isinstance(key_id, str) or not 0 < len(key_id) <= LONGEST_KEY_ID:
        raise Rejected("key id")
    if str(head.get("typ", "JWT")).lower() not in _TYPES:
        raise Rejected("type")
    signed = token.rpartition(".")[0].encode()
    return Jwt(algorithm, key_id, _table(payload, "payload"), signed, _bytes(signature, "signature"))


def read_json(text: str) -> Any:
    """JSON that can be read in one way only, or ValueError."""
    try:
        return json.loads(text, object_pairs_hook=_without_repeats, parse_constant=_no_constant)
    except RecursionError:
        raise ValueError("nested too deep") from None


def _table(part: str, check: str) -> dict[str, Any]:
    try:
        found = read_json(_bytes(part, check).decode())
    except ValueError:
        raise Rejected(check) from None
    if not isinstance(found, dict):
        raise Rejected(check)
    return found


def _bytes(part: str, check: str) -> bytes:
    """Refuses the other spellings of the same bytes: each token is written in one way."""
    try:
        found = urlsafe_b64decode(part + "=" * (-len(part) % 4))
    except binascii.Error:
        raise Rejected(check) from None
    if urlsafe_b64encode(found).rstrip(b"=") != part.encode():
        raise Rejected(check)
    return found


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name stands there twice")
    return found


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")
