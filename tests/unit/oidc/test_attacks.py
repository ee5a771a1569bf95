"""Tokens that nobody may get in with. The caller learns nothing of why, the log learns which check failed."""

import hashlib
import hmac
import json
from typing import Any

import pytest
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from msgspec.structs import replace

from plangate_server.domain.errors import InvalidCredentials, Reason
from tests.helpers.oidc import (
    CLAIMS,
    NOW,
    RULES,
    Signer,
    checks,
    claims,
    ec_signer,
    ed_signer,
    encoded,
    jwks,
    provider,
    rsa_signer,
)

RSA, EC, ED = rsa_signer(), ec_signer(), ed_signer()
MALLORY = ed_signer("mallory")
HEADER = {"alg": "EdDSA", "kid": "ed-1"}
BODY = json.dumps(CLAIMS).encode()


def unsigned(header: dict[str, Any], signature: str = "AAAA") -> str:
    return f"{encoded(json.dumps(header).encode())}.{encoded(BODY)}.{signature}"


def by_secret(secret: bytes) -> str:
    """Signed with what everybody knows, in the hope that it is taken for a shared secret."""
    message = unsigned({"alg": "HS256", "kid": "rsa-1"}).rpartition(".")[0]
    return f"{message}.{encoded(hmac.digest(secret, message.encode(), hashlib.sha256))}"


def posing_as(victim: Signer, **header: object) -> str:
    """Signed with a key of one's own."""
    return Signer(victim.key_id, MALLORY.algorithm, MALLORY.private).token(CLAIMS, **header)


def altered(token: str) -> str:
    """Another payload under the signature."""
    head, _, signature = token.split(".")
    return f"{head}.{encoded(json.dumps(claims(groups=['plangate-admins'])).encode())}.{signature}"


def raw(header: str | bytes, payload: str | bytes = BODY) -> str:
    """With a good signature over anything."""
    parts = (part.encode() if isinstance(part, str) else part for part in (header, payload))
    return ED.signed(*parts)


GOOD = json.dumps(HEADER)
PUBLIC = RSA.private.public_key()
PEM = PUBLIC.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
DER = PUBLIC.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)

ATTACKS = {
    "no algorithm": (unsigned({"alg": "none", "kid": "ed-1"}), "algorithm"),
    "no algorithm, spelt otherwise": (unsigned({"alg": "nOnE", "kid": "ed-1"}), "algorithm"),
    "no algorithm, no signature": (unsigned({"alg": "none", "kid": "ed-1"}, ""), "form"),
    "the algorithm is left out": (unsigned({"kid": "ed-1"}), "algorithm"),
    "the algorithm is a list": (unsigned({"alg": ["EdDSA"], "kid": "ed-1"}), "algorithm"),
    "an algorithm that nobody knows": (unsigned({"alg": "XX", "kid": "ed-1"}), "algorithm"),
    "the public key as a secret, in PEM": (by_secret(PEM), "algorithm"),
    "the public key as a secret, in DER": (by_secret(DER), "algorithm"),
    "an empty secret": (by_secret(b""), "algorithm"),
    "another algorithm than the key's": (Signer("rsa-1", "ES256", EC.private).token(), "signature"),
    "the key of another id": (Signer("ed-1", "RS256", RSA.private).token(), "signature"),
    "a key that is not known": (MALLORY.token(), "key"),
    "a key of one's own under a good id": (posing_as(ED), "signature"),
    "a key in the header": (posing_as(ED, jwk=MALLORY.jwk()), "signature"),
    "a place of keys in the header": (posing_as(ED, jku="https://evil.example.com/keys"), "signature"),
    "a certificate in the header": (posing_as(ED, x5u="https://evil.example.com", x5c=["MIIB"]), "signature"),
    "a key in the header, and no id": (posing_as(ED, jwk=MALLORY.jwk(), kid=None), "key id"),
    "no key id": (ED.token(kid=None), "key id"),
    "an empty key id": (ED.token(kid=""), "key id"),
    "a key id that is a number": (ED.token(kid=1), "key id"),
    "a key id that is a path": (ED.token(kid="../../etc/passwd"), "key"),
    "a very long key id": (ED.token(kid="k" * 257), "key id"),
    "something critical": (ED.token(crit=["exp"]), "critical header"),
    "something critical that is known": (ED.token(crit=["b64"], b64=True), "critical header"),
    "nothing critical": (ED.token(crit=[]), "critical header"),
    "a token of another kind": (ED.token(typ="logout+jwt"), "type"),
    "a kind that is no text": (ED.token(typ=["JWT"]), "type"),
    "another payload": (altered(ED.token()), "signature"),
    "another payload, EC": (altered(EC.token()), "signature"),
    "another payload, RSA": (altered(RSA.token()), "signature"),
    "half a signature": (ED.token()[:-20], "signature"),
    "a signature of nothing": (unsigned({"alg": "ES256", "kid": "ec-1"}, encoded(bytes(64))), "signature"),
    "another issuer": (ED.token(claims(iss="https://evil.example.com")), "issuer"),
    "the issuer with a slash": (ED.token(claims(iss="https://login.example.com/")), "issuer"),
    "the issuer in a list": (ED.token(claims(iss=["https://login.example.com"])), "issuer"),
    "no issuer": (ED.token(claims(iss=None)), "issuer"),
    "another audience": (ED.token(claims(aud="plangate2")), "audience"),
    "other audiences": (ED.token(claims(aud=["plan", "gate", ["plangate"]])), "audience"),
    "an audience that holds ours": (ED.token(claims(aud="xplangatex")), "audience"),
    "an audience that is a table": (ED.token(claims(aud={"plangate": 1})), "audience"),
    "no audience": (ED.token(claims(aud=None)), "audience"),
    "expired": (ED.token(claims(exp=NOW - 1)), "exp"),
    "no end": (ED.token(claims(exp=None)), "exp"),
    "an end that is a text": (ED.token(claims(exp=str(NOW + 600))), "exp"),
    "an end that is true": (ED.token(claims(exp=True)), "exp"),
    "an end after all years": (ED.token(claims(exp=10**15)), "exp"),
    "an end of many digits": (raw(GOOD, BODY.replace(b"1800000600.0", b"9" * 400)), "exp"),
    "an end of too many digits": (raw(GOOD, BODY.replace(b"1800000600.0", b"9" * 4400)), "payload"),
    "an end beyond all numbers": (raw(GOOD, BODY.replace(b"1800000600.0", b"1e999")), "exp"),
    "an end that is no number": (raw(GOOD, BODY.replace(b"1800000600.0", b"NaN")), "payload"),
    "an endless end": (raw(GOOD, BODY.replace(b"1800000600.0", b"Infinity")), "payload"),
    "not valid yet": (ED.token(claims(nbf=NOW + 3600)), "nbf"),
    "a beginning that is a text": (ED.token(claims(nbf="now")), "nbf"),
    "made in the future": (ED.token(claims(iat=NOW + 3600)), "iat"),
    "made before all time": (ED.token(claims(iat=-1)), "iat"),
    "a claim twice": (raw(GOOD, BODY[:-1] + b', "groups": ["plangate-admins"]}'), "payload"),
    "a claim twice, deep inside": (raw(GOOD, BODY[:-1] + b', "x": [{"a": 1, "a": 2}]}'), "payload"),
    "a header twice": (raw(GOOD[:-1] + ', "alg": "none"}'), "header"),
    "nested deep": (raw(GOOD, b"[" * 5000), "payload"),
    "nested deep, tables": (raw(GOOD, b'{"":' * 1400), "payload"),
    "a header nested deep": (raw(b"[" * 2500 + b"]" * 2500), "header"),
    "a payload that is a list": (raw(GOOD, "[]"), "payload"),
    "a payload that is nothing": (raw(GOOD, "null"), "payload"),
    "a header that is a text": (raw('"EdDSA"'), "header"),
    "a payload in UTF-16": (raw(GOOD, json.dumps(CLAIMS).encode("utf-16")), "payload"),
    "a payload with a byte order mark": (raw(GOOD, b"\xef\xbb\xbf" + BODY), "payload"),
    "a payload that is not UTF-8": (raw(GOOD, b'{"a": "\xff"}'), "payload"),
    "something after the payload": (raw(GOOD, BODY + b"{}"), "payload"),
    "too large": (ED.token(claims(x="x" * 8192)), "size"),
    "much too large": ("a." * 10_000_000, "size"),
    "bad base64 in the header": (f"a.{encoded(BODY)}.AAAA", "header"),
    "bad base64 in the payload": (f"{encoded(GOOD.encode())}.aaaaa.AAAA", "payload"),
    "bad base64 in the signature": (ED.token()[:-1], "signature"),
    "other base64": (ED.token().replace(".", "+.", 1), "form"),
    "padding": (ED.token() + "==", "form"),
    "two parts": (ED.token().rpartition(".")[0], "form"),
    "four parts": (ED.token() + ".AAAA", "form"),
    "an encrypted token": (ED.token() + ".AAAA.AAAA", "form"),
    "blanks around it": (f" {ED.token()}", "form"),
    "a line break after it": (f"{ED.token()}\n", "form"),
    "other characters": ("é.é.é", "form"),
    "half a character": ("\ud800.a.a", "form"),
    "nothing": ("", "form"),
    "dots": ("..", "form"),
}


@pytest.mark.parametrize("name", ATTACKS)
async def test_an_attack_is_refused(name: str, caplog: pytest.LogCaptureFixture) -> None:
    """By the check that is meant to find it."""
    token, check = ATTACKS[name]
    with pytest.raises(InvalidCredentials) as refused:
        await provider(RSA, EC, ED).tokens.caller(token)
    assert checks(caplog) == [check]
    assert (refused.value.reason, refused.value.metadata) == (Reason.INVALID_CREDENTIALS, {})
    assert str(refused.value) == str(InvalidCredentials())


async def test_the_log_has_nothing_of_a_token(caplog: pytest.LogCaptureFixture) -> None:
    """Neither itself nor what its claims say."""
    for token, _ in ATTACKS.values():
        assert await provider(RSA, EC, ED).refuses(token)
    logged = "".join(f"{record.getMessage()}{getattr(record, 'plangate', '')}" for record in caplog.records)
    told = [part for token, _ in ATTACKS.values() for part in token.split(".") if len(part) > 20]
    assert not any(part in logged for part in told)
    assert not any(word in logged for word in ("ada", "4711", "evil", "mallory", "passwd"))


async def test_another_spelling_of_the_same_signature_is_refused(caplog: pytest.LogCaptureFixture) -> None:
    """Its last character has bits that mean nothing: a token that was written off must not come back so."""
    token = ED.token()
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    other = token[:-1] + alphabet[alphabet.index(token[-1]) ^ 1]
    assert await provider(ED).refuses(other)
    assert checks(caplog) == ["signature"]


async def test_only_algorithms_of_the_file_are_taken(caplog: pytest.LogCaptureFixture) -> None:
    """Also if the provider's key could be used with others."""
    known = provider(RSA, ED, rules=replace(RULES, algorithms=("RS256",)))
    assert not await known.refuses(RSA.token())
    assert await known.refuses(ED.token())
    assert await known.refuses(Signer("rsa-1", "RS512", RSA.private).token())
    assert checks(caplog) == ["algorithm", "algorithm"]


async def test_only_the_algorithm_of_the_key_is_taken() -> None:
    """If the provider says which it is."""
    known = provider(RSA.jwk(alg="RS512"))
    assert await known.refuses(RSA.token())
    assert not await known.refuses(Signer("rsa-1", "RS512", RSA.private).token())


async def test_two_keys_of_one_id_are_both_of_the_provider() -> None:
    """What either signed is taken, whatever their kinds; a third does not get in beside them."""
    other = Signer("ed-1", "EdDSA", ed_signer("other").private)
    rsa = Signer("ed-1", "RS256", RSA.private)
    known = provider(ED, other, rsa)
    for signer in (ED, other, rsa):
        assert not await known.refuses(signer.token())
    assert await known.refuses(posing_as(ED))


@pytest.mark.parametrize(
    ("jwk", "problem"),
    [
        ({"kty": "oct", "kid": "x", "k": "AAAA"}, "is secret"),
        ({**ED.jwk(), "d": "AAAA"}, "is secret"),
        (ED.jwk(kid=None), "has no kid"),
        (ED.jwk(kid=7), "has no kid"),
        (ED.jwk(use="enc"), "is not for signatures"),
        (ED.jwk(key_ops=["sign"]), "is not for signatures"),
        (ED.jwk(key_ops="verify"), "is not for signatures"),
        (ED.jwk(alg="HS256"), "is of a kind"),
        (RSA.jwk(alg="ES256"), "is of a kind"),
        (EC.jwk(crv="P-384"), "cannot be read"),
        (EC.jwk(crv="secp256k1"), "is of a kind"),
        (EC.jwk(x="AAAA"), "cannot be read"),
        (EC.jwk(y=EC.jwk()["x"]), "cannot be read"),
        (ED.jwk(crv="X25519"), "is of a kind"),
        (ED.jwk(x=7), "cannot be read"),
        (ED.jwk(x="AAAA"), "cannot be read"),
        (ED.jwk(kty=["OKP"]), "is of a kind"),
        (RSA.jwk(n=None), "cannot be read"),
        (RSA.jwk(e="AQ"), "cannot be read"),
        (rsa_signer("small", 1024).jwk(), "has not 2048 to 8192 bits"),
        ([], "is no table"),
    ],
)
async def test_a_key_that_cannot_be_used_spoils_no_other(
    jwk: Any, problem: str, caplog: pytest.LogCaptureFixture
) -> None:
    """It is left out, and the log says why."""
    known = provider(jwk, rsa_signer("rsa-2"))
    assert not await known.refuses(rsa_signer("rsa-2").token())
    assert any(message.startswith(f"the provider: keys[0] {problem}") for message in caplog.messages)


@pytest.mark.parametrize(
    "content",
    [b"", b"[]", b"null", b"{}", b'{"keys": {}}', b'{"keys": [], "keys": []}', b"\xff", b"[" * 100_000,
     json.dumps({"keys": [{}] * 101}).encode()],
)  # fmt: skip
async def test_what_is_no_jwks_opens_nothing(content: bytes, caplog: pytest.LogCaptureFixture) -> None:
    """It counts as if the provider were away."""
    known = provider()
    known.published.content = content
    assert await known.refuses(ED.token())
    assert "JWTs are refused until it has keys" in caplog.text
    known.published.content = jwks(ED)
    known.later(30)
    assert not await known.refuses(ED.token())
