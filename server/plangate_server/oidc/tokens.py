"""Who shows a JWT, if it is one to be believed."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime
from hashlib import sha256

from plangate_server.domain.errors import InvalidCredentials
from plangate_server.domain.identity import Caller
from plangate_server.logs import Log
from plangate_server.oidc.bearers import credential_id_of, principal_of
from plangate_server.oidc.claims import check_claims
from plangate_server.oidc.compact import MOST_BYTES, Jwt, looks_like_jwt, read_jwt
from plangate_server.oidc.keyring import KeyRing
from plangate_server.oidc.keys import Key
from plangate_server.oidc.rejected import Rejected
from plangate_server.oidc.rules import OidcRules
from plangate_server.oidc.verified import Verified, VerifiedTokens

tell = Log(__name__)


class JwtTokens:
    """Tokens of the provider that the rules name. ``clock`` gives the seconds since 1970."""

    def __init__(
        self,
        rules: OidcRules,
        ring: KeyRing,
        clock: Callable[[], float] = time.time,
        verified: VerifiedTokens | None = None,
    ) -> None:
        self._rules = rules
        self._ring = ring
        self._clock = clock
        self._verified = VerifiedTokens() if verified is None else verified

    def by_heart(self, token: str) -> Caller | None:
        """Whose token it is, if it was believed before and has not ended."""
        if len(token) > MOST_BYTES:
            return None
        found = self._verified.find(sha256(token.encode(errors="surrogatepass")).digest())
        return found.caller if found is not None and found.end > self._clock() else None

    async def caller(self, token: str) -> Caller:
        """Who shows it. Raises InvalidCredentials, which does not say why: that is for the log."""
        try:
            verified = await self._checked(token)
            self._check_end(verified)
        except Rejected as rejected:
            tell.info("oidc_refused", "a JWT is refused", check=rejected.check)
            raise InvalidCredentials from None
        return verified.caller

    def _check_end(self, verified: Verified) -> None:
        """Looked at last: keys may have been waited for."""
        if verified.end <= self._clock():
            raise Rejected("exp")

    async def _checked(self, token: str) -> Verified:
        if len(token) > MOST_BYTES:
            raise Rejected("size")
        if not looks_like_jwt(token):
            raise Rejected("form")
        digest = sha256(token.encode()).digest()
        known = self._verified.find(digest)
        if known is not None:
            if known.end > self._clock() and known.key in await self._ring.keys(known.key.key_id):
                return known
            self._verified.drop(digest)
        verified = await self._verify(read_jwt(token))
        self._verified.keep(digest, verified)
        return verified

    async def _verify(self, jwt: Jwt) -> Verified:
        """The claims first, though nobody has signed them yet: what is not for us fetches no keys."""
        if jwt.algorithm not in self._rules.algorithms:
            raise Rejected("algorithm")
        end = check_claims(jwt.claims, self._rules, self._clock())
        key = await self._signer(jwt)
        principal = principal_of(jwt.claims, self._rules)
        expire_time = datetime.fromtimestamp(end, UTC)
        return Verified(Caller(principal, credential_id_of(jwt), expire_time), end, key)

    async def _signer(self, jwt: Jwt) -> Key:
        keys = await self._ring.keys(jwt.key_id)
        if not keys:
            raise Rejected("key")
        for key in keys:
            if jwt.algorithm in key.algorithms and key.signed(jwt.signed, jwt.signature, jwt.algorithm):
                return key
        raise Rejected("signature")
