"""The disk of the database is full, as callers of a server see it."""

from __future__ import annotations

from tests.e2e.processes import serving
from tests.helpers.full_disk import little_room_in_postgres
from tests.helpers.gate import connected, proposal
from tests.helpers.refusals import refused
from tests.helpers.resuming import log_of
from tests.helpers.streams import types
from tests.rpc.steps import until, watching


async def test_a_full_disk_is_told_and_passes(postgres_url: str) -> None:
    """Writes are refused with a time to retry, reads go on; with room again, the retry has one effect."""
    request = proposal("# Later", request_id="r1")
    async with serving(postgres_url) as server, connected(server.address) as gate:
        stream, _ = await watching(gate)
        plan = await gate.propose()
        await until(stream, "PLAN_APPROVAL_REQUIRED")
        with little_room_in_postgres(postgres_url, least=0):
            for _ in range(2):
                refusal = await refused(gate.propose(request))
                assert (refusal.status, refusal.reason) == ("RESOURCE_EXHAUSTED", "STORAGE_FULL")
                assert refusal.retry_seconds > 0
            assert await gate.get(plan.plan_uri) == plan
            assert await gate.plans() == [plan]
        later = await gate.propose(request)
        assert await gate.propose(request) == later
        told = await until(stream, "PLAN_APPROVAL_REQUIRED")
        stream.cancel()
        assert types(told) == ["PLAN_CREATED", "PLAN_APPROVAL_REQUIRED"]
        assert [event.plan_uri for event in await log_of(gate)] == [plan.plan_uri] * 2 + [later.plan_uri] * 2
