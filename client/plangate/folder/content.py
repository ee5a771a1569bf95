"""What a plan says, taken from its file or from the gate, so that the two can be compared; and its file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from plangate.planfile.api import IS_SPEC, from_plan, to_create_request
from plangate.planfile.model import Extra, PlanFile, Todo
from plangate.planfile.statuses import KNOWN, PENDING
from plangate.planfile.writer import write_plan_file
from plangate_proto.agent.v1.create_plan_tool_pb2 import CreatePlanArgs
from plangate_proto.agent.v1.plan_resource_pb2 import Plan


@dataclass(frozen=True, slots=True)
class Content:
    """What a revision is made of. How far the todos have come is no part of it."""

    name: str
    overview: str
    plan: str
    todos: tuple[tuple[str, str, tuple[str, ...]], ...]
    phases: tuple[tuple[str, tuple[str, ...]], ...]
    is_project: bool
    is_spec: bool


def content_of_plan(plan: Plan) -> Content:
    return content_of_file(from_plan(plan))


def content_of_file(file: PlanFile) -> Content:
    request = to_create_request(file)
    listed = file.all_todos()
    return Content(
        name=file.name.strip(),
        overview=file.overview,
        plan=request.args.plan,
        todos=tuple((todo.id, todo.content, todo.dependencies) for todo in listed),
        phases=tuple((phase.name, tuple(todo.id for todo in phase.todos)) for phase in request.args.phases),
        is_project=file.is_project,
        is_spec=request.is_spec,
    )


def args_of(file: PlanFile) -> tuple[CreatePlanArgs, bool]:
    """What UpdatePlan takes: the whole content, and whether it is a specification."""
    request = to_create_request(file)
    return request.args, request.is_spec


def statuses_of(todos: tuple[Todo, ...]) -> Mapping[str, str]:
    """How far each todo has come; a word that the gate does not know is pending to it."""
    return {todo.id: todo.status if todo.status in KNOWN else PENDING for todo in todos}


def written(plan: Plan, before: PlanFile | None) -> bytes:
    """The plan's file, with what only the file before has: keys of others, comments, line ends, its mark."""
    file = from_plan(plan)
    if before is None:
        return write_plan_file(file)
    others = tuple(extra for extra in before.extras if extra != IS_SPEC)
    known = {todo.id: todo for todo in before.all_todos()}
    phases = {phase.name: phase.extras for phase in before.phases}
    return write_plan_file(
        replace(
            file,
            todos=tuple(_as_before(todo, known.get(todo.id)) for todo in file.todos),
            phases=tuple(replace(phase, extras=phases.get(phase.name, ())) for phase in file.phases),
            extras=_without_repeats((*file.extras, *others)),
            comments=before.comments,
            # A text with such line ends of its own would be changed by ours.
            newline="\n" if "\r" in file.body else before.newline,
            bom=before.bom,
        )
    )


def _as_before(todo: Todo, before: Todo | None) -> Todo:
    if before is None:
        return todo
    kept = todo.status == PENDING and before.status not in KNOWN
    return replace(todo, status=before.status if kept else todo.status, extras=before.extras)


def _without_repeats(extras: tuple[Extra, ...]) -> tuple[Extra, ...]:
    return tuple({extra.key: extra for extra in reversed(extras)}.values())[::-1]
