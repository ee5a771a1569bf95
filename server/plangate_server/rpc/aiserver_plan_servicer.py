"""aiserver.v1.PlanService: the same plans in the server's vocabulary."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

from msgspec.structs import replace

from plangate_proto.aiserver.v1 import plan_service_pb2 as pb
from plangate_proto.aiserver.v1.plan_service_pb2_grpc import PlanServiceServicer
from plangate_proto.aiserver.v1.todo_read_write_tools_pb2 import TodoReadResult, TodoWriteResult
from plangate_server.domain.errors import ReviewSuperseded
from plangate_server.domain.events import Event
from plangate_server.domain.todo_lists import TodoWrite
from plangate_server.domain.todos import needs_in_progress, ready_ids
from plangate_server.ports import World
from plangate_server.rpc import aiserver, requests
from plangate_server.rpc.principal import calling
from plangate_server.rpc.running import Context
from plangate_server.rpc.streaming import Encoder
from plangate_server.rpc.times import timestamp
from plangate_server.usecases.build_todos import build_todos
from plangate_server.usecases.create_plan import CreatePlan, create_plan
from plangate_server.usecases.ownership import hand_of
from plangate_server.usecases.read_plans import get_plan
from plangate_server.usecases.review_plan import Until, Waiter, review_plan
from plangate_server.usecases.todo_tools import read_todos, update_todos


class AiserverPlanServicer(PlanServiceServicer):
    def __init__(self, world: World, encoder: Encoder) -> None:
        self._world = world
        self._encoder = encoder

    async def CreatePlan(self, request: pb.CreatePlanRequest, context: Context) -> AsyncGenerator[Any]:
        with aiserver.in_older_words(request.params):
            command = CreatePlan(
                draft=aiserver.draft_of(request.params, self._world.limits),
                session_id=request.session_id,
                agent_id=request.agent_id,
                options=requests.review_options_of(request),
                require_reviewer=request.review.require_reviewer,
                multi_plan=request.multi_plan,
                old_str=request.params.old_str,
                new_str=request.params.new_str,
                key=requests.request_key("aiserver.v1.CreatePlan", calling(), request),
            )
            plan = await create_plan(self._world, calling(), command)
        async with aclosing(self._until_result(Waiter(plan.uri, request.agent_id))) as updates:
            async for update in updates:
                yield update

    async def ReviewPlan(self, request: pb.ReviewPlanRequest, context: Context) -> AsyncGenerator[Any]:
        waiter = Waiter(request.plan_uri, request.agent_id, request.any_author)
        async with aclosing(self._until_result(waiter, request.cursor)) as updates:
            async for update in updates:
                yield update

    async def BuildTodos(self, request: pb.BuildTodosRequest, context: Context) -> pb.BuildTodosResponse:
        order = requests.build_order_of(request)
        key = requests.request_key("aiserver.v1.BuildTodos", calling(), request)
        started = await build_todos(self._world, calling(), request.plan_uri, order, key)
        return pb.BuildTodosResponse(
            build_id=started.build.build_id,
            todos=aiserver.todo_messages(started.plan, started.todos),
            waves=[pb.BuildTodosResponse.Wave(todo_ids=wave) for wave in started.waves],
            prompt=started.prompt,
            revision=started.build.revision,
            digest=started.build.digest,
            lease_expire_time=timestamp(started.build.lease_expire_time),
        )

    async def TodoRead(self, request: pb.TodoReadRequest, context: Context) -> pb.TodoReadResponse:
        plan, todos = await read_todos(self._world, calling(), request.plan_uri)
        return pb.TodoReadResponse(result=TodoReadResult(todos=aiserver.todo_messages(plan, todos)))

    async def TodoWrite(self, request: pb.TodoWriteRequest, context: Context) -> pb.TodoWriteResponse:
        write = TodoWrite(
            edits=aiserver.todo_edits_of(request.params.todos, self._world.limits),
            merge=request.params.merge,
            actor=request.agent_id or calling().name,
            hand=hand_of(calling(), request.agent_id, request.build_id),
        )
        key = requests.request_key("aiserver.v1.TodoWrite", calling(), request)
        written = await update_todos(self._world, calling(), request.plan_uri, write, key)
        plan = written.plan
        result = TodoWriteResult(
            success=True,
            ready_task_ids=ready_ids(plan.revision.content.todos, plan.progress),
            needs_in_progress_todos=needs_in_progress(plan.progress),
            final_todos=aiserver.todo_messages(plan),
            initial_todos=aiserver.todo_messages(written.before),
            was_merge=request.params.merge,
        )
        return pb.TodoWriteResponse(result=result, revision=plan.revision.number)

    async def _until_result(self, waiter: Waiter, cursor: str = "") -> AsyncGenerator[Any]:
        """Events until the plan has its result, then the result; both streams have the same oneof."""
        decided = None
        waiter = replace(waiter, until=Until.RESULT)
        for start in (cursor, ""):  # where nothing came after the cursor, the snapshot has the result
            moments = review_plan(self._world, calling(), waiter, start)
            async with aclosing(moments):
                async for moment in moments:
                    decided = moment.event.plan if isinstance(moment.event, Event) else decided
                    if start == cursor:
                        yield self._encoder.response(moment, calling().workspace)
                    if own := moment.superseded:
                        raise ReviewSuperseded(
                            waiter.plan_uri,
                            superseded_by=own.superseded_by,
                            approval_request_id=own.approval_request_id,
                        )
            if decided is not None:
                break
        assert decided is not None
        current = await get_plan(self._world, calling(), waiter.plan_uri)
        # An event keeps less of a plan than there is; but a plan that moved on since has another result.
        moved_on = decided.review.approval_request_id != current.review.approval_request_id
        yield pb.CreatePlanResponse(result=aiserver.final_result(decided if moved_on else current))
