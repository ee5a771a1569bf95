"""Tells other nodes how many reviewers watch here, and hears how many watch there.

A node says it when it changes, and again now and then: one that has not been heard of for a while is gone.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Final

from sqlalchemy import BigInteger, Connection, cast, delete, func, insert, select

from plangate_server.domain.errors import Refusal
from plangate_server.logs import Log
from plangate_server.storage.hub import Hub
from plangate_server.storage.sql import SqlStore
from plangate_server.storage.tables import watchers

tell = Log(__name__)

SAY_AGAIN_SECONDS: Final = 5.0
GONE_SECONDS: Final = 15

# The database's clock: those of the nodes may differ.
_NOW: Final = cast(func.extract("epoch", func.clock_timestamp()), BigInteger)


class Watchers:
    def __init__(self, hub: Hub, node: str) -> None:
        self._hub = hub
        self._node = node

    def look_again(self) -> None:
        self._hub.reviewers_changed.set()

    async def run(self, store: SqlStore, announce: Callable[[Connection], object]) -> None:
        """Never returns."""
        said: Mapping[str, int] = {}
        while True:
            self._hub.reviewers_changed.clear()
            here = dict(self._hub.reviewers_here())
            try:
                elsewhere = await store.in_transaction(_exchange(self._node, here))
                self._hub.reviewers_elsewhere(elsewhere)
                if here != said:
                    await store.in_transaction(announce)
                    said = here
            except Refusal as refusal:
                tell.warning(
                    "watchers_untold",
                    "the database cannot be written: other nodes do not hear who watches here",
                    reason=refusal.reason,
                )
            except Exception as error:
                message = "other nodes could not be told who watches here; it is tried again"
                tell.fault("watchers_failed", message, error)
            await self._until_changed()

    async def stop(self, store: SqlStore) -> None:
        """Nobody watches here any more."""
        own = delete(watchers).where(watchers.c.node == self._node)
        await store.in_transaction(lambda connection: connection.execute(own))

    async def _until_changed(self) -> None:
        try:
            async with asyncio.timeout(SAY_AGAIN_SECONDS):
                await self._hub.reviewers_changed.wait()
        except TimeoutError:
            tell.debug("watchers_unchanged", "still here")


def _exchange(node: str, here: Mapping[str, int]) -> Callable[[Connection], Mapping[str, int]]:
    def exchange(connection: Connection) -> Mapping[str, int]:
        connection.execute(delete(watchers).where(watchers.c.node == node))
        for workspace, reviewers in here.items():
            row = {"node": node, "workspace": workspace, "reviewers": reviewers, "seen": _NOW}
            connection.execute(insert(watchers).values(row))
        others = select(watchers.c.workspace, func.sum(watchers.c.reviewers)).group_by(watchers.c.workspace)
        heard_of = watchers.c.seen >= _NOW - GONE_SECONDS
        rows = connection.execute(others.where(watchers.c.node != node, heard_of)).all()
        return {workspace: int(reviewers) for workspace, reviewers in rows}

    return exchange
