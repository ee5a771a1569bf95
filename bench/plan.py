"""The plan that every measurement is about: 2.5 KB of Markdown and 8 todos."""

from __future__ import annotations

from typing import Final
from uuid import uuid4

from plangate_proto.agent.v1.create_plan_tool_pb2 import CreatePlanArgs
from plangate_proto.agent.v1.plan_service_pb2 import CreatePlanRequest
from plangate_proto.agent.v1.todo_tools_pb2 import TodoItem

PLAN_BYTES: Final = 2560
TODOS: Final = 8

_STEP = """
## Step {number}

Move what belongs to part {number} behind an interface of its own, keep the old name as an alias until
every caller has changed, and let the tests of both run side by side. Nothing is deleted before the new one
has been in use for a week; whoever deletes it says so here, with the date and the reason.
"""


def _text() -> str:
    steps = "".join(_STEP.format(number=number) for number in range(1, TODOS + 1))
    return f"# Take the billing module apart\n{steps}"[:PLAN_BYTES]


def _todo(number: int) -> TodoItem:
    before = [f"step-{number - 1}"] if number > 1 else []
    content = f"Move part {number} behind an interface and let both tests run"
    return TodoItem(id=f"step-{number}", content=content, dependencies=before)


ARGS: Final = CreatePlanArgs(
    plan=_text(),
    name="Take the billing module apart",
    overview="Parts behind interfaces, one by one, with the old names kept as aliases.",
    todos=[_todo(number) for number in range(1, TODOS + 1)],
)
_request = CreatePlanRequest(args=ARGS, agent_id="bench").SerializeToString()


def create_request() -> bytes:
    """A request to create the plan, as the client sends it: under an id of its own."""
    # Fields of a message may follow one another in any order, so the id can come last.
    return _request + CreatePlanRequest(request_id=str(uuid4())).SerializeToString()
