"""What tests about either gate do again and again."""

from __future__ import annotations

import asyncio
from typing import Any

from plangate import ApprovalOutcome, Decision
from plangate_proto.agent.v1.plan_resource_pb2 import Plan, PlanState
from plangate_proto.agent.v1.todo_tools_pb2 import TodoItem
from plangate_proto.agent.v1.tool_approval_service_pb2 import ApprovalPrompt
from tests.helpers.conditions import PATIENCE
from tests.helpers.either_client import Awaited, first_of

TODOS = [
    TodoItem(id="paint", content="paint the wall", dependencies=["sort", "sweep"]),
    TodoItem(id="sort", content="sort the boxes"),
    TodoItem(id="sweep", content="sweep the floor", dependencies=["sort"]),
]


def state(plan: Plan) -> str:
    return PlanState.Name(plan.state).removeprefix("PLAN_STATE_")


def ids(todos: list[TodoItem]) -> list[str]:
    return [todo.id for todo in todos]


async def approved(gate: Awaited, **options: Any) -> Decision:
    plan = await gate.create_plan("# Tidy the cellar", **{"todos": TODOS, **options})
    await gate.decide(plan, "approve")
    decision: Decision = await gate.wait(plan)
    return decision


async def shown(gate: Awaited, session: str, call_id: str) -> ApprovalPrompt:
    """The prompt of a call, as soon as people see it."""
    async with asyncio.timeout(PATIENCE):
        told = await first_of(gate, "prompts", session, such=lambda told: told.prompt.call_id == call_id)
    prompt: ApprovalPrompt = told.prompt
    return prompt


async def waits(gate: Awaited, session: str, number: int) -> None:
    """Return when so many calls of the session wait."""

    def is_so(told: Any) -> bool:
        return bool(told.session.queue_length == number)

    async with asyncio.timeout(PATIENCE):
        await first_of(gate, "watch_session", session, such=is_so)


def asking(gate: Awaited, session: str, call_id: str, command: str = "make", **options: Any) -> Any:
    options = {"call_id": call_id, **options}
    return asyncio.create_task(gate.request_approval(session, "bash", command, **options))


async def outcome_of(task: asyncio.Task[ApprovalOutcome]) -> ApprovalOutcome:
    async with asyncio.timeout(PATIENCE):
        return await task
