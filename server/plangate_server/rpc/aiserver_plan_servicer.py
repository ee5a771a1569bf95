"""aiserver.v1.PlanService: the same plans in the server's vocabulary."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import TypedDict

from plangate_proto.agent.v1.review_event_pb2 import ReviewEvent
from plangate_proto.aiserver.v1 import plan_service_pb2 as pb
from plangate_proto.aiserver.v1.create_plan_tool_pb2 import CreatePlanResult
from plangate_proto.aiserver.v1.plan_service_pb2_grpc import PlanServiceServicer
from plangate_server.ports import World
from plangate_server.rpc import aiserver, requests
from plangate_server.rpc.boundary import Context
from plangate_server.rpc.convert import event_message
from plangate_server.rpc.principal import LOCAL
from plangate_server.usecases.create_plan import CreatePlan, create_plan
from plangate_server.usecases.read_plans import get_plan
from plangate_server.usecases.review_plan import Until, review_plan


class _Update(TypedDict, total=False):
    """One of the two: the oneof that both streams have."""

    event: ReviewEvent
    result: CreatePlanResult


class AiserverPlanServicer(PlanServiceServicer):
    def __init__(self, world: World) -> None:
        self._world = world

    async def CreatePlan(
        self, request: pb.CreatePlanRequest, context: Context
    ) -> AsyncGenerator[pb.CreatePlanResponse]:
        command = CreatePlan(
            draft=aiserver.draft_of(request.params),
            session_id=request.session_id,
            agent_id=request.agent_id,
            review=requests.review_options_of(request.review),
            key=requests.request_key("aiserver.v1.CreatePlan", LOCAL, request),
        )
        plan = await create_plan(self._world, LOCAL, command)
        async with aclosing(self._updates(plan.uri, cursor="")) as updates:
            async for update in updates:
                yield pb.CreatePlanResponse(**update)

    async def ReviewPlan(
        self, request: pb.ReviewPlanRequest, context: Context
    ) -> AsyncGenerator[pb.ReviewPlanResponse]:
        async with aclosing(self._updates(request.plan_uri, request.cursor)) as updates:
            async for update in updates:
                yield pb.ReviewPlanResponse(**update)

    async def _updates(self, plan_uri: str, cursor: str) -> AsyncGenerator[_Update]:
        """Events until the plan has its result, then the result."""
        cursors = self._world.store.cursors
        plan = None
        events = review_plan(self._world, LOCAL, plan_uri, cursor, Until.RESULT)
        async with aclosing(events):
            async for event in events:
                plan = event.plan
                yield {"event": event_message(event, cursors)}
        # A stream that resumes behind the last event has none to tell the result from.
        plan = plan or await get_plan(self._world, LOCAL, plan_uri)
        yield {"result": aiserver.result_message(plan)}
