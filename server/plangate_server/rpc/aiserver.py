"""Between aiserver.v1 messages and the domain: the same plans with statuses as words."""

from __future__ import annotations

from collections.abc import Iterable

from plangate_proto.aiserver.v1 import create_plan_tool_pb2, todo_read_write_tools_pb2
from plangate_server.domain.content import Draft, PhaseDraft
from plangate_server.domain.errors import InvalidField, NotBuiltYet
from plangate_server.domain.plan import Plan
from plangate_server.domain.review import ReviewOutcome
from plangate_server.domain.todos import Todo, TodoHint, TodoStatus

CreatePlanResult = create_plan_tool_pb2.CreatePlanResult
TodoItem = todo_read_write_tools_pb2.TodoItem


def draft_of(params: create_plan_tool_pb2.CreatePlanParams) -> Draft:
    """The plan that the parameters stand for; the older words count where the newer are empty."""
    if not params.plan and (params.old_str or params.new_str):
        raise NotBuiltYet("plans given as a replacement of text", "params.old_str")
    steps = () if params.todos else params.steps
    return Draft(
        plan=params.plan,
        name=params.name or params.title,
        overview=params.overview or params.summary,
        todos=_todos(params.todos, "todos") + tuple(_todo_of(step) for step in steps),
        phases=tuple(
            PhaseDraft(phase.name, _todos(phase.todos, f"phases[{number}].todos"))
            for number, phase in enumerate(params.phases)
        ),
        is_project=params.is_project,
        is_spec=params.is_spec,
        hints={step.id: TodoHint(step.sub_composer_id) for step in steps if step.sub_composer_id},
    )


def _todos(items: Iterable[TodoItem], path: str) -> tuple[Todo, ...]:
    todos = []
    for place, item in enumerate(items):
        if item.status and item.status not in list(TodoStatus):
            words = ", ".join(TodoStatus)
            raise InvalidField(f"{path}[{place}].status", f"is none of: {words}")
        todos.append(Todo(item.id, item.content, tuple(item.dependencies)))
    return tuple(todos)


def _todo_of(step: create_plan_tool_pb2.Step) -> Todo:
    said = [text for text in (step.title, step.description, step.instructions) if text]
    return Todo(step.id, "\n".join(said), tuple(step.prerequisites))


def todo_messages(plan: Plan) -> list[TodoItem]:
    return [
        TodoItem(
            id=todo.id,
            content=todo.content,
            status=plan.progress[todo.id].status,
            dependencies=todo.dependencies,
        )
        for todo in plan.revision.content.todos
    ]


def result_message(plan: Plan) -> CreatePlanResult:
    """How the review ended; neither of the three while it has not."""
    result = CreatePlanResult(plan_uri=plan.uri)
    match plan.review.outcome:
        case ReviewOutcome.APPROVED:
            result.accepted.final_todos.extend(todo_messages(plan))
        case ReviewOutcome.REJECTED:
            result.rejected.SetInParent()
    return result
