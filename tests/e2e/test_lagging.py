"""Readers that fall behind: those who do not read, and those who come back too late."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import grpc

from plangate_proto.agent.v1.plan_resource_pb2 import Plan
from plangate_proto.aiserver.v1.plan_review_service_pb2 import (
    AddCommentRequest,
    VerifyAuditRequest,
    WatchReviewsRequest,
)
from plangate_server.ports import World
from plangate_server.usecases.create_plan import CreatePlan, create_plan
from tests.e2e.processes import server_with, serving
from tests.helpers.backends import BACKENDS
from tests.helpers.conditions import PATIENCE
from tests.helpers.domain import a_draft
from tests.helpers.gate import Gate, connected, proposal
from tests.helpers.refusals import Refused
from tests.helpers.resuming import Reader, log_of
from tests.helpers.streams import cut_off, types
from tests.helpers.tokens import LOCAL
from tests.helpers.world import NO_POLICY, NOBODY, CountingIds, ManualClock
from tests.rpc.steps import watching

LARGE = "# Plan\n" + "x" * 100_000
FILLING = 100
"""Large plans, which fill every buffer on the way to a client that does not read."""
COMMENTS = 1100
"""More than a stream may lag behind."""


def watch(gate: Gate, cursor: str) -> Any:
    return gate.reviews.WatchReviews(WatchReviewsRequest(cursor=cursor))


async def comment(gate: Gate, plan: Plan, number: int) -> None:
    request = AddCommentRequest(plan_uri=plan.plan_uri, revision=1, text=f"Comment {number}")
    await gate.reviews.AddComment(request)


async def test_who_does_not_read_is_cut_off_and_delays_nobody(tmp_path: Path) -> None:
    """Others get everything meanwhile; the one gets a beginning, SLOW_CONSUMER, and the rest on resuming."""
    only_for_lagging = server_with(rpc__running__SEND_SECONDS=PATIENCE)
    async with (
        asyncio.timeout(PATIENCE),
        serving(tmp_path / "plangate.db", program=only_for_lagging) as server,
        connected(server.address) as gate,
        connected(server.address) as elsewhere,
    ):
        plans = [await gate.propose() for _ in range(2)]  # more comments than one plan may have
        slow, begun = await watching(elsewhere)
        quick = Reader(watch, begun[-1].cursor)
        reading = asyncio.create_task(quick.read([gate]))
        await asyncio.gather(*(gate.propose(proposal(LARGE)) for _ in range(FILLING)))
        for done in range(0, COMMENTS, FILLING):
            await quick.until_told(2 * FILLING + done)
            numbers = range(done, done + FILLING)
            await asyncio.gather(*(comment(gate, plans[number % 2], number) for number in numbers))
        await quick.until_told(2 * FILLING + COMMENTS)
        reading.cancel()

        told, refusal = await cut_off(slow)
        assert (refusal.status, refusal.reason) == ("RESOURCE_EXHAUSTED", "SLOW_CONSUMER")
        assert refusal.retry_seconds > 0
        assert refusal.metadata["cursor"] == told[-1].event.cursor
        again, resumed = await watching(elsewhere, cursor=refusal.metadata["cursor"])
        again.cancel()
        events = [response.event for response in told] + resumed[:-1]
        assert events == quick.events == (await log_of(gate))[4:]


async def events_of_last_year(folder: Path) -> str:
    """Leaves a plan in the folder's database; gives a cursor from before its last event."""
    async with BACKENDS["sqlite"].open(folder) as node:
        world = World(node.store, node.feed, ManualClock(), CountingIds(), NO_POLICY, NOBODY)
        await create_plan(world, LOCAL, CreatePlan(a_draft("# From last year")))
        return node.store.cursors.encode(LOCAL.workspace, 1)


async def until_refused(gate: Gate, cursor: str) -> Refused:
    """The refusal of a watch from the cursor, once the server has forgotten what came after it."""
    async with asyncio.timeout(PATIENCE):
        while True:
            stream = watch(gate, cursor)
            try:
                await stream.read()
                stream.cancel()
            except grpc.aio.AioRpcError:
                return (await cut_off(watch(gate, cursor)))[1]


async def test_who_comes_back_too_late_is_told_so(tmp_path: Path) -> None:
    """A cursor into what is no longer kept is OUT_OF_RANGE, never a gap, and it says how to go on."""
    cursor = await events_of_last_year(tmp_path)
    async with (
        serving(tmp_path / "plangate.db", "--keep-events", "1") as server,
        connected(server.address) as gate,
    ):
        refusal = await until_refused(gate, cursor)
        assert (refusal.status, refusal.reason) == ("OUT_OF_RANGE", "CURSOR_EXPIRED")
        assert "begin again without one" in refusal.fields["cursor"]
        await gate.propose(proposal("# From today"))
        kept, told = await watching(gate, cursor=refusal.metadata["oldest_cursor"])
        anew, shown = await watching(gate, snapshot=True)
        kept.cancel()
        anew.cancel()
        assert types(told) == ["PLAN_CREATED", "PLAN_APPROVAL_REQUIRED", "CHECKPOINT"]
        assert [event.plan.plan for event in shown[:-1]] == ["# From last year", "# From today"]
        assert (await gate.reviews.VerifyAudit(VerifyAuditRequest())).valid
