"""Which line a call waits in, and at what pace the lines move."""

from __future__ import annotations

from typing import Final

from plangate_server.domain import limits
from plangate_server.domain.errors import TooManyWaiting
from plangate_server.domain.identity import Principal
from plangate_server.rpc.budgets import name_of
from plangate_server.rpc.running import Context
from plangate_server.rpc.turns import LineFull, Pace, Turn, Turns

AT_ONCE: Final = 64
"""Calls of one caller that are worked on at a time."""
UNKNOWN_PER_SECOND: Final = 500
"""Calls of all callers whom the gate does not know, and as many of services that need no token: what those
cost is taken from everybody.
"""


class Lines:
    """One for each caller. Who is not known stands in a line of their address: all of those together move
    slowly, and nobody who is known waits behind them.
    """

    def __init__(self) -> None:
        self._known = Turns(Pace(AT_ONCE, limits.CALLS_IN_LINE, 2 * limits.CALLS_IN_LINE))
        most = limits.UNKNOWN_CALLS_IN_LINE
        slow = Pace(AT_ONCE, most, most, UNKNOWN_PER_SECOND, seconds=0.01)
        self._unknown = Turns(slow)
        self._open = Turns(slow)

    async def known(self, principal: Principal, weight: int) -> Turn:
        try:
            return await self._known.take(name_of(principal), weight)
        except LineFull:
            raise TooManyWaiting("calls_in_line", limits.CALLS_IN_LINE) from None

    async def unknown(self, context: Context) -> Turn:
        """Somebody whom the gate does not know."""
        return await _by_address(self._unknown, context)

    async def open_to_all(self, context: Context) -> None:
        """Somebody calls what needs no token. Apart from those who should have one: whoever asks for the
        gate's health must be told it while others try out tokens.
        """
        (await _by_address(self._open, context)).end()


async def _by_address(turns: Turns, context: Context) -> Turn:
    """The connections from one address, behind which many can be, take turns in its line."""
    peer = context.peer()
    try:
        return await turns.take(peer.rpartition(":")[0], part=peer)
    except LineFull:
        raise TooManyWaiting("unknown_calls_in_line", limits.UNKNOWN_CALLS_IN_LINE) from None
