"""Whether the database can be used, asked again and again: the service's health follows it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import Final, NoReturn, Protocol

from plangate_server.domain.errors import StoreUnavailable
from plangate_server.logs import Log
from plangate_server.ports import Store

tell = Log(__name__)

BEAT_SECONDS: Final = 0.5
SILENT_SECONDS: Final = 10.0
"""A look that takes so long does not only wait behind others: nobody answers."""


class Tell(Protocol):
    def __call__(self, *, serving: bool) -> None: ...


class Pulse:
    """The one that decides whether the service can serve, and tells it."""

    def __init__(self, store: Store, tell: Tell) -> None:
        self._store = store
        self._tell = tell
        self._serving: bool | None = None

    async def keep(self) -> NoReturn:
        while True:
            await asyncio.sleep(BEAT_SECONDS)
            await self.beat()

    async def beat(self) -> None:
        """Look once. Only one look is under way at a time, however long it takes."""
        look = asyncio.ensure_future(self._store.check())
        try:
            await asyncio.wait({look}, timeout=SILENT_SECONDS)
            if not look.done():
                self._set(serving=False)
            self._set(serving=await self._succeeds(look))
        finally:
            look.cancel()

    def _set(self, *, serving: bool) -> None:
        before, self._serving = self._serving, serving
        if serving == before:
            return
        if not serving:
            tell.warning("database_away", "the database cannot be used: not serving until it is back")
        elif before is not None:
            tell.warning("database_back", "the database is back: serving")
        self._tell(serving=serving)

    async def _succeeds(self, look: Awaitable[None]) -> bool:
        try:
            await look
        except StoreUnavailable:
            return False
        except Exception as error:
            if self._serving is not False:  # told once, and not twice a second
                tell.fault("database_failed", "the database could not be looked at", error)
            return False
        return True
