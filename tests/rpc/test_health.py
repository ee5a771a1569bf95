"""Health follows the database, and tells whoever watches."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from grpc.aio import ServicerContext
from grpc_health.v1.health_pb2 import HealthCheckRequest, HealthCheckResponse

from plangate_server import pulse
from plangate_server.rpc.calls import CallLog
from plangate_server.rpc.health import Health
from plangate_server.rpc.running import Running
from plangate_server.rpc.server import RpcServer
from plangate_server.rpc.services import NAMES
from tests.helpers.gate import Gate, connected
from tests.helpers.health import SERVICES, answered, told, watch
from tests.helpers.refusals import refused
from tests.helpers.world import make_world


@pytest.fixture(autouse=True)
def quick_pulse(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pulse, "BEAT_SECONDS", 0.01)


@asynccontextmanager
async def watched(gate: Gate) -> AsyncIterator[list[Any]]:
    """A watch of each service."""
    streams = [watch(gate, service) for service in SERVICES]
    yield streams
    for stream in streams:
        stream.cancel()


async def test_a_server_does_not_serve_before_it_is_told_to() -> None:
    """While it starts, every service is NOT_SERVING; who watches learns when that is over."""
    server = RpcServer(make_world().world, CallLog())
    port = await server.start("127.0.0.1:0")
    async with connected(f"127.0.0.1:{port}", token="") as gate, watched(gate) as streams:
        assert await answered(gate) == await told(streams) == {"NOT_SERVING"}
        server.health.tell(serving=True)
        assert await answered(gate) == await told(streams) == {"SERVING"}
    await server.stop(0)


async def test_a_server_that_drains_does_not_serve_again() -> None:
    """A database that comes back meanwhile changes nothing."""
    server = RpcServer(make_world().world, CallLog())
    port = await server.start("127.0.0.1:0")
    server.health.tell(serving=True)
    async with connected(f"127.0.0.1:{port}", token="") as gate, watched(gate) as streams:
        assert await told(streams) == {"SERVING"}
        server.health.drain()
        assert await told(streams) == {"NOT_SERVING"}
        server.health.tell(serving=True)
        assert await answered(gate) == {"NOT_SERVING"}
    await server.stop(0)


async def test_a_watcher_whose_answer_is_being_sent_when_the_server_drains() -> None:
    """It is told of that, too, before its stream ends."""
    health = Health(NAMES, make_world().world.clock, Running())
    health.tell(serving=True)
    answers = health.Watch(HealthCheckRequest(), Mock(spec_set=ServicerContext))
    told = [await anext(answers)]
    health.drain()
    told += [answer async for answer in answers]
    assert [HealthCheckResponse.ServingStatus.Name(answer.status) for answer in told] == [
        "SERVING",
        "NOT_SERVING",
    ]


@pytest.mark.parametrize("replaced", [False, True], ids=["moved away", "replaced"])
async def test_a_file_that_is_not_there_any_more(gate: Gate, tmp_path: Path, *, replaced: bool) -> None:
    """What is written would be found by nobody: NOT_SERVING and no writes until the file is back."""
    file, elsewhere = tmp_path / "plangate.db", tmp_path / "elsewhere.db"
    async with watched(gate) as streams:
        assert await told(streams) == {"SERVING"}
        for _ in range(2):
            file.rename(elsewhere)
            if replaced:
                file.write_bytes(elsewhere.read_bytes())
            assert await told(streams) == {"NOT_SERVING"}
            assert await answered(gate) == {"NOT_SERVING"}
            assert (await refused(gate.propose())).reason == "STORE_UNAVAILABLE"
            elsewhere.replace(file)
            assert await told(streams) == {"SERVING"}
            assert await answered(gate) == {"SERVING"}
    plan = await gate.propose()
    assert await gate.plans() == [plan]
