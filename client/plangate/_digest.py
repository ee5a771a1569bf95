"""What an approval covers, made again without the gate: see docs/digest.md."""

from __future__ import annotations

import hashlib
import json

from plangate_proto.agent.v1.create_plan_tool_pb2 import CreatePlanArgs


def digest_of(args: CreatePlanArgs, *, is_spec: bool) -> str:
    """The digest that a plan will have, if it has a name and each todo an id."""
    todos = {
        todo.id: todo for todo in (*args.todos, *(todo for phase in args.phases for todo in phase.todos))
    }
    content = {
        "is_project": args.is_project,
        "is_spec": is_spec,
        "name": args.name.strip(),
        "overview": args.overview,
        "phases": [{"name": phase.name, "todos": [todo.id for todo in phase.todos]} for phase in args.phases],
        "plan": args.plan,
        "todos": [
            {"content": todo.content, "dependencies": list(todo.dependencies), "id": todo.id}
            for todo in todos.values()
        ],
    }
    canonical = json.dumps(content, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    return hashlib.sha256(canonical.encode(errors="surrogatepass")).hexdigest()
