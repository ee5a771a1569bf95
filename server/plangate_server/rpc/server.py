"""The gRPC server: which services it has, and how it is set up."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from typing import Any, Final, NoReturn

import grpc
from grpc_health.v1 import health_pb2_grpc
from grpc_health.v1.health import SERVICE_NAME
from msgspec import Struct

from plangate_proto.agent.v1 import access_token_service_pb2_grpc as token_service
from plangate_proto.agent.v1 import agent_session_service_pb2_grpc as session_service
from plangate_proto.agent.v1 import plan_service_pb2_grpc as agent_plan_service
from plangate_proto.agent.v1 import tool_approval_service_pb2_grpc as approval_service
from plangate_proto.aiserver.v1 import plan_review_service_pb2_grpc as review_service
from plangate_proto.aiserver.v1 import plan_service_pb2_grpc as aiserver_plan_service
from plangate_server.ports import World
from plangate_server.rpc.aiserver_plan_servicer import AiserverPlanServicer
from plangate_server.rpc.approval_servicer import ApprovalServicer
from plangate_server.rpc.boundary import Boundary
from plangate_server.rpc.calls import CallLog
from plangate_server.rpc.connections import Address, close_connections, listening
from plangate_server.rpc.door import Door
from plangate_server.rpc.handlers import ByName
from plangate_server.rpc.health import Health
from plangate_server.rpc.inside import Inside
from plangate_server.rpc.options import OPTIONS
from plangate_server.rpc.plan_servicer import PlanServicer
from plangate_server.rpc.reflection import add_reflection
from plangate_server.rpc.review_servicer import ReviewServicer
from plangate_server.rpc.running import Running
from plangate_server.rpc.session_servicer import SessionServicer
from plangate_server.rpc.streaming import Encoder
from plangate_server.rpc.token_servicer import TokenServicer
from plangate_server.tls import Certificates

FOR_ITS_USER: Final = 0o177


class Service(Struct, frozen=True):
    name: str
    servicer: type[Any]
    add: Callable[[Any, Any], None]

    def add_to(self, server: Any, world: World, encoder: Encoder) -> None:
        self.add(self.servicer(world, encoder), server)


SERVICES: Final = (
    Service(
        "agent.v1.PlanService",
        PlanServicer,
        agent_plan_service.add_PlanServiceServicer_to_server,
    ),
    Service(
        "agent.v1.ApprovalService",
        ApprovalServicer,
        approval_service.add_ApprovalServiceServicer_to_server,
    ),
    Service(
        "agent.v1.SessionService",
        SessionServicer,
        session_service.add_SessionServiceServicer_to_server,
    ),
    Service(
        "agent.v1.TokenService",
        TokenServicer,
        token_service.add_TokenServiceServicer_to_server,
    ),
    Service(
        "aiserver.v1.PlanService",
        AiserverPlanServicer,
        aiserver_plan_service.add_PlanServiceServicer_to_server,
    ),
    Service(
        "aiserver.v1.PlanReviewService",
        ReviewServicer,
        review_service.add_PlanReviewServiceServicer_to_server,
    ),
)


class RpcServer:
    """The server with its health. Made unstarted; ``start`` gives the port it listens on.

    It serves from the start, and says so when its health is told.
    """

    def __init__(self, world: World, calls: CallLog) -> None:
        self._running = Running()
        self._door = Door(world, self._running)
        self._watches: list[asyncio.Task[NoReturn]] = []
        self._listeners: frozenset[Address] = frozenset()
        boundary = Boundary(self._door, calls, world.limits.message_bytes)
        self._server = grpc.aio.server(interceptors=(boundary,), options=OPTIONS)
        names = [service.name for service in SERVICES]
        calls.expect(names)
        self.health = Health(names, world.clock, self._running)
        server: Any = ByName(self._server)
        encoder = Encoder(world.store.cursors, world.clock)
        for service in SERVICES:
            service.add_to(server, world, encoder)
        self.inside = Inside(boundary, tuple(server.handlers))
        health_pb2_grpc.add_HealthServicer_to_server(self.health, server)
        add_reflection(self._server, [*names, SERVICE_NAME])

    async def start(self, address: str, certificates: Certificates | None = None) -> int:
        """Listen and serve, over TLS if there are certificates. OSError if the address cannot be had."""
        others = listening()
        before = os.umask(FOR_ITS_USER)  # for a Unix socket, which is a file
        try:
            if certificates is None:
                port = self._server.add_insecure_port(address)
            else:
                port = self._server.add_secure_port(address, certificates.credentials())
        except RuntimeError as error:
            raise OSError(f"cannot listen on {address}: is another server there?") from error
        finally:
            os.umask(before)
        await self._server.start()
        self._listeners = listening() - others
        always = (self._running.cut_off_slow_readers(), self._door.see_out())
        self._watches = [asyncio.create_task(each) for each in always]
        return port

    async def stop(self, grace: float) -> None:
        """Let running calls finish and refuse others, for the grace at most; then close all connections. gRPC
        stops when nobody is connected any more: what reached it then would be CANCELLED.
        """
        self._running.close()
        await self._running.finished(grace)
        self._running.cut_off()
        close_connections(self._listeners)
        await self._server.stop(None)
        for watch in self._watches:
            watch.cancel()
