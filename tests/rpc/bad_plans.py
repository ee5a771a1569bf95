"""Plans that cannot be stored, in both vocabularies."""

from google.protobuf.duration_pb2 import Duration

from plangate_proto.agent.v1.create_plan_tool_pb2 import CreatePlanArgs, Phase
from plangate_proto.agent.v1.plan_resource_pb2 import TodoHint
from plangate_proto.agent.v1.plan_service_pb2 import CreatePlanRequest
from plangate_proto.agent.v1.review_resource_pb2 import ReviewOptions
from plangate_proto.agent.v1.todo_tools_pb2 import TodoItem
from plangate_proto.aiserver.v1.create_plan_tool_pb2 import CreatePlanParams, PlanPhase
from plangate_proto.aiserver.v1.todo_read_write_tools_pb2 import TodoItem as AiserverTodo
from tests.rpc.bad_requests import AISERVER_CREATE, CREATE, Bad, bad_args, bad_params, over

MEGABYTE = 1024 * 1024
A, B = TodoItem(id="a", content="A"), TodoItem(id="b", content="B")


def with_todos(reason: str, *todos: TodoItem, **metadata: str) -> Bad:
    return bad_args(reason, CreatePlanArgs(plan="# Plan", todos=todos), **metadata)


def with_phases(reason: str, *phases: Phase, **metadata: str) -> Bad:
    return bad_args(reason, CreatePlanArgs(plan="# Plan", todos=[A], phases=phases), **metadata)


def with_words(reason: str, *todos: AiserverTodo, **metadata: str) -> Bad:
    return bad_params(reason, CreatePlanParams(plan="# Plan", todos=todos), **metadata)


def with_hint(reason: str, todo_id: str, hint: TodoHint, **metadata: str) -> Bad:
    args = CreatePlanArgs(plan="# Plan", todos=[A])
    return Bad(CREATE, reason, CreatePlanRequest(args=args, todo_hints={todo_id: hint}), metadata)


def lasting(seconds: int) -> TodoHint:
    return TodoHint(estimated_time=Duration(seconds=seconds))


def long_id(field: str) -> Bad:
    request = CreatePlanRequest(args=CreatePlanArgs(plan="# Plan"))
    setattr(request, field, "x" * 257)
    return Bad(CREATE, "LIMIT_EXCEEDED", request, over("id_bytes", 256, field))


MISSING = {
    "nothing": Bad(CREATE, "MISSING_FIELD", b"", {"field": "args.plan"}),
    "nothing in aiserver": Bad(AISERVER_CREATE, "MISSING_FIELD", b"", {"field": "params.plan"}),
    "empty plan": bad_args("MISSING_FIELD", CreatePlanArgs(name="Plan", todos=[A]), field="args.plan"),
    "plan of white space": bad_args("MISSING_FIELD", CreatePlanArgs(plan=" \n\t\u2003"), field="args.plan"),
    "empty todo": with_todos("MISSING_FIELD", A, TodoItem(id="b"), field="args.todos[1].content"),
    "todo of white space": with_todos("MISSING_FIELD", TodoItem(content=" "), field="args.todos[0].content"),
    "empty todo in a phase": with_phases(
        "MISSING_FIELD",
        Phase(name="p", todos=[A, TodoItem(id="b")]),
        field="args.phases[0].todos[1].content",
    ),
    "empty todo in params": with_words(
        "MISSING_FIELD", AiserverTodo(id="a"), field="params.todos[0].content"
    ),
}

TOO_LARGE = "LIMIT_EXCEEDED"
LIMITS = {
    "plan of 1 MiB and a byte": bad_args(
        TOO_LARGE, CreatePlanArgs(plan="x" * (MEGABYTE + 1)), **over("plan_bytes", MEGABYTE, "args.plan")
    ),
    "plan of 1 MiB and a byte, in umlauts": bad_params(
        TOO_LARGE,
        CreatePlanParams(plan="ü" * (MEGABYTE // 2) + "x"),
        **over("plan_bytes", MEGABYTE, "params.plan"),
    ),
    "501 todos": with_todos(TOO_LARGE, *[TodoItem(content="A")] * 501, **over("todos", 500, "args.todos")),
    "501 todos, some in a phase": with_phases(
        TOO_LARGE,
        Phase(name="p", todos=[TodoItem(content="B")] * 500),
        **over("todos", 500, "args.todos"),
    ),
    "501 phases": with_phases(TOO_LARGE, *[Phase()] * 501, **over("phases", 500, "args.phases")),
    "long todo": with_todos(
        TOO_LARGE, TodoItem(content="x" * 4097), **over("todo_bytes", 4096, "args.todos[0].content")
    ),
    "long todo id": with_todos(
        TOO_LARGE, A, TodoItem(id="x" * 257, content="B"), **over("id_bytes", 256, "args.todos[1].id")
    ),
    "long name": bad_args(
        TOO_LARGE,
        CreatePlanArgs(plan="# Plan", name="ü" * 1001),
        **over("name_characters", 1000, "args.name"),
    ),
    "long name of a phase": with_phases(
        TOO_LARGE, Phase(name="x" * 1001), **over("name_characters", 1000, "args.phases[0].name")
    ),
    "long overview": bad_args(
        TOO_LARGE,
        CreatePlanArgs(plan="# Plan", overview="x" * 65537),
        **over("overview_bytes", 65536, "args.overview"),
    ),
    "long session_id": long_id("session_id"),
    "long agent_id": long_id("agent_id"),
    "long tool_call_id": long_id("tool_call_id"),
    "long request_id": long_id("request_id"),
    "long agent of a hint": with_hint(
        TOO_LARGE, "a", TodoHint(agent="x" * 257), **over("id_bytes", 256, "todo_hints['a'].agent")
    ),
}

DEPENDENCIES = {
    "duplicate id": with_todos("DUPLICATE_TODO_ID", A, B, A, field="args.todos[2].id", todo_id="a"),
    "duplicate id in a phase": with_phases(
        "DUPLICATE_TODO_ID",
        Phase(name="p", todos=[TodoItem(id="a", content="not A")]),
        field="args.phases[0].todos[0].id",
        todo_id="a",
    ),
    "duplicate id in params": with_words(
        "DUPLICATE_TODO_ID",
        AiserverTodo(id="a", content="A"),
        AiserverTodo(id="a", content="B"),
        field="params.todos[1].id",
        todo_id="a",
    ),
    "unknown dependency": with_todos(
        "UNKNOWN_DEPENDENCY",
        A,
        TodoItem(id="b", content="B", dependencies=["a", "c"]),
        field="args.todos[1].dependencies[1]",
        todo_id="b",
        dependency="c",
    ),
    "unknown dependency in params": with_words(
        "UNKNOWN_DEPENDENCY",
        AiserverTodo(id="a", content="A", dependencies=["b"]),
        field="params.todos[0].dependencies[0]",
        todo_id="a",
        dependency="b",
    ),
    "todo that needs itself": with_todos(
        "DEPENDENCY_CYCLE",
        TodoItem(id="a", content="A", dependencies=["a"]),
        field="args.todos",
        cycle="a -> a",
    ),
    "todos that need each other": with_words(
        "DEPENDENCY_CYCLE",
        AiserverTodo(id="a", content="A", dependencies=["b"]),
        AiserverTodo(id="b", content="B", dependencies=["a"]),
        field="params.todos",
        cycle="a -> b -> a",
    ),
}

VALUES = {
    "hint for a todo that is not there": with_hint(
        "INVALID_FIELD", "b", TodoHint(agent="x"), field="todo_hints['b']"
    ),
    "negative estimate": with_hint("INVALID_FIELD", "a", lasting(-1), field="todo_hints['a'].estimated_time"),
    "estimate that is no span": with_hint(
        "INVALID_FIELD", "a", lasting(2**62), field="todo_hints['a'].estimated_time"
    ),
    "negative number of approvals": Bad(
        CREATE,
        "INVALID_FIELD",
        CreatePlanRequest(args=CreatePlanArgs(plan="# Plan"), review=ReviewOptions(required_approvals=-1)),
        {"field": "review.required_approvals"},
    ),
    "unknown word for a status": with_words(
        "INVALID_FIELD",
        AiserverTodo(content="A", status="pending"),
        AiserverTodo(content="B", status="done"),
        field="params.todos[1].status",
    ),
    "unknown word for a status in a phase": bad_params(
        "INVALID_FIELD",
        CreatePlanParams(
            plan="# Plan", phases=[PlanPhase(name="p", todos=[AiserverTodo(content="A", status="PENDING")])]
        ),
        field="params.phases[0].todos[0].status",
    ),
}

BAD_PLANS = {**MISSING, **LIMITS, **DEPENDENCIES, **VALUES}
