"""What gRPC alone allows: the same calls and messages on a bare server, storage and logic removed.

Contender and server in one: ``python -m bench.contenders.floor`` is the server.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import grpc

from bench import process
from bench.contenders import canned
from bench.contenders.serving import serve
from bench.parts import Contender
from plangate_proto.agent.v1 import agent_session_service_pb2 as sessions_pb
from plangate_proto.agent.v1 import agent_session_service_pb2_grpc as sessions_grpc
from plangate_proto.agent.v1 import plan_service_pb2 as plans_pb
from plangate_proto.agent.v1 import plan_service_pb2_grpc as plans_grpc
from plangate_proto.agent.v1 import tool_approval_service_pb2 as approvals_pb
from plangate_proto.agent.v1 import tool_approval_service_pb2_grpc as approvals_grpc
from plangate_proto.aiserver.v1 import plan_review_service_pb2 as reviews_pb
from plangate_proto.aiserver.v1 import plan_review_service_pb2_grpc as reviews_grpc
from plangate_server.domain.plan import plan_id_of

Context = grpc.aio.ServicerContext[Any, Any]


@asynccontextmanager
async def _running(folder: Path) -> AsyncIterator[str]:
    async with process.python("-m", __spec__.name) as address:
        yield address


FLOOR = Contender("floor", "a bare grpc.aio server that gives canned answers", _running)


class Plans(plans_grpc.PlanServiceServicer):
    def __init__(self, decided: dict[str, asyncio.Event]) -> None:
        self._decided = decided
        self._numbers = itertools.count(1)

    async def CreatePlan(
        self, request: plans_pb.CreatePlanRequest, context: Context
    ) -> plans_pb.CreatePlanResponse:
        return canned.created(next(self._numbers))

    async def GetPlan(self, request: plans_pb.GetPlanRequest, context: Context) -> plans_pb.GetPlanResponse:
        return canned.GOTTEN

    async def UpdateTodos(
        self, request: plans_pb.UpdateTodosRequest, context: Context
    ) -> plans_pb.UpdateTodosResponse:
        return canned.UPDATED

    async def ReviewPlan(
        self, request: plans_pb.ReviewPlanRequest, context: Context
    ) -> AsyncGenerator[plans_pb.ReviewPlanResponse]:
        plan_id = plan_id_of(request.plan_uri)
        self._decided[plan_id] = asyncio.Event()
        try:
            yield canned.SNAPSHOT
            await self._decided[plan_id].wait()
            yield canned.APPROVED
        finally:
            del self._decided[plan_id]


class Reviews(reviews_grpc.PlanReviewServiceServicer):
    def __init__(self, decided: dict[str, asyncio.Event]) -> None:
        self._decided = decided

    async def SubmitReview(
        self, request: reviews_pb.SubmitReviewRequest, context: Context
    ) -> reviews_pb.SubmitReviewResponse:
        self._decided[request.approval_request_id].set()
        return canned.SUBMITTED


class Sessions(sessions_grpc.SessionServiceServicer):
    def __init__(self, decided: dict[str, asyncio.Event]) -> None:
        """Nothing waits here."""

    async def AuthorizeTool(
        self, request: sessions_pb.AuthorizeToolRequest, context: Context
    ) -> sessions_pb.AuthorizeToolResponse:
        return canned.ALLOWED


class Approvals(approvals_grpc.ApprovalServiceServicer):
    def __init__(self, decided: dict[str, asyncio.Event]) -> None:
        self._decided = decided
        self._known: set[str] = set()

    async def RequestApproval(
        self, request: approvals_pb.RequestApprovalRequest, context: Context
    ) -> AsyncGenerator[approvals_pb.RequestApprovalResponse]:
        if request.session_id in self._known:
            yield canned.DECIDED
            return
        self._decided[request.call_id] = asyncio.Event()
        try:
            yield canned.ACTIVE
            await self._decided[request.call_id].wait()
            yield canned.DECIDED
        finally:
            del self._decided[request.call_id]

    async def WatchApprovals(
        self, request: approvals_pb.WatchApprovalsRequest, context: Context
    ) -> AsyncGenerator[approvals_pb.WatchApprovalsResponse]:
        yield canned.PROMPT
        await asyncio.Event().wait()

    async def ResolveApproval(
        self, request: approvals_pb.ResolveApprovalRequest, context: Context
    ) -> approvals_pb.ResolveApprovalResponse:
        if request.decision == approvals_pb.ApprovalDecision.APPROVAL_DECISION_APPROVED_FOR_SESSION:
            self._known.add(request.session_id)
        self._decided[request.call_id].set()
        return canned.RESOLVED


# Some of their methods are left out: they are not called.
SERVICES: Final[tuple[tuple[type[Any], Callable[[Any, grpc.aio.Server], None]], ...]] = (
    (Plans, plans_grpc.add_PlanServiceServicer_to_server),
    (Reviews, reviews_grpc.add_PlanReviewServiceServicer_to_server),
    (Sessions, sessions_grpc.add_SessionServiceServicer_to_server),
    (Approvals, approvals_grpc.add_ApprovalServiceServicer_to_server),
)


def _fill(server: grpc.aio.Server) -> None:
    decided: dict[str, asyncio.Event] = {}
    for servicer, add in SERVICES:
        add(servicer(decided), server)


if __name__ == "__main__":
    asyncio.run(serve(_fill))
