"""Asks a server for its health, as load balancers do."""

from __future__ import annotations

from typing import Any

from grpc_health.v1.health_pb2 import HealthCheckRequest, HealthCheckResponse

from tests.helpers import descriptors
from tests.helpers.gate import Gate
from tests.helpers.streams import next_of

SERVICES = sorted(descriptors.services().keys() | {""})
"""Every service that has a health; "" is the server itself."""


async def check(gate: Gate, service: str) -> HealthCheckResponse:
    call = gate.channel.unary_unary(
        "/grpc.health.v1.Health/Check",
        HealthCheckRequest.SerializeToString,
        HealthCheckResponse.FromString,
    )
    return await call(HealthCheckRequest(service=service))


def watch(gate: Gate, service: str) -> Any:
    call = gate.channel.unary_stream(
        "/grpc.health.v1.Health/Watch",
        HealthCheckRequest.SerializeToString,
        HealthCheckResponse.FromString,
    )
    return call(HealthCheckRequest(service=service))


async def told(streams: list[Any]) -> set[str]:
    """What every one of the streams tells next."""
    kinds = HealthCheckResponse.ServingStatus
    return {kinds.Name((await next_of(stream)).status) for stream in streams}


async def answered(gate: Gate) -> set[str]:
    """What is answered for every service now."""
    kinds = HealthCheckResponse.ServingStatus
    return {kinds.Name((await check(gate, service)).status) for service in SERVICES}
