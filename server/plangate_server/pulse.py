"""Whether the database can be read and written, asked again and again: the service's health follows it."""

from __future__ import annotations

import asyncio
from typing import Final, NoReturn, Protocol

from plangate_server.domain.errors import StorageFull, StoreUnavailable
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
                self._not_serving(*_AWAY)
            await look
        except StorageFull:
            self._not_serving(*_FULL)
        except StoreUnavailable:
            self._not_serving(*_AWAY)
        except Exception as error:
            if self._serving is not False:  # told once, and not twice a second
                tell.fault("database_failed", "the database could not be looked at", error)
            self._not_serving(*_AWAY)
        else:
            self._set(serving=True)
        finally:
            look.cancel()

    def _not_serving(self, event: str, words: str) -> None:
        if self._serving is not False:
            tell.warning(event, words)
        self._set(serving=False)

    def _set(self, *, serving: bool) -> None:
        before, self._serving = self._serving, serving
        if serving == before:
            return
        if serving and before is not None:
            tell.warning("database_back", "the database is back: serving")
        self._tell(serving=serving)


_AWAY: Final = ("database_away", "the database cannot be used: not serving until it is back")
_FULL: Final = (
    "database_full",
    "the disk of the database is full: not serving until there is room; what is there can be read",
)
