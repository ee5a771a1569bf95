"""agent.v1.PlanService."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from typing import Any

from plangate_proto.agent.v1 import create_plan_tool_pb2, plan_resource_pb2, todo_tools_pb2
from plangate_proto.agent.v1 import plan_service_pb2 as pb
from plangate_proto.agent.v1.plan_service_pb2_grpc import PlanServiceServicer
from plangate_server.domain.diff import RevisionDiff
from plangate_server.domain.lifecycle import Amendment
from plangate_server.domain.limits import Limits
from plangate_server.domain.plan import Plan
from plangate_server.domain.todo_lists import TodoWrite
from plangate_server.domain.todos import Todo, needs_in_progress, ready_ids
from plangate_server.ports import PlanFilter, World
from plangate_server.rpc import convert, requests
from plangate_server.rpc.principal import calling
from plangate_server.rpc.running import Context
from plangate_server.rpc.streaming import Encoder
from plangate_server.rpc.times import duration, timestamp
from plangate_server.usecases.build_todos import build_todos, finish
from plangate_server.usecases.comments import list_comments
from plangate_server.usecases.create_plan import CreatePlan, create_plan
from plangate_server.usecases.draft_plan import DraftPart, draft_plan
from plangate_server.usecases.ownership import hand_of
from plangate_server.usecases.read_plans import diff_revisions, get_plan, list_plans, list_revisions
from plangate_server.usecases.receipts import acknowledge_decision
from plangate_server.usecases.register_reference import register_reference
from plangate_server.usecases.review_plan import Until, Waiter, review_plan
from plangate_server.usecases.todo_tools import read_todos, update_todos
from plangate_server.usecases.update_plan import UpdatePlan, update_plan
from plangate_server.usecases.withdraw_plan import withdraw_plan


class PlanServicer(PlanServiceServicer):
    def __init__(self, world: World, encoder: Encoder) -> None:
        self._world = world
        self._encoder = encoder

    async def CreatePlan(self, request: pb.CreatePlanRequest, context: Context) -> pb.CreatePlanResponse:
        command = CreatePlan(
            draft=requests.draft_of(
                request.args, self._world.limits, is_spec=request.is_spec, hints=request.todo_hints
            ),
            session_id=request.session_id,
            agent_id=request.agent_id,
            tool_call_id=request.tool_call_id,
            options=requests.review_options_of(request),
            require_reviewer=request.review.require_reviewer,
            multi_plan=request.multi_plan,
            key=requests.request_key("agent.v1.CreatePlan", calling(), request),
        )
        plan = await create_plan(self._world, calling(), command)
        result = create_plan_tool_pb2.CreatePlanResult(
            success=create_plan_tool_pb2.CreatePlanSuccess(), plan_uri=plan.uri
        )
        return pb.CreatePlanResponse(
            result=result, plan=self._message(plan), reviewers_watching=self._watching()
        )

    async def DraftPlan(
        self, request_iterator: AsyncIterator[pb.DraftPlanRequest], context: Context
    ) -> pb.DraftPlanResponse:
        limits = self._world.limits
        parts = (_draft_part(request, limits) async for request in request_iterator)
        plan = await draft_plan(self._world, calling(), parts)
        return pb.DraftPlanResponse(plan=self._message(plan), reviewers_watching=self._watching())

    async def UpdatePlan(self, request: pb.UpdatePlanRequest, context: Context) -> pb.UpdatePlanResponse:
        amendment = Amendment(
            changes=requests.draft_of(
                request.args, self._world.limits, is_spec=request.is_spec, hints=request.todo_hints
            ),
            whole=request.whole,
            old_str=request.old_str,
            new_str=request.new_str,
            options=requests.review_options_of(request),
            statuses=requests.statuses_of(request.args),
        )
        key = requests.request_key("agent.v1.UpdatePlan", calling(), request)
        command = UpdatePlan(
            plan_uri=request.plan_uri,
            expected_revision=request.expected_revision,
            amendment=amendment,
            agent_id=request.agent_id,
            require_reviewer=request.review.require_reviewer,
            key=key,
        )
        plan = await update_plan(self._world, calling(), command)
        return pb.UpdatePlanResponse(plan=self._message(plan), reviewers_watching=self._watching())

    async def GetPlan(self, request: pb.GetPlanRequest, context: Context) -> pb.GetPlanResponse:
        revision = request.revision if request.HasField("revision") else None
        plan = await get_plan(self._world, calling(), request.plan_uri, revision)
        return pb.GetPlanResponse(plan=self._message(plan))

    async def ListPlans(self, request: pb.ListPlansRequest, context: Context) -> pb.ListPlansResponse:
        which = PlanFilter(
            session_id=request.session_id,
            created_by=request.agent_id,
            states=requests.all_known(requests.PLAN_STATES, request.states, "states"),
        )
        plans, token = await list_plans(self._world, calling(), which, request.page_size, request.page_token)
        return pb.ListPlansResponse(plans=[self._message(plan) for plan in plans], next_page_token=token)

    async def ListRevisions(
        self, request: pb.ListRevisionsRequest, context: Context
    ) -> pb.ListRevisionsResponse:
        plan, revisions, reviews, token = await list_revisions(
            self._world, calling(), request.plan_uri, request.page_size, request.page_token
        )
        listed = [convert.revision_message(plan.uri, r, reviews.get(r.number)) for r in revisions]
        return pb.ListRevisionsResponse(revisions=listed, next_page_token=token)

    async def DiffRevisions(
        self, request: pb.DiffRevisionsRequest, context: Context
    ) -> pb.DiffRevisionsResponse:
        plan, diff = await diff_revisions(
            self._world, calling(), request.plan_uri, request.from_revision, request.to_revision
        )
        return _diff_message(plan, diff)

    async def ReviewPlan(self, request: pb.ReviewPlanRequest, context: Context) -> AsyncGenerator[Any]:
        until = Until.END if request.follow else Until.DECISION
        waiter = Waiter(request.plan_uri, request.agent_id, request.any_author, until)
        moments = review_plan(self._world, calling(), waiter, request.cursor)
        async with aclosing(moments):
            async for moment in moments:
                yield self._encoder.response(moment, calling().workspace)

    async def AcknowledgeDecision(
        self, request: pb.AcknowledgeDecisionRequest, context: Context
    ) -> pb.AcknowledgeDecisionResponse:
        key = requests.request_key("agent.v1.AcknowledgeDecision", calling(), request)
        plan = await acknowledge_decision(
            self._world, calling(), request.approval_request_id, request.agent_id, key
        )
        return pb.AcknowledgeDecisionResponse(
            review=convert.review_message(plan.uri, plan.review, self._watching())
        )

    async def BuildTodos(self, request: pb.BuildTodosRequest, context: Context) -> pb.BuildTodosResponse:
        order = requests.build_order_of(request)
        key = requests.request_key("agent.v1.BuildTodos", calling(), request)
        started = await build_todos(self._world, calling(), request.plan_uri, order, key)
        return pb.BuildTodosResponse(
            build_id=started.build.build_id,
            todos=_todo_messages(started.plan, started.todos),
            waves=[pb.BuildTodosResponse.Wave(todo_ids=wave) for wave in started.waves],
            prompt=started.prompt,
            revision=started.build.revision,
            digest=started.build.digest,
            lease_expire_time=timestamp(started.build.lease_expire_time),
        )

    async def ReadTodos(self, request: pb.ReadTodosRequest, context: Context) -> pb.ReadTodosResponse:
        wanted = request.args.status_filter
        statuses = requests.all_known(requests.TODO_STATUSES, wanted, "args.status_filter")
        plan, todos = await read_todos(
            self._world, calling(), request.plan_uri, statuses, frozenset(request.args.id_filter)
        )
        success = todo_tools_pb2.ReadTodosSuccess(todos=_todo_messages(plan, todos), total_count=len(todos))
        return pb.ReadTodosResponse(result=todo_tools_pb2.ReadTodosResult(success=success))

    async def UpdateTodos(self, request: pb.UpdateTodosRequest, context: Context) -> pb.UpdateTodosResponse:
        write = TodoWrite(
            edits=requests.todo_edits_of(request.args.todos, self._world.limits),
            merge=request.args.merge,
            actor=request.agent_id or calling().name,
            hand=hand_of(calling(), request.agent_id, request.build_id),
        )
        key = requests.request_key("agent.v1.UpdateTodos", calling(), request)
        written = await update_todos(self._world, calling(), request.plan_uri, write, key)
        plan = written.plan
        todos = plan.revision.content.todos
        success = todo_tools_pb2.UpdateTodosSuccess(
            todos=_todo_messages(plan, todos), total_count=len(todos), was_merge=request.args.merge
        )
        return pb.UpdateTodosResponse(
            result=todo_tools_pb2.UpdateTodosResult(success=success),
            revision=plan.revision.number,
            ready_todo_ids=ready_ids(todos, plan.progress),
            needs_in_progress_todos=needs_in_progress(plan.progress),
            lease_expire_time=timestamp(written.lease_expire_time),
        )

    async def FinishBuild(self, request: pb.FinishBuildRequest, context: Context) -> pb.FinishBuildResponse:
        outcome = None
        if request.outcome:
            outcome = requests.known(requests.BUILD_OUTCOMES, request.outcome, "outcome")
        finished = await finish(
            self._world,
            calling(),
            request.build_id,
            outcome=outcome,
            summary=request.summary,
            key=requests.request_key("agent.v1.FinishBuild", calling(), request),
        )
        return pb.FinishBuildResponse(
            plan=self._message(finished.plan),
            completed=finished.completed,
            failed=finished.total - finished.completed,
            total=finished.total,
            duration=duration(finished.duration),
        )

    async def WithdrawPlan(
        self, request: pb.WithdrawPlanRequest, context: Context
    ) -> pb.WithdrawPlanResponse:
        plan = await withdraw_plan(
            self._world,
            calling(),
            request.plan_uri,
            reason=request.reason,
            agent_id=request.agent_id,
            key=requests.request_key("agent.v1.WithdrawPlan", calling(), request),
        )
        return pb.WithdrawPlanResponse(plan=self._message(plan))

    async def ListComments(
        self, request: pb.ListCommentsRequest, context: Context
    ) -> pb.ListCommentsResponse:
        states = requests.all_known(requests.COMMENT_STATES, request.states, "states")
        found, token = await list_comments(
            self._world,
            calling(),
            request.plan_uri,
            states,
            revision=request.revision,
            page_size=request.page_size,
            page_token=request.page_token,
        )
        listed = [convert.comment_message(comment) for comment in found]
        return pb.ListCommentsResponse(comments=listed, next_page_token=token)

    async def RegisterReference(
        self, request: pb.RegisterReferenceRequest, context: Context
    ) -> pb.RegisterReferenceResponse:
        plan = await register_reference(
            self._world,
            calling(),
            request.plan_uri,
            agent_id=request.agent_id,
            key=requests.request_key("agent.v1.RegisterReference", calling(), request),
        )
        return pb.RegisterReferenceResponse(plan=self._message(plan))

    def _message(self, plan: Plan) -> plan_resource_pb2.Plan:
        return self._encoder.plan(plan, self._watching())

    def _watching(self) -> int:
        return self._world.feed.reviewers_watching(calling().workspace)


def _draft_part(request: pb.DraftPlanRequest, limits: Limits) -> DraftPart:
    return DraftPart(
        draft=requests.draft_of(request.args, limits, is_spec=request.is_spec),
        plan_uri=request.plan_uri,
        session_id=request.session_id,
        agent_id=request.agent_id,
        submit=request.submit,
        options=requests.review_options_of(request),
        require_reviewer=request.review.require_reviewer,
        key=requests.request_key("agent.v1.DraftPlan", calling(), request),
    )


def _todo_messages(plan: Plan, todos: list[Todo] | tuple[Todo, ...]) -> list[todo_tools_pb2.TodoItem]:
    return [convert.todo_message(todo, plan.progress.get(todo.id)) for todo in todos]


def _diff_message(plan: Plan, diff: RevisionDiff) -> pb.DiffRevisionsResponse:
    def message(todo: Todo | None) -> todo_tools_pb2.TodoItem | None:
        return convert.todo_message(todo, plan.progress.get(todo.id)) if todo else None

    return pb.DiffRevisionsResponse(
        from_revision=diff.older,
        to_revision=diff.newer,
        unified_diff=diff.unified,
        todo_changes=[
            pb.DiffRevisionsResponse.TodoChange(before=message(before), after=message(after))
            for before, after in diff.todos
        ],
        changed_fields=diff.fields,
        coarse=diff.is_coarse,
        lines_left_out=diff.lines_left_out,
    )
