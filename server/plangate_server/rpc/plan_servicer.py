"""agent.v1.PlanService."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing

from plangate_proto.agent.v1 import create_plan_tool_pb2
from plangate_proto.agent.v1 import plan_service_pb2 as pb
from plangate_proto.agent.v1.plan_service_pb2_grpc import PlanServiceServicer
from plangate_server.domain.errors import InvalidField
from plangate_server.ports import PlanFilter, World
from plangate_server.rpc import requests
from plangate_server.rpc.boundary import Context
from plangate_server.rpc.convert import event_message, plan_message
from plangate_server.rpc.principal import LOCAL
from plangate_server.usecases.create_plan import CreatePlan, create_plan
from plangate_server.usecases.read_plans import get_plan, list_plans
from plangate_server.usecases.review_plan import Until, review_plan


class PlanServicer(PlanServiceServicer):
    def __init__(self, world: World) -> None:
        self._world = world

    async def CreatePlan(self, request: pb.CreatePlanRequest, context: Context) -> pb.CreatePlanResponse:
        command = CreatePlan(
            draft=requests.draft_of(request.args, is_spec=request.is_spec, hints=request.todo_hints),
            session_id=request.session_id,
            agent_id=request.agent_id,
            tool_call_id=request.tool_call_id,
            review=requests.review_options_of(request.review),
            key=requests.request_key("agent.v1.CreatePlan", LOCAL, request),
        )
        plan = await create_plan(self._world, LOCAL, command)
        result = create_plan_tool_pb2.CreatePlanResult(
            success=create_plan_tool_pb2.CreatePlanSuccess(), plan_uri=plan.uri
        )
        return pb.CreatePlanResponse(result=result, plan=plan_message(plan))

    async def GetPlan(self, request: pb.GetPlanRequest, context: Context) -> pb.GetPlanResponse:
        revision = request.revision if request.HasField("revision") else None
        if revision is not None and revision < 1:
            raise InvalidField("revision", "is less than 1: revisions are counted from 1")
        plan = await get_plan(self._world, LOCAL, request.plan_uri, revision)
        return pb.GetPlanResponse(plan=plan_message(plan))

    async def ListPlans(self, request: pb.ListPlansRequest, context: Context) -> pb.ListPlansResponse:
        which = PlanFilter(
            session_id=request.session_id,
            created_by=request.agent_id,
            states=requests.states_of(request.states),
        )
        plans, next_page = await list_plans(self._world, LOCAL, which, request.page_size, request.page_token)
        return pb.ListPlansResponse(plans=[plan_message(plan) for plan in plans], next_page_token=next_page)

    async def ReviewPlan(
        self, request: pb.ReviewPlanRequest, context: Context
    ) -> AsyncGenerator[pb.ReviewPlanResponse]:
        until = Until.END if request.follow else Until.DECISION
        cursors = self._world.store.cursors
        events = review_plan(self._world, LOCAL, request.plan_uri, request.cursor, until)
        async with aclosing(events):
            async for event in events:
                yield pb.ReviewPlanResponse(event=event_message(event, cursors))
