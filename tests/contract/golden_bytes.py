"""One encoded example of every mirrored message, its bytes put together by hand.

Each example is the bytes as the original writes them and the plain data that they mean.
"""

from tests.contract.wire_encoder import Plain

_PENDING, _IN_PROGRESS, _COMPLETED, _CANCELLED = 1, 2, 3, 4

# Nine and sixteen bytes: the \x09 and \x10 before them below.
_AGENT_TODO_BYTES = b"\x0a\x01a\x12\x02do\x18\x02"
_AGENT_TODO: Plain = {"id": "a", "content": "do", "status": _IN_PROGRESS}
_AISERVER_TODO_BYTES = b"\x0a\x02do\x12\x07pending\x1a\x01a"
_AISERVER_TODO: Plain = {"content": "do", "status": "pending", "id": "a"}

AGENT: dict[str, tuple[bytes, Plain]] = {
    "agent.v1.TodoItem": (
        b"\x0a\x01a\x12\x02do\x18\x03\x20\x80\xd0\x95\xff\xbc\x31\x28\x01\x32\x01b\x32\x02cd",
        {
            "id": "a",
            "content": "do",
            "status": _COMPLETED,
            "created_at": 1_700_000_000_000,
            "updated_at": 1,
            "dependencies": ["b", "cd"],
        },
    ),
    "agent.v1.Phase": (
        b"\x0a\x05first\x12\x09" + _AGENT_TODO_BYTES,
        {"name": "first", "todos": [_AGENT_TODO]},
    ),
    "agent.v1.CreatePlanArgs": (
        b"\x0a\x03# P\x12\x09" + _AGENT_TODO_BYTES + b"\x1a\x02ov\x22\x01n\x28\x01\x32\x03\x0a\x01p",
        {
            "plan": "# P",
            "todos": [_AGENT_TODO],
            "overview": "ov",
            "name": "n",
            "is_project": True,
            "phases": [{"name": "p"}],
        },
    ),
    "agent.v1.CreatePlanResult": (
        b"\x0a\x00\x1a\x01u",
        {"success": {}, "plan_uri": "u"},
    ),
    "agent.v1.CreatePlanSuccess": (b"", {}),
    "agent.v1.CreatePlanError": (b"\x0a\x02no", {"error": "no"}),
    "agent.v1.CreatePlanToolCall": (
        b"\x0a\x03\x0a\x01p\x12\x06\x12\x04\x0a\x02no",
        {"args": {"plan": "p"}, "result": {"error": {"error": "no"}}},
    ),
    "agent.v1.CreatePlanRequestQuery": (
        b"\x0a\x03\x0a\x01p\x12\x04call",
        {"args": {"plan": "p"}, "tool_call_id": "call"},
    ),
    "agent.v1.CreatePlanRequestResponse": (
        b"\x0a\x05\x0a\x00\x1a\x01u",
        {"result": {"success": {}, "plan_uri": "u"}},
    ),
    "agent.v1.UpdateTodosArgs": (
        b"\x0a\x09" + _AGENT_TODO_BYTES + b"\x10\x01",
        {"todos": [_AGENT_TODO], "merge": True},
    ),
    "agent.v1.UpdateTodosResult": (
        b"\x0a\x02\x10\x03",
        {"success": {"total_count": 3}},
    ),
    "agent.v1.UpdateTodosSuccess": (
        b"\x0a\x09" + _AGENT_TODO_BYTES + b"\x10\x01\x18\x01",
        {"todos": [_AGENT_TODO], "total_count": 1, "was_merge": True},
    ),
    "agent.v1.UpdateTodosError": (b"\x0a\x02no", {"error": "no"}),
    "agent.v1.UpdateTodosToolCall": (
        b"\x0a\x02\x10\x01\x12\x06\x12\x04\x0a\x02no",
        {"args": {"merge": True}, "result": {"error": {"error": "no"}}},
    ),
    "agent.v1.ReadTodosArgs": (
        b"\x0a\x02\x01\x04\x12\x01a\x12\x01b",
        {"status_filter": [_PENDING, _CANCELLED], "id_filter": ["a", "b"]},
    ),
    "agent.v1.ReadTodosResult": (
        b"\x12\x04\x0a\x02no",
        {"error": {"error": "no"}},
    ),
    "agent.v1.ReadTodosSuccess": (
        b"\x0a\x09" + _AGENT_TODO_BYTES + b"\x10\xac\x02",
        {"todos": [_AGENT_TODO], "total_count": 300},
    ),
    "agent.v1.ReadTodosError": (b"\x0a\x02no", {"error": "no"}),
    "agent.v1.ReadTodosToolCall": (
        b"\x0a\x03\x12\x01a\x12\x04\x0a\x02\x10\x01",
        {"args": {"id_filter": ["a"]}, "result": {"success": {"total_count": 1}}},
    ),
}

AISERVER: dict[str, tuple[bytes, Plain]] = {
    "aiserver.v1.TodoItem": (
        b"\x0a\x02do\x12\x0bin_progress\x1a\x01a\x22\x01b\x22\x02cd",
        {"content": "do", "status": "in_progress", "id": "a", "dependencies": ["b", "cd"]},
    ),
    "aiserver.v1.Step": (
        b"\x0a\x01s\x12\x01t\x1a\x01d\x22\x01i\x2a\x01p\x2a\x01q\x32\x01c",
        {
            "id": "s",
            "title": "t",
            "description": "d",
            "instructions": "i",
            "prerequisites": ["p", "q"],
            "sub_composer_id": "c",
        },
    ),
    "aiserver.v1.PlanPhase": (
        b"\x0a\x01p\x12\x10" + _AISERVER_TODO_BYTES,
        {"name": "p", "todos": [_AISERVER_TODO]},
    ),
    "aiserver.v1.CreatePlanParams": (
        b"\x0a\x01p\x12\x01t\x1a\x01s\x22\x03\x0a\x01i\x2a\x01o\x32\x01n\x3a\x02nm"
        b"\x42\x10" + _AISERVER_TODO_BYTES + b"\x4a\x02ov\x50\x01\x58\x01\x62\x03\x0a\x01h",
        {
            "plan": "p",
            "title": "t",
            "summary": "s",
            "steps": [{"id": "i"}],
            "old_str": "o",
            "new_str": "n",
            "name": "nm",
            "todos": [_AISERVER_TODO],
            "overview": "ov",
            "is_spec": True,
            "is_project": True,
            "phases": [{"name": "h"}],
        },
    ),
    "aiserver.v1.CreatePlanResult": (
        b"\x1a\x03\x0a\x01m\x22\x01u",
        {"modified": {"new_plan": "m"}, "plan_uri": "u"},
    ),
    "aiserver.v1.CreatePlanResult.Accepted": (
        b"\x0a\x10" + _AISERVER_TODO_BYTES,
        {"final_todos": [_AISERVER_TODO]},
    ),
    "aiserver.v1.CreatePlanResult.Rejected": (b"", {}),
    "aiserver.v1.CreatePlanResult.Modified": (
        b"\x0a\x01m\x12\x10" + _AISERVER_TODO_BYTES,
        {"new_plan": "m", "final_todos": [_AISERVER_TODO]},
    ),
    "aiserver.v1.PlanChoice": (
        b"\x0a\x02Go\x12\x05Enter\x1a\x00\x22\x07approve",
        {"label": "Go", "sublabel": "Enter", "description": "", "value": "approve"},
    ),
    "aiserver.v1.HumanReview": (
        b"\x0a\x07approve\x12\x04good\x18\x01\x22\x01b",
        {
            "selected_option": "approve",
            "feedback_text": "good",
            "submit_feedback_as_new_message": True,
            "bubble_id": "b",
        },
    ),
    "aiserver.v1.TodoReadParams": (b"\x08\x01", {"read": True}),
    "aiserver.v1.TodoReadResult": (
        b"\x0a\x10" + _AISERVER_TODO_BYTES,
        {"todos": [_AISERVER_TODO]},
    ),
    "aiserver.v1.TodoWriteParams": (
        b"\x0a\x10" + _AISERVER_TODO_BYTES + b"\x10\x01",
        {"todos": [_AISERVER_TODO], "merge": True},
    ),
    "aiserver.v1.TodoWriteResult": (
        b"\x08\x01\x12\x01a\x12\x01b\x18\x01\x22\x10" + _AISERVER_TODO_BYTES + b"\x2a\x03\x1a\x01b\x30\x01",
        {
            "success": True,
            "ready_task_ids": ["a", "b"],
            "needs_in_progress_todos": True,
            "final_todos": [_AISERVER_TODO],
            "initial_todos": [{"id": "b"}],
            "was_merge": True,
        },
    ),
}

GOLDEN = AGENT | AISERVER
