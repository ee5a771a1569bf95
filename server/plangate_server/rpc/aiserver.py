"""Between aiserver.v1 messages and the domain: the same plans with statuses as words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Final

from plangate_proto.aiserver.v1 import (
    create_plan_tool_pb2,
    human_review_pb2,
    plan_review_service_pb2,
    todo_read_write_tools_pb2,
)
from plangate_server.domain.content import Draft, hint_name
from plangate_server.domain.errors import InvalidField, PlanWithdrawn, Refusal, ReviewExpired
from plangate_server.domain.lifecycle import Amendment, StatusSaid
from plangate_server.domain.limits import Limits, check_count
from plangate_server.domain.plan import Plan, PlanState
from plangate_server.domain.review import Option, ReviewOutcome, ReviewStatus
from plangate_server.domain.todos import Todo, TodoEdit, TodoHint, TodoStatus, with_ids
from plangate_server.rpc import requests

CreatePlanResult = create_plan_tool_pb2.CreatePlanResult
TodoItem = todo_read_write_tools_pb2.TodoItem
PlanChoice = human_review_pb2.PlanChoice

CHOICES: Final = (
    PlanChoice(
        label="Approve",
        sublabel="Enter",
        description="This very text may be built.",
        value=Option.APPROVE,
    ),
    PlanChoice(
        label="Reject",
        sublabel="Esc",
        description="Nothing is built; say what to do differently.",
        value=Option.REJECT,
    ),
    PlanChoice(
        label="Request changes",
        sublabel="r",
        description="The agent sends another revision; say what to change.",
        value=Option.REQUEST_CHANGES,
    ),
    PlanChoice(
        label="Edit",
        sublabel="e",
        description="Change the text yourself; your text may be built.",
        value=Option.EDIT,
    ),
)


def draft_of(params: create_plan_tool_pb2.CreatePlanParams, limits: Limits) -> Draft:
    """The plan that the parameters stand for; the older words count where the newer are empty."""
    steps = () if params.todos else params.steps
    check_count("todos", len(steps), "todos", limits.todos)
    from_steps = with_ids([_todo_of(step) for step in steps])
    return Draft(
        plan=params.plan,
        name=params.name or params.title,
        overview=params.overview or params.summary,
        todos=_todos(params.todos, "todos", limits) + from_steps,
        phases=requests.phase_drafts(params.phases, partial(_todos, limits=limits)),
        is_project=params.is_project,
        is_spec=params.is_spec,
        hints={
            todo.id: TodoHint(step.sub_composer_id)
            for todo, step in zip(from_steps, steps, strict=True)
            if step.sub_composer_id
        },
    )


SAME: Final = (
    ("title", "name"),
    ("summary", "overview"),
    ("steps", "todos"),
)
"""Fields of which an edit has one at most."""


def edit_of(request: plan_review_service_pb2.SubmitReviewRequest, limits: Limits) -> Amendment | None:
    """What a person made of the plan, if anything; of two fields that say the same, not both."""
    if not request.HasField("edited"):
        if request.edited_whole:
            raise InvalidField("edited_whole", "says what edited is, and there is none: leave it out")
        return None
    edited = request.edited
    for older, newer in SAME:
        if getattr(edited, older) and getattr(edited, newer):
            raise InvalidField(f"edited.{older}", f"comes with edited.{newer}: leave one of them out")
    draft = draft_of(edited, limits)
    groups = {"todos": edited.todos}
    groups |= {f"phases[{number}].todos": phase.todos for number, phase in enumerate(edited.phases)}
    statuses = tuple(
        StatusSaid(f"{path}[{place}].status", item.id, TodoStatus(item.status))
        for path, items in groups.items()
        for place, item in enumerate(items)
        if item.status
    )
    return Amendment(draft, request.edited_whole, edited.old_str, edited.new_str, statuses=statuses)


@contextmanager
def in_older_words(params: create_plan_tool_pb2.CreatePlanParams, where: str = "params") -> Iterator[None]:
    """A refusal names the fields that were sent, which may be title, summary and steps."""
    try:
        yield
    except Refusal as refusal:
        if refusal.field:
            refusal.field = _older_field(refusal.field, params, where)
        raise


def _older_field(field: str, params: create_plan_tool_pb2.CreatePlanParams, where: str) -> str:
    if not params.name and params.title and field == "name":
        return f"{where}.title"
    if not params.overview and params.summary and field == "overview":
        return f"{where}.summary"
    if params.todos or not params.steps:
        return field
    if hint := re.fullmatch(r"todo_hints\[(.*)\]\.agent", field, re.DOTALL):
        todos = with_ids([_todo_of(step) for step in params.steps])
        place = [hint_name(todo.id) for todo in todos].index(hint[1])
        return f"{where}.steps[{place}].sub_composer_id"
    if not re.match(r"todos\b", field):
        return field
    step = re.sub(r"^todos(?=\b)", f"{where}.steps", field)
    return re.sub(r"\.dependencies\b", ".prerequisites", re.sub(r"\.content$", ".title", step))


def todo_edits_of(items: Sequence[TodoItem], limits: Limits, path: str = "todos") -> tuple[TodoEdit, ...]:
    requests.check_size(items, path, limits)
    return tuple(
        TodoEdit(
            item.id, item.content, _status(item.status, f"{path}[{place}].status"), tuple(item.dependencies)
        )
        for place, item in enumerate(items)
    )


def _todos(items: Sequence[TodoItem], path: str, limits: Limits) -> tuple[Todo, ...]:
    """Todos of a new plan: their statuses must be words we know, and all of them start as pending."""
    return tuple(
        Todo(edit.id, edit.content, edit.dependencies) for edit in todo_edits_of(items, limits, path)
    )


def _status(word: str, path: str) -> TodoStatus | None:
    if not word:
        return None
    try:
        return TodoStatus(word)
    except ValueError:
        raise InvalidField(path, f"is none of: {', '.join(TodoStatus)}") from None


def _todo_of(step: create_plan_tool_pb2.Step) -> Todo:
    said = [text for text in (step.title, step.description, step.instructions) if text]
    return Todo(step.id, "\n".join(said), tuple(step.prerequisites))


def todo_messages(plan: Plan, todos: Sequence[Todo] | None = None) -> list[TodoItem]:
    return [
        TodoItem(
            id=todo.id,
            content=todo.content,
            status=plan.progress[todo.id].status if todo.id in plan.progress else TodoStatus.PENDING,
            dependencies=todo.dependencies,
        )
        for todo in (plan.revision.content.todos if todos is None else todos)
    ]


def result_message(plan: Plan) -> CreatePlanResult:
    """How the review ended; neither of the three while it has not."""
    result = CreatePlanResult(plan_uri=plan.uri)
    match plan.review.outcome:
        case ReviewOutcome.APPROVED:
            result.accepted.final_todos.extend(todo_messages(plan))
        case ReviewOutcome.REJECTED:
            result.rejected.SetInParent()
        case ReviewOutcome.MODIFIED:
            result.modified.new_plan = plan.revision.content.plan
            result.modified.final_todos.extend(todo_messages(plan))
    return result


def final_result(plan: Plan) -> CreatePlanResult:
    """The same for a review that is over: one that nobody decided has no result, but a reason."""
    if plan.state is PlanState.WITHDRAWN:
        raise PlanWithdrawn(plan.uri, plan.review.approval_request_id)
    if plan.review.outcome is ReviewOutcome.EXPIRED:
        raise ReviewExpired(plan.uri, plan.review.approval_request_id)
    return result_message(plan)


def choices(plan: Plan) -> Sequence[PlanChoice]:
    """What a person can choose; nothing once it is decided."""
    return CHOICES if plan.review.status is ReviewStatus.REQUESTED else ()
