"""Reflection in both of its versions: what grpcurl and buf ask before anything else."""

from graphlib import TopologicalSorter
from typing import Any

import grpc
import pytest
from google.protobuf.descriptor import Descriptor
from google.protobuf.descriptor_pb2 import FileDescriptorProto
from google.protobuf.descriptor_pool import DescriptorPool
from grpc_reflection.v1alpha.reflection_pb2 import ServerReflectionRequest, ServerReflectionResponse

from tests.helpers import descriptors
from tests.helpers.gate import Gate

REFLECTION = ["grpc.reflection.v1", "grpc.reflection.v1alpha"]
STANDARD = {"grpc.health.v1.Health", *(f"{version}.ServerReflection" for version in REFLECTION)}


def reflecting(gate: Gate, version: str) -> Any:
    """The method itself."""
    return gate.channel.stream_stream(
        f"/{version}.ServerReflection/ServerReflectionInfo",
        ServerReflectionRequest.SerializeToString,
        ServerReflectionResponse.FromString,
    )


async def reflect(gate: Gate, version: str, *requests: ServerReflectionRequest) -> list[Any]:
    return [response async for response in reflecting(gate, version)(iter(requests))]


async def described(gate: Gate, version: str, *symbols: str) -> DescriptorPool:
    """Everything that reflection says about the symbols, and nothing that this process knows."""
    requests = [ServerReflectionRequest(file_containing_symbol=symbol) for symbol in symbols]
    files: dict[str, FileDescriptorProto] = {}
    for response in await reflect(gate, version, *requests):
        assert response.HasField("file_descriptor_response"), response
        for data in response.file_descriptor_response.file_descriptor_proto:
            file = FileDescriptorProto.FromString(data)
            files[file.name] = file
    pool = DescriptorPool()
    order = TopologicalSorter({name: file.dependency for name, file in files.items()})
    for name in order.static_order():
        pool.Add(files[name])
    return pool


def shape(message: Descriptor) -> list[object]:
    """What a client must know of a message to encode it."""
    return [message.full_name, [(field.name, field.number, field.type) for field in message.fields]]


@pytest.mark.parametrize("version", REFLECTION)
async def test_reflection_lists_every_service(empty_gate: Gate, version: str) -> None:
    """The services of the contract, health, and reflection in both of its versions are listed."""
    [response] = await reflect(empty_gate, version, ServerReflectionRequest(list_services=""))
    listed = [service.name for service in response.list_services_response.service]
    assert sorted(listed) == sorted(descriptors.services().keys() | STANDARD)


@pytest.mark.parametrize("version", REFLECTION)
@pytest.mark.parametrize("name", descriptors.services())
async def test_reflection_describes_every_method(empty_gate: Gate, version: str, name: str) -> None:
    """A client that knows nothing can learn every method of a service and every type that it takes."""
    service = (await described(empty_gate, version, name)).FindServiceByName(name)
    known = descriptors.services()[name]
    assert [(m.name, m.client_streaming, m.server_streaming) for m in service.methods] == [
        (m.name, m.client_streaming, m.server_streaming) for m in known.methods
    ]
    for method, same in zip(service.methods, known.methods, strict=True):
        assert shape(method.input_type) == shape(same.input_type)
        assert shape(method.output_type) == shape(same.output_type)


@pytest.mark.parametrize("version", REFLECTION)
async def test_reflection_describes_the_standard_services(empty_gate: Gate, version: str) -> None:
    """Health and both versions of reflection can be called by a client that knows nothing."""
    pool = await described(empty_gate, version, *sorted(STANDARD))
    assert [name for name in STANDARD if not pool.FindServiceByName(name).methods] == []


@pytest.mark.parametrize("version", REFLECTION)
async def test_reflection_describes_the_details_of_refusals(empty_gate: Gate, version: str) -> None:
    """A client that knows nothing can read what a refusal carries."""
    details = [f"google.rpc.{name}" for name in ("ErrorInfo", "BadRequest", "RetryInfo")]
    pool = await described(empty_gate, version, *details)
    assert [pool.FindMessageTypeByName(name).full_name for name in details] == details


@pytest.mark.parametrize("version", REFLECTION)
async def test_reflection_describes_a_method_by_name(empty_gate: Gate, version: str) -> None:
    """A method can be asked for by its own name, as `grpcurl describe` does."""
    name = "agent.v1.PlanService.CreatePlan"
    assert (await described(empty_gate, version, name)).FindMethodByName(name).name == "CreatePlan"


async def test_reflection_of_what_is_not_there(empty_gate: Gate) -> None:
    """An unknown symbol is answered with NOT_FOUND, and the stream goes on."""
    unknown = ServerReflectionRequest(file_containing_symbol="agent.v1.Nothing")
    known = ServerReflectionRequest(file_containing_symbol="agent.v1.Plan")
    first, second = await reflect(empty_gate, REFLECTION[0], unknown, known)
    assert first.error_response.error_code == grpc.StatusCode.NOT_FOUND.value[0]
    assert second.HasField("file_descriptor_response")
