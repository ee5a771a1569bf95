"""Plan files and the gate: what CreatePlan takes, and a file from a plan as the gate tells it."""

from __future__ import annotations

from typing import Final

from plangate.planfile.model import Extra, Phase, PlanFile, Todo
from plangate.planfile.statuses import CANCELLED, COMPLETED, IN_PROGRESS, PENDING
from plangate_proto.agent.v1.create_plan_tool_pb2 import CreatePlanArgs
from plangate_proto.agent.v1.create_plan_tool_pb2 import Phase as PhaseMessage
from plangate_proto.agent.v1.plan_resource_pb2 import Plan
from plangate_proto.agent.v1.plan_service_pb2 import CreatePlanRequest
from plangate_proto.agent.v1.todo_tools_pb2 import (
    TODO_STATUS_CANCELLED,
    TODO_STATUS_COMPLETED,
    TODO_STATUS_IN_PROGRESS,
    TODO_STATUS_PENDING,
    TODO_STATUS_UNSPECIFIED,
    TodoItem,
)

STATUSES: Final = {
    PENDING: TODO_STATUS_PENDING,
    IN_PROGRESS: TODO_STATUS_IN_PROGRESS,
    COMPLETED: TODO_STATUS_COMPLETED,
    CANCELLED: TODO_STATUS_CANCELLED,
}
WORDS: Final = {status: word for word, status in STATUSES.items()}
IS_SPEC: Final = Extra("isSpec", "isSpec: true")
"""How a file says that its plan is a specification, for which plan files have no key."""


def to_create_request(plan: PlanFile) -> CreatePlanRequest:
    """The request that proposes the plan; who asks, and its request_id, are for the caller to say."""
    return CreatePlanRequest(args=to_create_args(plan), is_spec=IS_SPEC in plan.extras)


def to_create_args(plan: PlanFile) -> CreatePlanArgs:
    known = {todo.id: todo for todo in plan.all_todos()}
    phases = [
        PhaseMessage(
            name=phase.name,
            todos=[_item(todo if isinstance(todo, Todo) else known[todo]) for todo in phase.todos],
        )
        for phase in plan.phases
    ]
    return CreatePlanArgs(
        name=plan.name,
        overview=plan.overview,
        plan=_text_for(plan) if plan.all_todos() and not plan.body.strip() else plan.body,
        todos=map(_item, plan.todos),
        is_project=plan.is_project,
        phases=phases,
    )


def from_plan(plan: Plan) -> PlanFile:
    """The file of a plan. Its todos stand in one list, in the gate's order; phases name theirs by id."""
    return PlanFile(
        name=plan.name,
        overview=plan.overview,
        todos=tuple(_todo(item) for item in plan.todos),
        is_project=plan.is_project,
        phases=tuple(Phase(phase.name, tuple(todo.id for todo in phase.todos)) for phase in plan.phases),
        body=plan.plan,
        extras=(IS_SPEC,) if plan.is_spec else (),
    )


def _text_for(plan: PlanFile) -> str:
    """A gate takes no plan without a text: a list of todos alone gets one from its name."""
    heading = f"# {plan.name.strip() or 'Plan'}\n"
    return f"{heading}\n{plan.overview.strip()}\n" if plan.overview.strip() else heading


def _item(todo: Todo) -> TodoItem:
    return TodoItem(
        id=todo.id,
        content=todo.content,
        # A word that the gate does not know stays in the file.
        status=STATUSES.get(todo.status, TODO_STATUS_UNSPECIFIED),
        dependencies=todo.dependencies,
    )


def _todo(item: TodoItem) -> Todo:
    return Todo(item.id, item.content, WORDS.get(item.status, PENDING), tuple(item.dependencies))
