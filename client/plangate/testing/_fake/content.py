"""What a plan says: checked, named and digested as a gate does it."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence

from plangate.planfile.markdown import gate_name
from plangate.testing._fake.messages import now
from plangate.testing._fake.refusals import Refused, invalid, missing
from plangate.testing._fake.todos import bare, check, name_all
from plangate_proto.agent.v1.create_plan_tool_pb2 import CreatePlanArgs, Phase
from plangate_proto.agent.v1.plan_resource_pb2 import Plan, TodoHint
from plangate_proto.agent.v1.todo_tools_pb2 import TodoItem, TodoStatus


def digest(plan: Plan) -> str:
    """As docs/digest.md says."""
    content = {
        "is_project": plan.is_project,
        "is_spec": plan.is_spec,
        "name": plan.name,
        "overview": plan.overview,
        "phases": [{"name": p.name, "todos": [t.id for t in p.todos]} for p in plan.phases],
        "plan": plan.plan,
        "todos": [
            {"content": t.content, "dependencies": list(t.dependencies), "id": t.id} for t in plan.todos
        ],
    }
    canonical = json.dumps(content, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    return hashlib.sha256(canonical.encode()).hexdigest()


def write(
    plan: Plan,
    args: CreatePlanArgs,
    *,
    is_spec: bool = False,
    hints: Mapping[str, TodoHint] | None = None,
    where: str = "args",
    places: Sequence[str] | None = None,
) -> None:
    """Make the plan say what the arguments say, and nothing else; refuse what is not sound.

    ``where`` is the field of the request that the arguments stand for; ``places`` says where each todo was
    given, if not in their order.
    """
    if not args.plan.strip():
        raise missing(f"{where}.plan")
    todos, phases, paths = _gathered(args, where)
    check(todos, paths if places is None else places, where)
    known = {todo.id for todo in todos}
    for todo_id in hints or {}:
        if todo_id not in known:
            raise invalid(f"todo_hints[{todo_id!r}]", "is about a todo that the plan does not have")
    _put(plan, args, todos, phases)
    plan.name, plan.is_spec = args.name.strip() or gate_name(args.plan), is_spec
    kept = {**plan.todo_hints, **(hints or {})}
    plan.todo_hints.clear()
    for todo_id, hint in kept.items():
        if todo_id in known:
            plan.todo_hints[todo_id].CopyFrom(hint)


def sketch(plan: Plan, args: CreatePlanArgs, *, is_spec: bool = False) -> None:
    """Make the plan say what was written so far, sound or not."""
    todos, phases, _ = _gathered(args, "args")
    _put(plan, args, todos, phases)
    plan.name, plan.is_spec = args.name, is_spec


def amended(
    plan: Plan, args: CreatePlanArgs, old: str = "", new: str = "", *, whole: bool = False
) -> CreatePlanArgs:
    """The plan's content with what the arguments give; what they leave empty stays, unless they are all."""
    if whole and (old or new):
        field = "old_str" if old else "new_str"
        raise invalid(field, "is a part of the text, and whole is all of it: leave one out")
    if whole:
        return args
    inside = {todo.id for phase in plan.phases for todo in phase.todos} if args.phases else ()
    todos = list(args.todos) or [todo for todo in plan.todos if todo.id not in inside]
    return CreatePlanArgs(
        plan=args.plan or _replaced(plan.plan, old, new),
        name=args.name or plan.name,
        overview=args.overview or plan.overview,
        todos=todos,
        phases=args.phases or _phases_of(plan, todos),
        is_project=args.is_project or plan.is_project,
    )


def with_todos(plan: Plan, todos: Iterable[TodoItem]) -> CreatePlanArgs:
    """The plan's content with another list of todos."""
    args = amended(plan, CreatePlanArgs())
    del args.todos[:], args.phases[:]
    args.todos.extend(todos)
    args.phases.extend(_phases_of(plan, args.todos))
    return args


def move(plan: Plan, statuses: Mapping[str, TodoStatus.ValueType]) -> list[TodoItem]:
    """Set the statuses of todos; gives those that changed."""
    changed = [todo for todo in plan.todos if statuses.get(todo.id, todo.status) != todo.status]
    for todo in changed:
        todo.status, todo.updated_at = statuses[todo.id], _milliseconds()
    _show_in_phases(plan)
    return changed


def _gathered(args: CreatePlanArgs, where: str) -> tuple[list[TodoItem], list[list[TodoItem]], list[str]]:
    """One list of todos, those of each phase, and where each was given; one given twice is one todo."""
    todos = [bare(todo) for todo in args.todos]
    paths = [f"{where}.todos[{place}]" for place in range(len(todos))]
    listed = {todo.id: todo for todo in todos if todo.id}
    phases: list[list[TodoItem]] = []
    for number, phase in enumerate(args.phases):
        phases.append([])
        for place, given in enumerate(phase.todos):
            todo = bare(given)
            if not todo.id or listed.get(todo.id) != todo:
                todos.append(todo)
                paths.append(f"{where}.phases[{number}].todos[{place}]")
            phases[-1].append(listed.setdefault(todo.id, todo) if todo.id else todo)
    name_all(todos)
    return todos, phases, paths


def _put(plan: Plan, args: CreatePlanArgs, todos: list[TodoItem], phases: list[list[TodoItem]]) -> None:
    plan.overview, plan.plan, plan.is_project = args.overview, args.plan, args.is_project
    known = {todo.id: (todo.status, todo.created_at, todo.updated_at) for todo in plan.todos}
    time = _milliseconds()
    for todo in todos:
        fresh = (TodoStatus.TODO_STATUS_PENDING, time, time)
        todo.status, todo.created_at, todo.updated_at = known.get(todo.id, fresh)
    del plan.todos[:], plan.phases[:]
    plan.todos.extend(todos)
    plan.phases.extend(
        Phase(name=phase.name, todos=inside) for phase, inside in zip(args.phases, phases, strict=True)
    )
    _show_in_phases(plan)


def _show_in_phases(plan: Plan) -> None:
    """A todo is the same wherever it is shown."""
    todos = {todo.id: todo for todo in plan.todos}
    for phase in plan.phases:
        for todo in phase.todos:
            todo.CopyFrom(todos[todo.id])


def _phases_of(plan: Plan, todos: Iterable[TodoItem]) -> list[Phase]:
    """The plan's phases, with those of the todos that belong to them."""
    known = {todo.id: todo for todo in todos}
    return [
        Phase(name=phase.name, todos=[known[todo.id] for todo in phase.todos if todo.id in known])
        for phase in plan.phases
    ]


def _replaced(text: str, old: str, new: str) -> str:
    if not old and not new:
        return text
    count = len(re.findall(f"(?={re.escape(old)})", text)) if old else 0
    if count == 0:
        raise Refused("TEXT_NOT_FOUND", "old_str does not occur in the plan", field="old_str")
    if count > 1:
        raise Refused("TEXT_NOT_UNIQUE", "old_str occurs more than once", field="old_str", occurrences=count)
    return text.replace(old, new)


def _milliseconds() -> int:
    return int(now().timestamp() * 1000)
