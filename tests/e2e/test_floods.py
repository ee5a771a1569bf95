"""Floods of streams, calls and wrong tokens, readers that do not read: others go on, and nothing is left."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from bench import floods
from bench.token import WRONG_TOKEN
from tests.e2e.processes import ServerProcess, server_with, serving
from tests.helpers.conditions import PATIENCE
from tests.helpers.gate import Gate, connected, proposal
from tests.helpers.scraping import Numbers, scrape, scrape_until
from tests.helpers.tokens import local_token

pytestmark = pytest.mark.load

Flood = Callable[[str, int, str], Awaitable[None]]

MEGABYTE = 1024 * 1024
MOST_LEFT = 24 * MEGABYTE
"""Memory that may stay with the process: of a flood that leaks, every call would keep more than 10 KB."""
POOLED = 4
"""Files that a busy server keeps open, of its database."""
PLANS = 600
"""Together they are more than any socket takes that nobody reads from."""
LARGE = "# Plan\n" + "x" * 100_000


@asynccontextmanager
async def bystander(gate: Gate) -> AsyncIterator[list[str]]:
    """Somebody who proposes and approves plans meanwhile; gives the plans that were approved so far."""
    over, approved = asyncio.Event(), list[str]()

    async def work() -> None:
        while not over.is_set() or not approved:
            plan = await gate.propose()
            await gate.decide(plan, "approve")
            approved.append(plan.plan_uri)

    working = asyncio.create_task(work())
    yield approved
    over.set()
    async with asyncio.timeout(PATIENCE):
        await working


def at_rest(before: Numbers) -> Callable[[Numbers], bool]:
    """No stream is open, and no connection but those from before."""

    def holds(now: Numbers) -> bool:
        files = now("process_open_fds") - before("process_open_fds")
        return open_streams(now) == 0 and files <= POOLED

    return holds


def open_streams(numbers: Numbers) -> float:
    return numbers("plangate_open_streams", method="/aiserver.v1.PlanReviewService/WatchReviews")


async def check_nothing_stays(server: ServerProcess, before: Numbers) -> None:
    after = await scrape_until(server.web, at_rest(before))
    name = "process_resident_memory_bytes"
    assert after(name) - before(name) < MOST_LEFT


@pytest.mark.parametrize(
    ("flood", "count", "token"),
    [
        (floods.cancelled_streams, 5000, ""),
        (floods.burst, 2000, ""),
        (floods.wrong_tokens, 2000, WRONG_TOKEN),
    ],
    ids=["streams", "burst", "wrong tokens"],
)
async def test_a_flood_passes(tmp_path: Path, flood: Flood, count: int, token: str) -> None:
    """Whoever works meanwhile is answered; streams, connections and memory are as before."""
    async with serving(tmp_path / "plangate.db") as server, connected(server.address) as gate:
        token = token or local_token("reviewer")
        for _ in range(3):  # calls that wait live long: what they leave is collected only now and then
            await flood(server.address, count, token)
        async with bystander(gate):
            await scrape_until(server.web, lambda now: open_streams(now) == 0)
        before = await scrape(server.web)
        async with bystander(gate) as approved:
            await flood(server.address, count, token)
        assert approved
        await check_nothing_stays(server, before)


async def propose_large_ones(gate: Gate) -> None:
    async with asyncio.timeout(PATIENCE):
        for _ in range(PLANS):
            await gate.propose(proposal(LARGE))


async def test_watchers_who_do_not_read(tmp_path: Path) -> None:
    """More is written than any buffer holds, others are answered, and who hangs up is forgotten."""
    never_cut_off = server_with(rpc__running__SEND_SECONDS=PATIENCE)
    async with (
        serving(tmp_path / "plangate.db", program=never_cut_off) as server,
        connected(server.address) as gate,
    ):
        await propose_large_ones(gate)  # so that what is kept of plans is there before
        before = await scrape(server.web)
        deaf = asyncio.create_task(floods.deaf_watchers(server.address, 60, local_token("reviewer")))
        await scrape_until(server.web, lambda now: open_streams(now) == floods.CONNECTIONS)
        await propose_large_ones(gate)
        held = await scrape(server.web)
        assert held("plangate_stream_queue_length") > 0, "somebody lags behind"
        deaf.cancel()
        await asyncio.gather(deaf, return_exceptions=True)
        await check_nothing_stays(server, before)
