"""Health, service by service, and one server to a port: what load balancers rely on."""

import asyncio
from pathlib import Path

import pytest
from grpc_health.v1.health_pb2 import HealthCheckResponse

from plangate_server.app import running
from plangate_server.settings import Settings
from tests.helpers.gate import ANY_PORT, Gate
from tests.helpers.health import SERVICES, check, watch
from tests.helpers.refusals import refused
from tests.helpers.streams import next_of
from tests.helpers.tokens import token_dir


@pytest.mark.parametrize("service", SERVICES)
async def test_health_of_a_service(gate: Gate, service: str) -> None:
    """Check and Watch agree that every service of the contract serves; "" is the server itself."""
    expected = HealthCheckResponse(status=HealthCheckResponse.SERVING)
    assert await check(gate, service) == expected
    stream = watch(gate, service)
    assert await next_of(stream) == expected
    stream.cancel()


async def test_health_of_an_unknown_service(gate: Gate) -> None:
    """Check refuses a service that is not there; Watch says so and would tell if it came."""
    assert (await refused(check(gate, "agent.v1.Nothing"))).status == "NOT_FOUND"
    stream = watch(gate, "agent.v1.Nothing")
    assert (await next_of(stream)).status == HealthCheckResponse.SERVICE_UNKNOWN
    stream.cancel()


@pytest.mark.parametrize("service", ["", "agent.v1.PlanService"])
async def test_health_when_shutdown_begins(gate: Gate, service: str) -> None:
    """Who watches learns that the server stops before it is gone."""
    stream = watch(gate, service)
    assert (await next_of(stream)).status == HealthCheckResponse.SERVING
    stopping = asyncio.ensure_future(gate.stop())
    assert (await next_of(stream)).status == HealthCheckResponse.NOT_SERVING
    stream.cancel()
    await stopping


async def test_a_port_has_one_server(gate: Gate, tmp_path: Path) -> None:
    """A second server on the same address is refused instead of taking half of the calls."""
    second = Settings(gate.address, f"sqlite:///{tmp_path}/second.db", token_dir(), ANY_PORT)
    with pytest.raises(OSError, match=gate.address):
        async with running(second):
            pass
    assert await gate.plans() == []
