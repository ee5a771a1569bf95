"""Every mirrored message and enum, written down by hand.

Nothing here is derived from the protos: this table is what they are held against, and what the
independent encoder writes by. A change here is a break with clients of the original schema.
"""

from typing import Literal, NamedTuple

Label = Literal["singular", "repeated", "optional"]


class Field(NamedTuple):
    """One field of a mirrored message; "optional" means that presence is explicit."""

    number: int
    name: str
    type: str
    label: Label = "singular"
    oneof: str | None = None


def one(number: int, name: str, type_: str) -> Field:
    return Field(number, name, type_)


def many(number: int, name: str, type_: str) -> Field:
    return Field(number, name, type_, "repeated")


def maybe(number: int, name: str, type_: str) -> Field:
    return Field(number, name, type_, "optional")


def either(number: int, name: str, type_: str) -> Field:
    return Field(number, name, type_, oneof="result")


AGENT_MESSAGES: dict[str, tuple[Field, ...]] = {
    "agent.v1.TodoItem": (
        one(1, "id", "string"),
        one(2, "content", "string"),
        one(3, "status", "agent.v1.TodoStatus"),
        one(4, "created_at", "int64"),
        one(5, "updated_at", "int64"),
        many(6, "dependencies", "string"),
    ),
    "agent.v1.Phase": (
        one(1, "name", "string"),
        many(2, "todos", "agent.v1.TodoItem"),
    ),
    "agent.v1.CreatePlanArgs": (
        one(1, "plan", "string"),
        many(2, "todos", "agent.v1.TodoItem"),
        one(3, "overview", "string"),
        one(4, "name", "string"),
        one(5, "is_project", "bool"),
        many(6, "phases", "agent.v1.Phase"),
    ),
    "agent.v1.CreatePlanResult": (
        either(1, "success", "agent.v1.CreatePlanSuccess"),
        either(2, "error", "agent.v1.CreatePlanError"),
        one(3, "plan_uri", "string"),
    ),
    "agent.v1.CreatePlanSuccess": (),
    "agent.v1.CreatePlanError": (one(1, "error", "string"),),
    "agent.v1.CreatePlanToolCall": (
        one(1, "args", "agent.v1.CreatePlanArgs"),
        one(2, "result", "agent.v1.CreatePlanResult"),
    ),
    "agent.v1.CreatePlanRequestQuery": (
        one(1, "args", "agent.v1.CreatePlanArgs"),
        one(2, "tool_call_id", "string"),
    ),
    "agent.v1.CreatePlanRequestResponse": (one(1, "result", "agent.v1.CreatePlanResult"),),
    "agent.v1.UpdateTodosArgs": (
        many(1, "todos", "agent.v1.TodoItem"),
        one(2, "merge", "bool"),
    ),
    "agent.v1.UpdateTodosResult": (
        either(1, "success", "agent.v1.UpdateTodosSuccess"),
        either(2, "error", "agent.v1.UpdateTodosError"),
    ),
    "agent.v1.UpdateTodosSuccess": (
        many(1, "todos", "agent.v1.TodoItem"),
        one(2, "total_count", "int32"),
        one(3, "was_merge", "bool"),
    ),
    "agent.v1.UpdateTodosError": (one(1, "error", "string"),),
    "agent.v1.UpdateTodosToolCall": (
        one(1, "args", "agent.v1.UpdateTodosArgs"),
        one(2, "result", "agent.v1.UpdateTodosResult"),
    ),
    "agent.v1.ReadTodosArgs": (
        many(1, "status_filter", "agent.v1.TodoStatus"),
        many(2, "id_filter", "string"),
    ),
    "agent.v1.ReadTodosResult": (
        either(1, "success", "agent.v1.ReadTodosSuccess"),
        either(2, "error", "agent.v1.ReadTodosError"),
    ),
    "agent.v1.ReadTodosSuccess": (
        many(1, "todos", "agent.v1.TodoItem"),
        one(2, "total_count", "int32"),
    ),
    "agent.v1.ReadTodosError": (one(1, "error", "string"),),
    "agent.v1.ReadTodosToolCall": (
        one(1, "args", "agent.v1.ReadTodosArgs"),
        one(2, "result", "agent.v1.ReadTodosResult"),
    ),
}

AISERVER_MESSAGES: dict[str, tuple[Field, ...]] = {
    "aiserver.v1.TodoItem": (
        one(1, "content", "string"),
        one(2, "status", "string"),
        one(3, "id", "string"),
        many(4, "dependencies", "string"),
    ),
    "aiserver.v1.Step": (
        one(1, "id", "string"),
        one(2, "title", "string"),
        one(3, "description", "string"),
        one(4, "instructions", "string"),
        many(5, "prerequisites", "string"),
        one(6, "sub_composer_id", "string"),
    ),
    "aiserver.v1.PlanPhase": (
        one(1, "name", "string"),
        many(2, "todos", "aiserver.v1.TodoItem"),
    ),
    "aiserver.v1.CreatePlanParams": (
        one(1, "plan", "string"),
        one(2, "title", "string"),
        one(3, "summary", "string"),
        many(4, "steps", "aiserver.v1.Step"),
        one(5, "old_str", "string"),
        one(6, "new_str", "string"),
        one(7, "name", "string"),
        many(8, "todos", "aiserver.v1.TodoItem"),
        one(9, "overview", "string"),
        one(10, "is_spec", "bool"),
        one(11, "is_project", "bool"),
        many(12, "phases", "aiserver.v1.PlanPhase"),
    ),
    "aiserver.v1.CreatePlanResult": (
        either(1, "accepted", "aiserver.v1.CreatePlanResult.Accepted"),
        either(2, "rejected", "aiserver.v1.CreatePlanResult.Rejected"),
        either(3, "modified", "aiserver.v1.CreatePlanResult.Modified"),
        one(4, "plan_uri", "string"),
    ),
    "aiserver.v1.CreatePlanResult.Accepted": (many(1, "final_todos", "aiserver.v1.TodoItem"),),
    "aiserver.v1.CreatePlanResult.Rejected": (),
    "aiserver.v1.CreatePlanResult.Modified": (
        one(1, "new_plan", "string"),
        many(2, "final_todos", "aiserver.v1.TodoItem"),
    ),
    "aiserver.v1.PlanChoice": (
        one(1, "label", "string"),
        maybe(2, "sublabel", "string"),
        maybe(3, "description", "string"),
        one(4, "value", "string"),
    ),
    "aiserver.v1.HumanReview": (
        one(1, "selected_option", "string"),
        one(2, "feedback_text", "string"),
        one(3, "submit_feedback_as_new_message", "bool"),
        one(4, "bubble_id", "string"),
    ),
    "aiserver.v1.TodoReadParams": (one(1, "read", "bool"),),
    "aiserver.v1.TodoReadResult": (many(1, "todos", "aiserver.v1.TodoItem"),),
    "aiserver.v1.TodoWriteParams": (
        many(1, "todos", "aiserver.v1.TodoItem"),
        one(2, "merge", "bool"),
    ),
    "aiserver.v1.TodoWriteResult": (
        one(1, "success", "bool"),
        many(2, "ready_task_ids", "string"),
        one(3, "needs_in_progress_todos", "bool"),
        many(4, "final_todos", "aiserver.v1.TodoItem"),
        many(5, "initial_todos", "aiserver.v1.TodoItem"),
        one(6, "was_merge", "bool"),
    ),
}

MESSAGES = AGENT_MESSAGES | AISERVER_MESSAGES

ENUMS: dict[str, dict[str, int]] = {
    "agent.v1.TodoStatus": {
        "TODO_STATUS_UNSPECIFIED": 0,
        "TODO_STATUS_PENDING": 1,
        "TODO_STATUS_IN_PROGRESS": 2,
        "TODO_STATUS_COMPLETED": 3,
        "TODO_STATUS_CANCELLED": 4,
    },
    # The tools of the original that have nothing to do with plans are left out on purpose.
    "aiserver.v1.ClientSideToolV2": {
        "CLIENT_SIDE_TOOL_V2_UNSPECIFIED": 0,
        "CLIENT_SIDE_TOOL_V2_TODO_READ": 34,
        "CLIENT_SIDE_TOOL_V2_TODO_WRITE": 35,
        "CLIENT_SIDE_TOOL_V2_CREATE_PLAN": 43,
    },
}

FILES: tuple[str, ...] = (
    "agent/v1/create_plan_tool.proto",
    "agent/v1/todo_tools.proto",
    "aiserver/v1/create_plan_tool.proto",
    "aiserver/v1/human_review.proto",
    "aiserver/v1/todo_read_write_tools.proto",
)
"""The proto files that hold mirrored definitions and nothing else."""
