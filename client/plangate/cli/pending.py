"""``plangate pending``: what waits for a decision."""

from __future__ import annotations

from argparse import Namespace
from datetime import UTC, datetime, timedelta

from plangate.cli._gate import gate
from plangate.cli._tables import table
from plangate.cli._text import visible
from plangate_proto.agent.v1.plan_resource_pb2 import Plan, PlanState

HEADINGS = ("PLAN", "NAME", "BY", "TODOS", "WAITING")


def run(given: Namespace) -> int:
    with gate() as client:
        plans = list(client.list_plans(PlanState.PLAN_STATE_IN_REVIEW))
    if not plans:
        print("nothing waits for a decision")
        return 0
    print(*table(HEADINGS, [_row(plan) for plan in plans]), sep="\n")
    return 0


def _row(plan: Plan) -> tuple[str, ...]:
    waiting = datetime.now(UTC) - plan.review.request_time.ToDatetime(tzinfo=UTC)
    cells = (plan.plan_id[-8:], plan.name, plan.created_by, str(len(plan.todos)), _rounded(waiting))
    return tuple(visible(cell) for cell in cells)


def _rounded(span: timedelta) -> str:
    """The largest unit that fits."""
    seconds = max(int(span.total_seconds()), 0)
    for unit, size in (("d", 86400), ("h", 3600), ("min", 60)):
        if seconds >= size:
            return f"{seconds // size} {unit}"
    return f"{seconds} s"
