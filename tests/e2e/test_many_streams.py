"""Very many streams at one server."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from plangate_proto.aiserver.v1.plan_review_service_pb2 import WatchReviewsRequest
from tests.e2e.processes import serving
from tests.helpers.conditions import PATIENCE
from tests.helpers.gate import Gate, connected
from tests.helpers.streams import next_of, types
from tests.rpc.steps import kinds

pytestmark = pytest.mark.load

STREAMS = 2000
CLIENTS = 4


async def test_two_thousand_streams_get_an_event_each(tmp_path: Path) -> None:
    """All of them, opened in one burst, tell of a plan that was proposed when they were open."""
    opened, live = 0, asyncio.Event()

    async def watch(gate: Gate) -> tuple[list[str], str]:
        nonlocal opened
        stream = gate.reviews.WatchReviews(WatchReviewsRequest(types=kinds("PLAN_CREATED")))
        marker = await next_of(stream, 2 * PATIENCE)
        opened += 1
        if opened == STREAMS:
            live.set()
        told = await next_of(stream, 2 * PATIENCE)
        stream.cancel()
        return types([marker.event, told.event]), told.event.plan_uri

    async with asyncio.timeout(2 * PATIENCE), AsyncExitStack() as stack:
        server = await stack.enter_async_context(serving(tmp_path / "plangate.db"))
        gates = [await stack.enter_async_context(connected(server.address)) for _ in range(CLIENTS)]
        watches = [asyncio.create_task(watch(gates[place % CLIENTS])) for place in range(STREAMS)]
        await live.wait()
        plan = await gates[0].propose()
        told = await asyncio.gather(*watches)
    assert told == [(["CHECKPOINT", "PLAN_CREATED"], plan.plan_uri)] * STREAMS
