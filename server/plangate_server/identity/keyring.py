"""The tokens that hold, by heart: nobody waits for the database to be known."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Protocol

from plangate_server.domain.credentials import Credential, is_credential_id, read_token_text
from plangate_server.domain.errors import InvalidCredentials, MissingCredentials
from plangate_server.domain.identity import Caller
from plangate_server.ports import Clock, Store

MOST_BEARERS: Final = 10_000


class Provider(Protocol):
    """Knows the bearers of tokens that are not of ours."""

    def by_heart(self, token: str) -> Caller | None:
        """Whose token it is, if it was believed before and is still."""

    async def caller(self, token: str) -> Caller:
        """Who shows it. Raises InvalidCredentials."""


class Keyring:
    """Knows callers by their tokens and certificates. ``local`` are tokens that are not in the store;
    ``provider`` knows the bearers of tokens that are not of ours.
    """

    def __init__(
        self,
        store: Store,
        clock: Clock,
        local: Iterable[Credential] = (),
        provider: Provider | None = None,
    ) -> None:
        self._provider = provider
        self._store = store
        self._clock = clock
        self._local = {each.credential_id: each for each in local}
        self._known: Mapping[str, Credential] = self._local
        self._bearers: dict[str, Credential] = {}
        """Those whose token was looked at before: most calls come from them."""
        self._certificates: Mapping[str, Sequence[Credential]] = {}
        self._counted = (0, 0, "")
        self._begun = self._finished = 0
        self._one_look = asyncio.Lock()

    def by_heart(self, token: str, certificate: str) -> Caller | None:
        if not token:
            credential = self._standing_for(certificate) if certificate else None
            return credential.caller if credential else None
        credential = self._bearers.get(token) or self._fitting(token)
        if credential is not None:
            return credential.caller if credential.holds(self._clock.now()) else None
        return self._provider.by_heart(token) if self._provider else None

    async def known(self, token: str, certificate: str) -> Caller:
        if token:
            return await self._bearer(token)
        if certificate:
            return await self._holder(certificate)
        raise MissingCredentials

    def holds(self, caller: Caller) -> bool:
        if caller.expire_time is not None and self._clock.now() >= caller.expire_time:
            return False
        return caller.credential_id in self._known or not is_credential_id(caller.credential_id)

    async def refresh(self) -> None:
        # Of all who come while somebody looks, one looks again, for all of them: a flood of unknown tokens
        # costs one look at a time. A look that failed, or was given up, is none.
        next_look = self._begun + 1
        async with self._one_look:
            if self._finished < next_look:
                self._begun += 1
                await self._look()
                self._finished = self._begun

    async def _look(self) -> None:
        counted = await self._store.count_credentials()
        if counted == self._counted:
            return
        every = await self._store.credentials_in_force(self._clock.now())
        certified: defaultdict[str, list[Credential]] = defaultdict(list)
        for each in every:
            certified[each.certificate].append(each)
        certified.pop("", None)
        self._certificates = certified
        self._known = self._local | {each.credential_id: each for each in every}
        self._bearers.clear()
        self._counted = counted

    async def _bearer(self, token: str) -> Caller:
        credential = self._bearers.get(token)
        if credential is None:
            return await self._new_bearer(token)
        if not credential.holds(self._clock.now()):
            raise InvalidCredentials
        return credential.caller

    async def _new_bearer(self, token: str) -> Caller:
        parts = read_token_text(token)
        if parts is None:
            return await self._provided(token)
        if parts[0] not in self._known:
            await self.refresh()
        credential = self._fitting(token)
        if credential is None or not credential.holds(self._clock.now()):
            raise InvalidCredentials
        return credential.caller

    async def _provided(self, token: str) -> Caller:
        if self._provider is None:
            raise InvalidCredentials
        return await self._provider.caller(token)

    def _fitting(self, token: str) -> Credential | None:
        """The credential whose secret the token has; looked up only once."""
        parts = read_token_text(token)
        credential = self._known.get(parts[0]) if parts else None
        if parts is None or credential is None or not credential.fits(parts[1]):
            return None
        if len(self._bearers) >= MOST_BEARERS:
            self._bearers.clear()
        self._bearers[token] = credential
        return credential

    async def _holder(self, certificate: str) -> Caller:
        credential = self._standing_for(certificate)
        if credential is None:
            await self.refresh()
            credential = self._standing_for(certificate)
        if credential is None:
            raise InvalidCredentials
        return credential.caller

    def _standing_for(self, certificate: str) -> Credential | None:
        """The oldest that holds: whoever is let in under a name cannot be replaced by somebody else."""
        now = self._clock.now()
        return next((each for each in self._certificates.get(certificate, ()) if each.holds(now)), None)
