"""A running server with a channel to it, and what tests say to it most often."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import grpc

from plangate_proto.agent.v1 import access_token_service_pb2_grpc as token_grpc
from plangate_proto.agent.v1 import agent_session_service_pb2 as session_pb
from plangate_proto.agent.v1 import agent_session_service_pb2_grpc as session_grpc
from plangate_proto.agent.v1 import plan_service_pb2 as agent_pb
from plangate_proto.agent.v1 import plan_service_pb2_grpc as agent_grpc
from plangate_proto.agent.v1 import tool_approval_service_pb2 as approval_pb
from plangate_proto.agent.v1 import tool_approval_service_pb2_grpc as approval_grpc
from plangate_proto.agent.v1.create_plan_tool_pb2 import CreatePlanArgs
from plangate_proto.agent.v1.plan_resource_pb2 import Plan
from plangate_proto.aiserver.v1 import plan_review_service_pb2 as review_pb
from plangate_proto.aiserver.v1 import plan_review_service_pb2_grpc as review_grpc
from plangate_proto.aiserver.v1 import plan_service_pb2_grpc as aiserver_grpc
from plangate_proto.aiserver.v1.human_review_pb2 import HumanReview
from plangate_server.app import running
from plangate_server.domain.limits import DEFAULTS, Limits
from plangate_server.rpc.calls import Write
from plangate_server.settings import Settings
from tests.helpers.sqlite_file import new_database
from tests.helpers.streams import next_of
from tests.helpers.tokens import bearer, local_token, token_dir
from tests.helpers.tool_calls import resolution

if TYPE_CHECKING:
    from plangate_proto.agent.v1.access_token_service_pb2_grpc import TokenServiceAsyncStub as TokenStub
    from plangate_proto.agent.v1.agent_session_service_pb2_grpc import SessionServiceAsyncStub as SessionStub
    from plangate_proto.agent.v1.plan_service_pb2_grpc import PlanServiceAsyncStub as AgentStub
    from plangate_proto.agent.v1.tool_approval_service_pb2_grpc import (
        ApprovalServiceAsyncStub as ApprovalStub,
    )
    from plangate_proto.aiserver.v1.plan_review_service_pb2_grpc import (
        PlanReviewServiceAsyncStub as ReviewStub,
    )
    from plangate_proto.aiserver.v1.plan_service_pb2_grpc import PlanServiceAsyncStub as AiserverStub


ANY_PORT = "127.0.0.1:0"
OWN_CONNECTION = (("grpc.use_local_subchannel_pool", 1),)
"""Or all channels of a process to one address would share a connection, and be one client."""


@dataclass(frozen=True, slots=True)
class Gate:
    """The services as an agent and a person call them."""

    address: str
    channel: grpc.aio.Channel
    agent: AgentStub
    aiserver: AiserverStub
    reviews: ReviewStub
    sessions: SessionStub
    approvals: ApprovalStub
    tokens: TokenStub
    web: str = ""
    """The address of its web port, if it is known."""
    server: AsyncExitStack = field(default_factory=AsyncExitStack)

    async def stop(self) -> None:
        """Shut the server down; the channel stays."""
        await self.server.aclose()

    async def propose(self, request: agent_pb.CreatePlanRequest | None = None) -> Plan:
        """The plan as CreatePlan answers it."""
        request = request or proposal()
        return (await self.agent.CreatePlan(request)).plan

    async def get(self, plan_uri: str) -> Plan:
        return (await self.agent.GetPlan(agent_pb.GetPlanRequest(plan_uri=plan_uri))).plan

    async def plans(self) -> list[Plan]:
        return list((await self.agent.ListPlans(agent_pb.ListPlansRequest())).plans)

    async def decide(self, plan: Plan, option: str, feedback: str = "") -> review_pb.SubmitReviewResponse:
        return await self.reviews.SubmitReview(decision(plan, option, feedback))

    async def session(self, session_id: str = "s") -> session_pb.Session:
        return (await self.sessions.GetSession(session_pb.GetSessionRequest(session_id=session_id))).session

    async def ask(self, call: approval_pb.RequestApprovalRequest) -> approval_pb.RequestApprovalResponse:
        """Where the call stands when it is asked for; nobody waits for more."""
        stream = self.approvals.RequestApproval(call)
        first = await next_of(stream)
        stream.cancel()
        return first

    async def prompts(self, session_id: str = "s") -> approval_pb.WatchApprovalsResponse:
        """What a person sees who looks at a session now."""
        stream = self.approvals.WatchApprovals(approval_pb.WatchApprovalsRequest(session_id=session_id))
        seen = await next_of(stream)
        stream.cancel()
        return seen

    async def prompt(self, session_id: str = "s") -> approval_pb.ApprovalPrompt:
        """The active prompt, which there must be."""
        seen = await self.prompts(session_id)
        assert seen.HasField("prompt"), f"nothing waits in {session_id}"
        return seen.prompt

    async def answer(
        self, option: str, session_id: str = "s", **fields: Any
    ) -> approval_pb.ResolveApprovalResponse:
        """Whoever sees the active prompt answers it; ``fields`` are the other fields of the request."""
        return await self.approvals.ResolveApproval(
            resolution(await self.prompt(session_id), option, **fields)
        )


def proposal(plan: str = "# Tidy the cellar", **fields: Any) -> agent_pb.CreatePlanRequest:
    """A request for a plan without todos; ``fields`` are the other fields of the request."""
    return agent_pb.CreatePlanRequest(args=CreatePlanArgs(plan=plan), **fields)


def decision(
    plan: Plan, option: str, feedback: str = "", request_id: str = ""
) -> review_pb.SubmitReviewRequest:
    """What a person sends who has read the plan as it is."""
    return review_pb.SubmitReviewRequest(
        approval_request_id=plan.review.approval_request_id,
        human_review=HumanReview(selected_option=option, feedback_text=feedback),
        revision=plan.revision,
        digest=plan.digest,
        request_id=request_id,
    )


def settings(database: Path | str, policy: Path | None = None, limits: Limits = DEFAULTS) -> Settings:
    """Free ports of the loopback interface, so that tests can run side by side; a file, or a URL."""
    url = database if isinstance(database, str) else f"sqlite:///{database}"
    return Settings(ANY_PORT, url, token_dir(), ANY_PORT, policy=policy, limits=limits)


@asynccontextmanager
async def connected(
    address: str, server: AsyncExitStack | None = None, web: str = "", token: str | None = None
) -> AsyncIterator[Gate]:
    """The services at an address, for whoever has the token; by default for an admin, who may do anything."""
    async with grpc.aio.insecure_channel(address, options=OWN_CONNECTION) as channel:
        bearing = bearer(channel, local_token("admin") if token is None else token)
        yield Gate(
            address,
            bearing,
            agent_grpc.PlanServiceStub(bearing),
            aiserver_grpc.PlanServiceStub(bearing),
            review_grpc.PlanReviewServiceStub(bearing),
            session_grpc.SessionServiceStub(bearing),
            approval_grpc.ApprovalServiceStub(bearing),
            token_grpc.TokenServiceStub(bearing),
            web,
            server or AsyncExitStack(),
        )


@asynccontextmanager
async def open_gate(
    database: Path | str,
    policy: Path | None = None,
    write_line: Write | None = None,
    limits: Limits = DEFAULTS,
) -> AsyncIterator[Gate]:
    """A server over the database, with rules and a log if there are any, and a channel to it."""
    async with AsyncExitStack() as server:
        if isinstance(database, Path):
            new_database(database)
        open_server = running(settings(database, policy, limits), write_line=write_line)
        addresses = await server.enter_async_context(open_server)
        async with connected(addresses.grpc, server, addresses.web) as gate:
            yield gate
