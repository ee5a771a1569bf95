"""Somebody else's open transaction: it may delay a write, and nothing else."""

from __future__ import annotations

import asyncio

from plangate_proto.aiserver.v1.plan_review_service_pb2 import VerifyAuditRequest
from tests.e2e.processes import server_with, serving
from tests.helpers.conditions import PATIENCE
from tests.helpers.external_session import holding, until_somebody_waits
from tests.helpers.gate import connected, proposal
from tests.helpers.refusals import refused
from tests.helpers.resuming import log_of
from tests.helpers.streams import types
from tests.rpc.steps import until, watching

WAITS_FOR_LOCKS = server_with(storage__postgres__LOCK_SECONDS=round(PATIENCE))
LOCK = "SELECT * FROM workspaces FOR UPDATE"
LOOK = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM events"


async def test_while_the_log_is_locked_reads_go_on_and_writes_wait(postgres_url: str) -> None:
    """Plans are shown and streams are opened; when the lock is gone, every write is done once."""
    async with (
        asyncio.timeout(PATIENCE),
        serving(postgres_url, program=WAITS_FOR_LOCKS) as server,
        connected(server.address) as gate,
    ):
        plan = await gate.propose()
        async with holding(postgres_url, LOCK):
            decision = asyncio.create_task(gate.decide(plan, "approve"))
            await until_somebody_waits(postgres_url)
            others = [asyncio.create_task(gate.propose()) for _ in range(10)]
            assert await gate.get(plan.plan_uri) == plan
            assert await gate.plans() == [plan]
            assert len(await log_of(gate)) == 2
            stream, _ = await watching(gate)
            assert not decision.done()
        await decision
        await asyncio.gather(*others)
        told = [event for _ in others for event in await until(stream, "PLAN_APPROVAL_REQUIRED")]
        stream.cancel()
        assert types(told) == ["PLAN_APPROVED", *["PLAN_CREATED", "PLAN_APPROVAL_REQUIRED"] * 10]
        assert (await log_of(gate))[2:] == told
        assert (await gate.reviews.VerifyAudit(VerifyAuditRequest())).valid


async def test_a_caller_does_not_wait_longer_than_it_wants(postgres_url: str) -> None:
    """Its deadline ends the call, not the write behind it: that is done once when the lock is gone."""
    request = proposal("# Once", request_id="r1")
    async with (
        asyncio.timeout(PATIENCE),
        serving(postgres_url, program=WAITS_FOR_LOCKS) as server,
        connected(server.address) as gate,
    ):
        await gate.propose()
        async with holding(postgres_url, LOCK):
            refusal = await refused(gate.agent.CreatePlan(request, timeout=0.2))
            assert refusal.status == "DEADLINE_EXCEEDED"
        plan = await gate.propose(request)
        assert [event.plan_uri for event in (await log_of(gate))[2:]] == [plan.plan_uri] * 2


async def test_an_idle_reader_holds_nobody_up(postgres_url: str) -> None:
    """With a snapshot of somebody's held open, writes, reads and streams go on as ever."""
    async with (
        asyncio.timeout(PATIENCE),
        serving(postgres_url, program=WAITS_FOR_LOCKS) as server,
        connected(server.address) as gate,
    ):
        stream, _ = await watching(gate)
        async with holding(postgres_url, LOOK):
            plan = await gate.propose()
            await gate.decide(plan, "approve")
            assert len(await log_of(gate)) == 3
            assert types(await until(stream, "PLAN_APPROVED"))[0] == "PLAN_CREATED"
        stream.cancel()
