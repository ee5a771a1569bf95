"""What an agent and a person do in the tests over a socket, one call each."""

from __future__ import annotations

from typing import Any

from plangate_proto.agent.v1 import plan_service_pb2 as agent_pb
from plangate_proto.agent.v1.create_plan_tool_pb2 import CreatePlanArgs
from plangate_proto.agent.v1.plan_resource_pb2 import Plan
from plangate_proto.agent.v1.review_event_pb2 import ReviewEvent, ReviewEventType
from plangate_proto.agent.v1.todo_tools_pb2 import TodoItem, TodoStatus, UpdateTodosArgs
from plangate_proto.aiserver.v1.create_plan_tool_pb2 import CreatePlanParams
from plangate_proto.aiserver.v1.plan_review_service_pb2 import (
    ListEventsRequest,
    SubmitReviewResponse,
    WatchReviewsRequest,
)
from tests.helpers.gate import Gate, decision
from tests.helpers.streams import next_of, types

A, B, C = (
    TodoItem(id="a", content="Sort the boxes"),
    TodoItem(id="b", content="Sweep the floor", dependencies=["a"]),
    TodoItem(id="c", content="Air it"),
)
PENDING, IN_PROGRESS, COMPLETED, CANCELLED = (
    TodoStatus.TODO_STATUS_PENDING,
    TodoStatus.TODO_STATUS_IN_PROGRESS,
    TodoStatus.TODO_STATUS_COMPLETED,
    TodoStatus.TODO_STATUS_CANCELLED,
)


def with_todos(**fields: Any) -> agent_pb.CreatePlanRequest:
    """A plan with three todos, of which the second comes after the first."""
    args = CreatePlanArgs(plan="# Tidy the cellar", name="Cellar", todos=[A, B, C])
    return agent_pb.CreatePlanRequest(args=args, **fields)


async def approved(gate: Gate, request: agent_pb.CreatePlanRequest | None = None) -> Plan:
    """A plan that a person has said yes to."""
    plan = await gate.propose(request or with_todos())
    await gate.decide(plan, "approve")
    return await gate.get(plan.plan_uri)


async def updated(gate: Gate, plan: Plan, text: str = "", **fields: Any) -> Plan:
    """The plan with another text, or with what else the fields say."""
    fields.setdefault("args", CreatePlanArgs(plan=text))
    fields.setdefault("expected_revision", plan.revision)
    request = agent_pb.UpdatePlanRequest(plan_uri=plan.plan_uri, **fields)
    return (await gate.agent.UpdatePlan(request)).plan


async def edited(gate: Gate, plan: Plan, params: CreatePlanParams) -> SubmitReviewResponse:
    """A person approves the plan with changes of their own."""
    request = decision(plan, "edit")
    request.edited.CopyFrom(params)
    return await gate.reviews.SubmitReview(request)


async def build(gate: Gate, plan: Plan, agent_id: str = "builder", **fields: Any) -> Any:
    request = agent_pb.BuildTodosRequest(plan_uri=plan.plan_uri, agent_id=agent_id, **fields)
    return await gate.agent.BuildTodos(request)


async def write(gate: Gate, plan: Plan, *todos: TodoItem, merge: bool = True, **fields: Any) -> Any:
    args = UpdateTodosArgs(todos=todos, merge=merge)
    return await gate.agent.UpdateTodos(
        agent_pb.UpdateTodosRequest(plan_uri=plan.plan_uri, args=args, **fields)
    )


def now(todo_id: str, status: TodoStatus.ValueType) -> TodoItem:
    """A change of status and of nothing else."""
    return TodoItem(id=todo_id, status=status)


def statuses(todos: Any) -> dict[str, str]:
    return {todo.id: TodoStatus.Name(todo.status).removeprefix("TODO_STATUS_") for todo in todos}


def waiting(gate: Gate, plan: Plan, cursor: str = "", *, follow: bool = False) -> Any:
    request = agent_pb.ReviewPlanRequest(plan_uri=plan.plan_uri, cursor=cursor, follow=follow)
    return gate.agent.ReviewPlan(request)


async def until(stream: Any, wanted: str) -> list[ReviewEvent]:
    """The events of a stream up to and with the first of a type."""
    events: list[ReviewEvent] = []
    while not events or types(events[-1:]) != [wanted]:
        events.append((await next_of(stream)).event)
    return events


async def watching(gate: Gate, **fields: Any) -> tuple[Any, list[ReviewEvent]]:
    """A watch of the workspace that is live, and what it said up to its marker."""
    stream = gate.reviews.WatchReviews(WatchReviewsRequest(**fields))
    return stream, await until(stream, "CHECKPOINT")


async def told(gate: Gate, plan: Plan) -> list[str]:
    """The types of all events of a plan, oldest first."""
    answer = await gate.reviews.ListEvents(ListEventsRequest(plan_uri=plan.plan_uri, page_size=1000))
    return types([entry.event for entry in answer.entries])


def kinds(*names: str) -> list[ReviewEventType.ValueType]:
    return [ReviewEventType.Value(f"REVIEW_EVENT_TYPE_{name}") for name in names]
