"""A plan in brief, and what can be chosen."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from plangate_proto.agent.v1.plan_resource_pb2 import Plan, PlanSummary, SubtaskSummary
from plangate_proto.aiserver.v1.human_review_pb2 import PlanChoice

MOST_CHARACTERS: Final = 200
CHOICES: Final = (
    PlanChoice(label="Approve", sublabel="Enter", value="approve"),
    PlanChoice(label="Reject", sublabel="Esc", value="rejectAndTellWhatToDoDifferently"),
    PlanChoice(label="Request changes", sublabel="r", value="requestChanges"),
    PlanChoice(label="Edit", sublabel="e", value="edit"),
)


def summary_of(plan: Plan) -> PlanSummary:
    summary = PlanSummary(goal=_shortened(plan.overview or plan.name), subtasks_count=len(plan.todos))
    total = None
    for todo in plan.todos:
        line = SubtaskSummary(id=todo.id, description=_shortened(todo.content))
        if todo.id in plan.todo_hints:
            hint = plan.todo_hints[todo.id]
            line.agent = hint.agent
            if hint.HasField("estimated_time"):
                line.estimated_time.CopyFrom(hint.estimated_time)
                total = (total or timedelta()) + hint.estimated_time.ToTimedelta()
        summary.subtasks.append(line)
    if total is not None:
        summary.total_estimated_time.FromTimedelta(total)
    return summary


def _shortened(text: str) -> str:
    rest = len(text) - MOST_CHARACTERS
    return text if rest <= 0 else f"{text[:MOST_CHARACTERS]}… (and {rest} more characters)"
