"""grpc.health.v1, asked by hand: two small messages are no reason to need another package."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any, Final

import grpc

from plangate_proto.agent.v1 import (
    access_token_service_pb2,
    agent_session_service_pb2,
    plan_service_pb2,
    tool_approval_service_pb2,
)
from plangate_proto.aiserver.v1 import plan_review_service_pb2
from plangate_proto.aiserver.v1 import plan_service_pb2 as aiserver_plan_service_pb2

CHECK: Final = "/grpc.health.v1.Health/Check"
SERVING: Final = b"\x08\x01"
VERSION, TIME = "plangate-version", "plangate-time"
SERVICES: Final = tuple(
    service.full_name
    for file in (
        plan_service_pb2,
        tool_approval_service_pb2,
        agent_session_service_pb2,
        access_token_service_pb2,
        aiserver_plan_service_pb2,
        plan_review_service_pb2,
    )
    for service in file.DESCRIPTOR.services_by_name.values()
)


@dataclass(frozen=True, slots=True)
class Health:
    """What a server says about itself."""

    serving: bool
    version: str
    """Empty if it does not say."""
    ahead: float | None
    """Seconds by which its clock is ahead of ours; None if it does not say."""
    took: float
    """Seconds that the answer took; the clocks cannot be compared more exactly."""


def ask_health(channel: grpc.Channel, service: str, timeout: float) -> Health:
    """The health of a service; "" is the server itself. Raises grpc.RpcError if there is no answer."""
    name = service.encode()
    call: Any = channel.unary_unary(CHECK)
    before = time.time()
    answer, ended = call.with_call(b"\n%c%s" % (len(name), name) if name else b"", timeout=timeout)
    took = time.time() - before
    said = {key: value for key, value in ended.trailing_metadata() or () if isinstance(value, str)}
    return Health(answer == SERVING, said.get(VERSION, ""), _ahead(said.get(TIME, ""), before, took), took)


def _ahead(told: str, before: float, took: float) -> float | None:
    try:
        return float(told) - (before + took / 2)
    except ValueError:
        return None
