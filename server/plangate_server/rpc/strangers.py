"""Connections on which many calls come and never one with credentials that hold: they are hung up.

To refuse a call takes the gate nearly as long as to hand it over, so a pace alone does not keep out a flood.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from typing import Final, NoReturn

from plangate_server.rpc.connections import peer_address

LOOK_SECONDS: Final = 0.25
MANY: Final = 100
"""Calls that found the line of unknown callers full, since the last look."""
MOST_PEERS: Final = 10_000


class Strangers:
    """Who was refused, connection by connection, and on which somebody known has called."""

    def __init__(self) -> None:
        self._refused: Counter[str] = Counter()
        self._known: set[str] = set()

    def known(self, peer: str) -> None:
        """A call of somebody who is known has come: others can share the connection with them."""
        if len(self._known) >= MOST_PEERS:
            self._known.clear()
        self._known.add(peer)

    def refused(self, peer: str) -> None:
        """The line was full."""
        self._refused[peer] += 1

    def take(self) -> set[str]:
        """The addresses of connections that are to be hung up."""
        many = [peer for peer, count in self._refused.items() if count >= MANY and peer not in self._known]
        self._refused.clear()
        return {peer_address(peer) for peer in many} - {""}

    async def hang_up(self, end: Callable[[set[str]], None]) -> NoReturn:
        """Now and then and in a thread, as all connections have to be looked at: thousands take long."""
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            if peers := self.take():
                await asyncio.to_thread(end, peers)
