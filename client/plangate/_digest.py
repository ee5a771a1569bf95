"""What an approval covers, made again without the gate: see docs/digest.md."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable

from plangate_proto.agent.v1.create_plan_tool_pb2 import CreatePlanArgs
from plangate_proto.agent.v1.plan_resource_pb2 import Plan
from plangate_proto.agent.v1.todo_tools_pb2 import TodoItem


def digest_of(args: CreatePlanArgs, *, is_spec: bool) -> str:
    """The digest that a plan will have, if it has a name and each todo an id."""
    todos = {
        todo.id: todo for todo in (*args.todos, *(todo for phase in args.phases for todo in phase.todos))
    }
    return _digest(args, todos.values(), name=args.name.strip(), is_spec=is_spec)


def digest_of_plan(plan: Plan) -> str:
    """The digest of what a plan says, whatever stands in it as its digest."""
    return _digest(plan, plan.todos, name=plan.name, is_spec=plan.is_spec)


def _digest(says: CreatePlanArgs | Plan, todos: Iterable[TodoItem], *, name: str, is_spec: bool) -> str:
    content = {
        "is_project": says.is_project,
        "is_spec": is_spec,
        "name": name,
        "overview": says.overview,
        "phases": [{"name": phase.name, "todos": [todo.id for todo in phase.todos]} for phase in says.phases],
        "plan": says.plan,
        "todos": [
            {"content": todo.content, "dependencies": list(todo.dependencies), "id": todo.id}
            for todo in todos
        ],
    }
    canonical = json.dumps(content, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    return hashlib.sha256(canonical.encode(errors="surrogatepass")).hexdigest()
