"""What a plan says: checked, named and digested as a gate does it."""

from __future__ import annotations

import graphlib
import hashlib
import json
import re
from collections.abc import Iterable, Sequence

from plangate.planfile.names import file_name
from plangate.testing._refusals import Refused
from plangate_proto.agent.v1.create_plan_tool_pb2 import CreatePlanArgs
from plangate_proto.agent.v1.plan_resource_pb2 import Plan
from plangate_proto.agent.v1.todo_tools_pb2 import TodoItem, TodoStatus
from plangate_proto.aiserver.v1.create_plan_tool_pb2 import CreatePlanParams

LONGEST_NAME = 100


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


def write(plan: Plan, args: CreatePlanArgs, *, is_spec: bool = False) -> None:
    """Make the plan say what the arguments say, and nothing else."""
    if args.phases:
        raise NotImplementedError("FakeGate has no phases: test against a gate")
    if not args.plan:
        raise Refused("MISSING_FIELD", "args.plan is empty: write down what is to be done", field="args.plan")
    todos = named(args.todos)
    check(todos)
    known = {todo.id: todo.status for todo in plan.todos}
    plan.name, plan.overview, plan.plan = args.name or _name_from(args.plan), args.overview, args.plan
    plan.is_project, plan.is_spec = args.is_project, is_spec
    plan.file_name = file_name(plan.name, plan.plan_id)
    del plan.todos[:]
    for todo in todos:
        status = known.get(todo.id, TodoStatus.TODO_STATUS_PENDING)
        plan.todos.add(id=todo.id, content=todo.content, dependencies=todo.dependencies, status=status)


def amended(
    plan: Plan, args: CreatePlanArgs, old: str = "", new: str = "", *, whole: bool = False
) -> CreatePlanArgs:
    """The plan's content with what the arguments give; what they leave empty stays, unless they are all."""
    if whole and (old or new):
        field = "old_str" if old else "new_str"
        words = f"{field} is a part of the text, and whole is all of it: leave one out"
        raise Refused("INVALID_FIELD", words, field=field)
    if whole:
        return args
    return CreatePlanArgs(
        plan=args.plan or _replaced(plan.plan, old, new),
        name=args.name or plan.name,
        overview=args.overview or plan.overview,
        todos=args.todos or plan.todos,
        phases=args.phases,
        is_project=args.is_project or plan.is_project,
    )


def args_of(params: CreatePlanParams) -> CreatePlanArgs:
    """The same in the agent's vocabulary."""
    if params.phases or params.steps:
        raise NotImplementedError("FakeGate has no phases and no steps: test against a gate")
    return CreatePlanArgs(
        plan=params.plan,
        name=params.name or params.title,
        overview=params.overview or params.summary,
        todos=[TodoItem(id=t.id, content=t.content, dependencies=t.dependencies) for t in params.todos],
        is_project=params.is_project,
    )


def named(todos: Iterable[TodoItem], taken: Iterable[str] = ()) -> list[TodoItem]:
    """The todos, each with an id: those without one are named after their place."""
    items = [_copy(todo) for todo in todos]
    names = {*taken, *(todo.id for todo in items)}
    for place, todo in enumerate(items, start=1):
        if not todo.id:
            number, todo.id = 2, f"todo-{place}"
            while todo.id in names:
                number, todo.id = number + 1, f"todo-{place}-{number}"
            names.add(todo.id)
    return items


def check(todos: Sequence[TodoItem]) -> None:
    """Refuse todos that are empty or not unique, or whose dependencies cannot be met."""
    seen: set[str] = set()
    for place, todo in enumerate(todos):
        field = f"args.todos[{place}]"
        if todo.id in seen:
            words = f"{field}.id is {todo.id!r}, which another todo has"
            raise Refused("DUPLICATE_TODO_ID", words, field=f"{field}.id", todo_id=todo.id)
        if not todo.content:
            words = f"{field}.content is empty: say what is to be done"
            raise Refused("MISSING_FIELD", words, field=f"{field}.content")
        seen.add(todo.id)
    for place, todo in enumerate(todos):
        for number, needed in enumerate(todo.dependencies):
            if needed not in seen:
                field = f"args.todos[{place}].dependencies[{number}]"
                words = f"{field} is {needed!r}, which the plan does not have"
                raise Refused("UNKNOWN_DEPENDENCY", words, field=field, todo_id=todo.id, dependency=needed)
    waves(todos, seen)


def waves(todos: Sequence[TodoItem], chosen: Iterable[str]) -> list[list[str]]:
    """The chosen todos in waves: each depends only on those of earlier ones."""
    wanted = set(chosen)
    place = {todo.id: number for number, todo in enumerate(todos)}
    sorter = graphlib.TopologicalSorter(
        {
            todo.id: [need for need in todo.dependencies if need in wanted]
            for todo in todos
            if todo.id in wanted
        }
    )
    try:
        sorter.prepare()
    except graphlib.CycleError:
        words = "args.todos depend on each other in a circle: take one of the dependencies out"
        raise Refused("DEPENDENCY_CYCLE", words, field="args.todos") from None
    found: list[list[str]] = []
    while sorter.is_active():
        found.append(sorted(sorter.get_ready(), key=place.__getitem__))
        sorter.done(*found[-1])
    return found


def _replaced(text: str, old: str, new: str) -> str:
    if not old and not new:
        return text
    count = len(re.findall(f"(?={re.escape(old)})", text)) if old else 0
    if count == 0:
        raise Refused("TEXT_NOT_FOUND", "old_str does not occur in the plan", field="old_str")
    if count > 1:
        raise Refused("TEXT_NOT_UNIQUE", "old_str occurs more than once", field="old_str", occurrences=count)
    return text.replace(old, new)


def _name_from(plan: str) -> str:
    lines = plan.splitlines()
    headings = [line for line in lines if re.match(r"#{1,6}[ \t]", line)]
    words = (re.sub(r"^#{1,6}(?=[ \t]|$)", "", line).strip() for line in (*headings, *lines))
    return next(filter(None, words), "plan")[:LONGEST_NAME]


def _copy(todo: TodoItem) -> TodoItem:
    copied = TodoItem()
    copied.CopyFrom(todo)
    return copied
