"""The disk of the database is full, as callers of a server see it."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Iterator
from pathlib import Path

import grpc
import pytest

from plangate_proto.agent.v1.plan_resource_pb2 import Plan
from plangate_proto.agent.v1.plan_service_pb2 import CreatePlanRequest
from tests.e2e.processes import serving
from tests.helpers.full_disk import SmallDisk, little_room_in_postgres, small_disk
from tests.helpers.gate import Gate, connected, proposal
from tests.helpers.health import SERVICES, answered, told, watch
from tests.helpers.refusals import refused
from tests.helpers.resuming import log_of
from tests.helpers.scraping import ask
from tests.helpers.streams import types
from tests.rpc.steps import until, updated, watching

TURNS = 2


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[SmallDisk]:
    with small_disk(tmp_path / "disk") as disk:
        yield disk


async def test_a_full_disk_is_told_and_passes(postgres_url: str) -> None:
    """Writes are refused with a time to retry, reads go on, health says so; a retry has one effect."""
    request = proposal("# Later", request_id="r1")
    async with serving(postgres_url) as server, connected(server.address) as gate:
        stream, _ = await watching(gate)
        health = [watch(gate, service) for service in SERVICES]
        assert await told(health) == {"SERVING"}
        plan = await gate.propose()
        await until(stream, "PLAN_APPROVAL_REQUIRED")
        with little_room_in_postgres(postgres_url, least=0):
            for _ in range(2):
                await assert_full(gate, request)
            assert await told(health) == {"NOT_SERVING"}
            assert await answered(gate) == {"NOT_SERVING"}
            assert (await ask(server.web, "/healthz")).status == 503
            assert await gate.get(plan.plan_uri) == plan
            assert await gate.plans() == [plan]
        assert await told(health) == {"SERVING"}
        later = await gate.propose(request)
        assert await gate.propose(request) == later
        told_of = await until(stream, "PLAN_APPROVAL_REQUIRED")
        for each in (stream, *health):
            each.cancel()
        assert types(told_of) == ["PLAN_CREATED", "PLAN_APPROVAL_REQUIRED"]
        assert [event.plan_uri for event in await log_of(gate)] == [plan.plan_uri] * 2 + [later.plan_uri] * 2


async def test_a_file_system_without_room(disk: SmallDisk) -> None:
    """SQLite writes again by itself once there is room: while there is none, every write says so, reads and
    streams go on, and every service is NOT_SERVING, also if nobody tries to write.
    """
    async with serving(disk.folder / "plangate.db") as server, connected(server.address) as gate:
        stream, _ = await watching(gate)
        health = [watch(gate, service) for service in SERVICES]
        assert await told(health) == {"SERVING"}
        plan = await gate.propose()
        await until(stream, "PLAN_APPROVAL_REQUIRED")
        for turn in range(TURNS):
            disk.fill()
            assert await told(health) == {"NOT_SERVING"}
            request = proposal("# Later", request_id=f"r{turn}")
            for _ in range(3):
                await asyncio.gather(assert_full(gate, request), assert_no_update(gate, plan))
            assert await answered(gate) == {"NOT_SERVING"}
            assert (await ask(server.web, "/healthz")).status == 503
            assert await gate.get(plan.plan_uri) == plan
            disk.empty()
            later = await gate.propose(request)
            assert await gate.propose(request) == later
            assert [event.plan_uri for event in await until(stream, "PLAN_APPROVAL_REQUIRED")] == [
                later.plan_uri
            ] * 2
            assert await told(health) == {"SERVING"}
            assert (await ask(server.web, "/healthz")).status == 200
            plan = await updated(gate, plan, f"# Otherwise {turn}")
            await until(stream, "PLAN_APPROVAL_REQUIRED")
        assert len(await gate.plans()) == 1 + TURNS
        for each in (stream, *health):
            each.cancel()
        ended = await server.exit(signal.SIGTERM)
    assert ended.code == 0
    assert ended.events.count("database_full") == ended.events.count("database_back") == TURNS
    assert not {"fault", "housekeeping_failed", "batch_failed", "database_failed"}.intersection(ended.events)


async def test_a_kill_on_a_full_disk(disk: SmallDisk) -> None:
    """The next server opens while the disk is still full, shows every plan that was acknowledged, and writes
    when there is room.
    """
    database, kept = disk.folder / "plangate.db", dict[str, Plan]()
    async with serving(database) as server, connected(server.address) as gate:
        disk.fill(room=400_000)
        for number in range(40):
            answers = await asyncio.gather(*(proposed(gate, f"{number}-{each}") for each in range(4)))
            kept |= {plan.plan_uri: plan for plan in answers if plan}
        assert 0 < len(kept) < 160
        await server.exit(signal.SIGKILL)
    async with serving(database) as server, connected(server.address) as gate:
        assert await answered(gate) == {"NOT_SERVING"}
        assert {plan.plan_uri: plan for plan in await gate.plans()} == kept
        await assert_full(gate, proposal("# Later", request_id="later"))
        await server.exit(signal.SIGKILL)
    disk.empty()
    async with serving(database) as server, connected(server.address) as gate:
        assert await answered(gate) == {"SERVING"}
        assert {plan.plan_uri: plan for plan in await gate.plans()} == kept
        await gate.propose(proposal("# Later", request_id="later"))


async def proposed(gate: Gate, name: str) -> Plan | None:
    """The plan; None if there was no room for it."""
    request = proposal(f"# {name}", request_id=name)
    try:
        return await gate.propose(request)
    except grpc.aio.AioRpcError as error:
        if error.code() is not grpc.StatusCode.RESOURCE_EXHAUSTED:
            raise
        return None


async def assert_full(gate: Gate, request: CreatePlanRequest) -> None:
    refusal = await refused(gate.propose(request))
    assert (refusal.status, refusal.reason) == ("RESOURCE_EXHAUSTED", "STORAGE_FULL")
    assert refusal.retry_seconds > 0


async def assert_no_update(gate: Gate, plan: Plan) -> None:
    refusal = await refused(updated(gate, plan, "# Without room"))
    assert (refusal.status, refusal.reason) == ("RESOURCE_EXHAUSTED", "STORAGE_FULL")
