"""The keys of a provider, as it publishes them (JWKS), and whether one of them signed.

The one module that needs PyJWT and cryptography.
"""

from __future__ import annotations

from typing import Any, Final, TypeAlias

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePublicKey
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from jwt.algorithms import Algorithm, get_default_algorithms
from jwt.exceptions import PyJWTError
from msgspec import Struct

from plangate_server.oidc.compact import read_json
from plangate_server.oidc.keys import Key, KeyProblem, KeySet
from plangate_server.oidc.rules import ALGORITHMS

MOST_KEYS: Final = 100
LEAST_RSA_BITS: Final = 2048
MOST_RSA_BITS: Final = 8192

PublicKey: TypeAlias = RSAPublicKey | EllipticCurvePublicKey | Ed25519PublicKey

_known: Final = get_default_algorithms()
_ALGORITHMS: Final[dict[str, Algorithm]] = {name: _known[name] for name in ALGORITHMS}
_FITTING: Final = {
    ("RSA", None): tuple(name for name in ALGORITHMS if name.startswith(("RS", "PS"))),
    ("EC", "P-256"): ("ES256",),
    ("EC", "P-384"): ("ES384",),
    ("EC", "P-521"): ("ES512",),
    ("OKP", "Ed25519"): ("EdDSA",),
}


class PublishedKey(Struct, frozen=True):
    """Two are equal if they are the same key for the same use."""

    key_id: str
    algorithms: frozenset[str]
    public: PublicKey

    def signed(self, message: bytes, signature: bytes, algorithm: str) -> bool:
        if algorithm not in self.algorithms:
            return False
        return _ALGORITHMS[algorithm].verify(message, self.public, signature)


def read_keys(data: bytes) -> KeySet:
    """The keys that can be used; what is wrong with the others; or KeyProblem if it is no JWKS at all."""
    try:
        found = read_json(data.decode())
    except ValueError:
        raise KeyProblem("this is not JSON") from None
    listed = found.get("keys") if isinstance(found, dict) else None
    if not isinstance(listed, list):
        raise KeyProblem('this is no JWKS: it has no list "keys"')
    if len(listed) > MOST_KEYS:
        raise KeyProblem(f"it has more than {MOST_KEYS} keys")
    keys: dict[str, tuple[Key, ...]] = {}
    unused = []
    for place, jwk in enumerate(listed):
        try:
            key = _key(jwk)
        except KeyProblem as problem:
            unused.append(f"keys[{place}] {problem}")
        else:
            keys[key.key_id] = (*keys.get(key.key_id, ()), key)
    return KeySet(keys, tuple(unused))


def _key(jwk: Any) -> PublishedKey:
    if not isinstance(jwk, dict):
        raise KeyProblem("is no table")
    key_id = jwk.get("kid")
    if not isinstance(key_id, str) or not key_id:
        raise KeyProblem("has no kid, by which tokens name it")
    if "d" in jwk or jwk.get("kty") == "oct":
        raise KeyProblem("is secret, and must not be published: make a new one")
    if jwk.get("use", "sig") != "sig" or "verify" not in _operations(jwk):
        raise KeyProblem("is not for signatures")
    return PublishedKey(key_id, _algorithms(jwk), _public(jwk))


def _operations(jwk: dict[str, Any]) -> list[Any]:
    found = jwk.get("key_ops", ["verify"])
    return found if isinstance(found, list) else []


def _algorithms(jwk: dict[str, Any]) -> frozenset[str]:
    """Those that fit the key; only its own if it names one."""
    for (kind, curve), fitting in _FITTING.items():
        if (jwk.get("kty"), jwk.get("crv") if curve else None) == (kind, curve):
            only = jwk.get("alg")
            algorithms = frozenset(name for name in fitting if only is None or name == only)
            if algorithms:
                return algorithms
    raise KeyProblem("is of a kind, or for an algorithm, that is not taken")


def _public(jwk: dict[str, Any]) -> PublicKey:
    reader = {"RSA": "RS256", "EC": "ES256", "OKP": "EdDSA"}[jwk["kty"]]
    try:
        public: PublicKey = _ALGORITHMS[reader].from_jwk(jwk)
    except (PyJWTError, UnsupportedAlgorithm, ValueError, TypeError, KeyError):
        raise KeyProblem("cannot be read") from None
    if isinstance(public, RSAPublicKey) and not LEAST_RSA_BITS <= public.key_size <= MOST_RSA_BITS:
        raise KeyProblem(f"has not {LEAST_RSA_BITS} to {MOST_RSA_BITS} bits")
    return public
