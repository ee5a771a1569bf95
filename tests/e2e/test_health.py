"""PostgreSQL goes away under a running server and comes back: health says so, and nobody restarts it."""

from __future__ import annotations

import asyncio
import signal

from tests.e2e.processes import run, serving
from tests.helpers.conditions import PATIENCE
from tests.helpers.gate import connected, proposal
from tests.helpers.health import SERVICES, answered, told, watch
from tests.helpers.postgres import running_server
from tests.helpers.refusals import refused


async def test_health_follows_the_database() -> None:
    """Every service is NOT_SERVING while it is away, and serves when it is back; so is every call."""
    with running_server() as postgres:
        postgres.create_database("gate")
        async with (
            asyncio.timeout(3 * PATIENCE),
            serving(postgres.url("gate")) as server,
            connected(server.address) as gate,
        ):
            plan = await gate.propose()
            streams = [watch(gate, service) for service in SERVICES]
            assert await told(streams) == {"SERVING"}
            for turn in range(2):
                await asyncio.to_thread(postgres.stop)
                assert await told(streams) == {"NOT_SERVING"}
                assert await answered(gate) == {"NOT_SERVING"}
                refusal = await refused(gate.propose(proposal("# Later", request_id=f"r{turn}")))
                assert (refusal.status, refusal.reason) == ("UNAVAILABLE", "STORE_UNAVAILABLE")
                await asyncio.to_thread(postgres.start)
                assert await told(streams) == {"SERVING"}
                assert await answered(gate) == {"SERVING"}
                assert await gate.get(plan.plan_uri) == plan
                await gate.propose(proposal("# Later", request_id=f"r{turn}"))
            assert len(await gate.plans()) == 3
            for stream in streams:
                stream.cancel()
            ended = await server.exit(signal.SIGTERM)
    assert ended.code == 0
    assert ended.errors.count("not serving until it is back") == 2
    assert "Traceback" not in ended.errors


async def test_a_server_does_not_start_without_its_database() -> None:
    """It says so and exits, instead of listening and refusing everything."""
    with running_server() as postgres:
        url = postgres.url("nowhere")
    ended = await run("--listen", "127.0.0.1:0", "--database", url)
    assert (ended.code, ended.output) == (1, "")
    assert "cannot be used" in ended.errors
