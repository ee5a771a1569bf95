"""Tokens that were checked before: a signature takes longer to check than many a call takes."""

from __future__ import annotations

from collections import OrderedDict
from typing import Final

from msgspec import Struct

from plangate_server.domain.identity import Caller
from plangate_server.oidc.keys import Key

MOST: Final = 10_000


class Verified(Struct, frozen=True):
    caller: Caller
    end: float
    """When the token ends, in seconds since 1970."""
    key: Key
    """What it was signed with: if that is withdrawn, the token is worth nothing."""


class VerifiedTokens:
    """By the digest of the token, which is not kept; those used last stay."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._kept: OrderedDict[bytes, Verified] = OrderedDict()

    def __len__(self) -> int:
        return len(self._kept)

    def find(self, digest: bytes) -> Verified | None:
        found = self._kept.get(digest)
        if found is not None:
            self._kept.move_to_end(digest)
        return found

    def keep(self, digest: bytes, verified: Verified) -> None:
        self._kept[digest] = verified
        self._kept.move_to_end(digest)
        if len(self._kept) > self._most:
            self._kept.popitem(last=False)

    def drop(self, digest: bytes) -> None:
        self._kept.pop(digest, None)
