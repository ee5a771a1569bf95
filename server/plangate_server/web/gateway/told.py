"""Which events an IDE is told, by which type of message, and in which words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from msgspec import Struct

from plangate_proto.agent.v1.review_event_pb2 import ReviewEventType as Type

ASKED: Final = "plan_approval_required"


class Row(Struct, frozen=True):
    kind: str
    words: str
    final: bool = False
    """Whether nothing more comes of what was asked."""


_WAITS: Final = Row(ASKED, "The plan waits for your decision.")
TOLD: Final[Mapping[int, Row]] = {
    Type.REVIEW_EVENT_TYPE_SNAPSHOT: _WAITS,
    Type.REVIEW_EVENT_TYPE_PLAN_APPROVAL_REQUIRED: _WAITS,
    Type.REVIEW_EVENT_TYPE_PLAN_CREATED: Row("plan_created", "There is a plan."),
    Type.REVIEW_EVENT_TYPE_PLAN_APPROVED: Row("status", "The plan is approved."),
    Type.REVIEW_EVENT_TYPE_PLAN_EDITED: Row("status", "The plan is approved as edited."),
    Type.REVIEW_EVENT_TYPE_PLAN_REJECTED: Row("plan_rejected", "The plan is rejected.", final=True),
    Type.REVIEW_EVENT_TYPE_PLAN_MODIFICATION_REQUESTED: Row(
        "plan_modification_requested", "Another revision is asked for.", final=True
    ),
    Type.REVIEW_EVENT_TYPE_REVIEW_EXPIRED: Row("status", "Nobody decided in time.", final=True),
    Type.REVIEW_EVENT_TYPE_PLAN_WITHDRAWN: Row("status", "The agent took its plan back.", final=True),
    Type.REVIEW_EVENT_TYPE_BUILD_STARTED: Row("status", "The agent has begun."),
    Type.REVIEW_EVENT_TYPE_TODOS_CHANGED: Row("status", "The agent goes on."),
    Type.REVIEW_EVENT_TYPE_EXECUTION_COMPLETED: Row(
        "execution_completed", "The plan is carried out.", final=True
    ),
    Type.REVIEW_EVENT_TYPE_EXECUTION_FAILED: Row("error", "The plan could not be carried out.", final=True),
}
