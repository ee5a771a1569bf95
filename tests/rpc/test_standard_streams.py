"""Health and reflection need no token, so what they hold open is bounded for all callers together."""

import asyncio
from typing import Any

import grpc
import pytest
from google.protobuf.descriptor_pool import DescriptorPool
from grpc_health.v1.health_pb2 import HealthCheckResponse
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase
from grpc_reflection.v1alpha.reflection_pb2 import ServerReflectionRequest, ServerReflectionResponse

from plangate_server.rpc import standard
from tests.helpers.conditions import PATIENCE
from tests.helpers.gate import Gate
from tests.helpers.health import check, watch
from tests.helpers.refusals import refused
from tests.helpers.streams import next_of
from tests.rpc.test_reflection import REFLECTION, reflect

MOST = 2


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """No more than two at a time."""
    monkeypatch.setattr(standard, "STANDARD_STREAMS", MOST)


@pytest.fixture
async def watched(gate: Gate) -> list[Any]:
    """As many watchers as there may be."""
    streams = [watch(gate, "") for _ in range(MOST)]
    for stream in streams:
        assert (await next_of(stream)).status == HealthCheckResponse.SERVING
    return streams


async def is_let_in(gate: Gate) -> bool:
    stream = watch(gate, "")
    try:
        await stream.read()
    except grpc.aio.AioRpcError as error:
        if error.code() is not grpc.StatusCode.RESOURCE_EXHAUSTED:
            raise
        return False
    stream.cancel()
    return True


async def test_one_watcher_too_many_is_refused(gate: Gate, watched: list[Any]) -> None:
    """In words; a look at health, and every call with a token, goes on."""
    refusal = await refused(watch(gate, "").read())
    assert (refusal.status, refusal.reason) == ("RESOURCE_EXHAUSTED", "")
    assert refusal.message == "at most 2 streams of standard services are open: close others first"
    assert (await check(gate, "")).status == HealthCheckResponse.SERVING
    assert (await gate.propose()).plan_uri
    for stream in watched:
        assert not stream.done()


async def test_when_one_goes_another_comes(gate: Gate, watched: list[Any]) -> None:
    """However it ended, its place is free again."""
    assert not await is_let_in(gate)
    watched[0].cancel()
    async with asyncio.timeout(PATIENCE):
        while not await is_let_in(gate):
            pass


@pytest.mark.parametrize("version", REFLECTION)
async def test_reflection_is_counted_with_health(gate: Gate, watched: list[Any], version: str) -> None:
    """In both of its versions."""
    asked = ServerReflectionRequest(list_services="")
    assert (await refused(reflect(gate, version, asked))).status == "RESOURCE_EXHAUSTED"


@pytest.mark.parametrize("version", REFLECTION)
async def test_answers_that_ended_are_not_counted(gate: Gate, version: str) -> None:
    """One after another there can be any number."""
    for _ in range(3 * MOST):
        (answer,) = await reflect(gate, version, ServerReflectionRequest(list_services=""))
        assert answer.HasField("list_services_response")


class Versioned:
    """A channel on which the one client that there is speaks a version of reflection."""

    def __init__(self, channel: grpc.Channel, version: str) -> None:
        self._channel = channel
        self._version = version

    def stream_stream(self, _: str, **__: Any) -> Any:
        return self._channel.stream_stream(
            f"/{self._version}.ServerReflection/ServerReflectionInfo",
            ServerReflectionRequest.SerializeToString,
            ServerReflectionResponse.FromString,
        )


def found(address: str, version: str) -> list[str]:
    with grpc.insecure_channel(address) as channel:
        database: Any = ProtoReflectionDescriptorDatabase(Versioned(channel, version))  # type: ignore[arg-type]
        assert "agent.v1.PlanService" in database.get_services()
        service = DescriptorPool(database).FindServiceByName("agent.v1.PlanService")
        return [method.name for method in service.methods]


@pytest.mark.parametrize("version", REFLECTION)
async def test_the_client_of_reflection_finds_everything(gate: Gate, version: str) -> None:
    """The one that comes with gRPC for Python, which opens a stream for every question."""
    assert "CreatePlan" in await asyncio.to_thread(found, gate.address, version)
