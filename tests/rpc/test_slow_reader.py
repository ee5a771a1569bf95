"""A reader that takes nothing for as long as the server waits."""

import asyncio

from tests.helpers.gate import Gate, connected, proposal
from tests.helpers.streams import WatchedHub, cut_off
from tests.rpc.sending import SendingClock
from tests.rpc.steps import watching

LARGE = "# Plan\n" + "x" * 100_000
FILLING = 100
"""Large plans, which fill every buffer on the way to a client that does not read."""


async def test_a_reader_that_takes_nothing_learns_where_to_resume(
    sending_clock: SendingClock, gate: Gate, hub: WatchedHub
) -> None:
    """It is cut off with SLOW_CONSUMER; what it was told and what follows the cursor are the whole log."""
    async with connected(gate.address) as elsewhere:
        slow, _ = await watching(elsewhere)
        await asyncio.gather(*(gate.propose(proposal(LARGE)) for _ in range(FILLING)))
        with sending_clock.going():
            await hub.until_followers(0)
        told, refusal = await cut_off(slow)
        assert (refusal.status, refusal.reason) == ("RESOURCE_EXHAUSTED", "SLOW_CONSUMER")
        again, resumed = await watching(gate, cursor=refusal.metadata["cursor"])
        again.cancel()
    cursors = [response.event.cursor for response in told] + [event.cursor for event in resumed[:-1]]
    assert len(dict.fromkeys(cursors)) == 2 * FILLING
