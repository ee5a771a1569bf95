"""What the gate's states and choices are called, and how they look."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Final

from google.protobuf.timestamp_pb2 import Timestamp

from plangate._calls.words import word_of
from plangate.cli._style import Style
from plangate.cli._tables import Cell
from plangate_proto.agent.v1.plan_resource_pb2 import Plan, PlanState

CHOICES: Final[Mapping[str, str]] = {
    "approve": "approved",
    "rejectAndTellWhatToDoDifferently": "rejected",
    "requestChanges": "changes requested",
    "edit": "approved as edited",
}
STYLES: Final[Mapping[PlanState.ValueType, Style]] = {
    PlanState.PLAN_STATE_DRAFT: Style.FAINT,
    PlanState.PLAN_STATE_IN_REVIEW: Style.WAITING,
    PlanState.PLAN_STATE_CHANGES_REQUESTED: Style.WAITING,
    PlanState.PLAN_STATE_APPROVED: Style.GOOD,
    PlanState.PLAN_STATE_BUILDING: Style.MOVING,
    PlanState.PLAN_STATE_COMPLETED: Style.GOOD,
    PlanState.PLAN_STATE_REJECTED: Style.BAD,
    PlanState.PLAN_STATE_FAILED: Style.BAD,
    PlanState.PLAN_STATE_EXPIRED: Style.FAINT,
    PlanState.PLAN_STATE_WITHDRAWN: Style.FAINT,
}


def text_by(plan: Plan) -> str:
    """The agent whose text it is, which need not be the one that made the plan."""
    return plan.review.agent_id or plan.created_by


def state_of(plan: Plan) -> Cell:
    return Cell(spoken(word_of(PlanState, "PLAN_STATE_", plan.state)), STYLES.get(plan.state, Style.PLAIN))


def spoken(word: str) -> str:
    """A word of the gate's, as people say it."""
    return word.lower().replace("_", " ")


def rounded(span: timedelta) -> str:
    """The largest unit that fits."""
    seconds = max(int(span.total_seconds()), 0)
    for unit, size in (("d", 86400), ("h", 3600), ("min", 60)):
        if seconds >= size:
            return f"{seconds // size} {unit}"
    return f"{seconds} s"


def age(moment: Timestamp) -> str:
    """How long ago it was."""
    return rounded(datetime.now(UTC) - moment.ToDatetime(tzinfo=UTC))


def time_left(moment: Timestamp) -> str:
    """How long it is until then."""
    return rounded(moment.ToDatetime(tzinfo=UTC) - datetime.now(UTC))


def clock(moment: Timestamp) -> str:
    """When it was, to the second, the same everywhere."""
    return f"{moment.ToDatetime(tzinfo=UTC):%Y-%m-%d %H:%M:%S}Z"


def counted(number: int, word: str) -> str:
    """1 call, 2 calls."""
    return f"{number} {word}" if number == 1 else f"{number} {word}s"
