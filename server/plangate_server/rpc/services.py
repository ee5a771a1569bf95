"""Which services the gate has, however it is reached."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

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
from plangate_server.rpc.plan_servicer import PlanServicer
from plangate_server.rpc.review_servicer import ReviewServicer
from plangate_server.rpc.session_servicer import SessionServicer
from plangate_server.rpc.streaming import Encoder
from plangate_server.rpc.token_servicer import TokenServicer


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

NAMES: Final = tuple(service.name for service in SERVICES)


def add_services(server: Any, world: World) -> None:
    """Add all of them to a server, or to whatever takes handlers as the generated code gives them."""
    encoder = Encoder(world.store.cursors, world.clock)
    for service in SERVICES:
        service.add_to(server, world, encoder)
