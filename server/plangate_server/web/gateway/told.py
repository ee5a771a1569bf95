"""Which events an IDE is told, by which type of message, and in which words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from msgspec import Struct

from plangate_proto.agent.v1.review_event_pb2 import ReviewEventType as Type
from plangate_proto.agent.v1.tool_approval_service_pb2 import ApprovalDecision

ASKED: Final = "plan_approval_required"
TOOL_ASKED: Final = "tool_approval_required"
ASKS: Final = frozenset({ASKED, TOOL_ASKED})
"""The messages that a person answers."""


class Row(Struct, frozen=True):
    kind: str
    words: str
    final: bool = False
    """Whether nothing more comes of what was asked."""
    said: bool = False
    """Whether it tells what a person decided, and said with it."""


_WAITS: Final = Row(ASKED, "The plan waits for your decision.")
PLANS: Final[Mapping[Type.ValueType, Row]] = {
    Type.REVIEW_EVENT_TYPE_SNAPSHOT: _WAITS,
    Type.REVIEW_EVENT_TYPE_PLAN_APPROVAL_REQUIRED: _WAITS,
    Type.REVIEW_EVENT_TYPE_PLAN_CREATED: Row("plan_created", "There is a plan."),
    Type.REVIEW_EVENT_TYPE_APPROVAL_RECORDED: Row(
        "plan_approval_recorded", "An approval is recorded.", said=True
    ),
    Type.REVIEW_EVENT_TYPE_PLAN_APPROVED: Row("status", "The plan is approved.", said=True),
    Type.REVIEW_EVENT_TYPE_PLAN_EDITED: Row("status", "The plan is approved as edited.", said=True),
    Type.REVIEW_EVENT_TYPE_PLAN_REJECTED: Row(
        "plan_rejected", "The plan is rejected.", final=True, said=True
    ),
    Type.REVIEW_EVENT_TYPE_PLAN_MODIFICATION_REQUESTED: Row(
        "plan_modification_requested", "Another revision is asked for.", final=True, said=True
    ),
    Type.REVIEW_EVENT_TYPE_REVIEW_EXPIRED: Row("plan_expired", "Nobody decided in time.", final=True),
    Type.REVIEW_EVENT_TYPE_PLAN_WITHDRAWN: Row("plan_withdrawn", "The agent took its plan back.", final=True),
    Type.REVIEW_EVENT_TYPE_BUILD_STARTED: Row("status", "The agent has begun."),
    Type.REVIEW_EVENT_TYPE_TODOS_CHANGED: Row("status", "The agent goes on."),
    Type.REVIEW_EVENT_TYPE_EXECUTION_COMPLETED: Row(
        "execution_completed", "The plan is carried out.", final=True
    ),
    Type.REVIEW_EVENT_TYPE_EXECUTION_FAILED: Row("error", "The plan could not be carried out.", final=True),
}
SUPERSEDED: Final = Row("plan_superseded", "Another text took the place of this one.", final=True)
"""Told of the review that waited when a plan is updated."""

TOOL_WAITS: Final = Row(TOOL_ASKED, "A tool call waits for your decision.")
ANSWERED: Final[Mapping[int, Row]] = {
    ApprovalDecision.APPROVAL_DECISION_APPROVED: Row(
        "tool_approved", "The tool call is approved.", final=True
    ),
    ApprovalDecision.APPROVAL_DECISION_APPROVED_FOR_SESSION: Row(
        "tool_approved", "The tool call is approved, and the same for the rest of the session.", final=True
    ),
    ApprovalDecision.APPROVAL_DECISION_DENIED: Row("tool_denied", "The tool call is denied.", final=True),
}
ENDED: Final[Mapping[Type.ValueType, Row]] = {
    Type.REVIEW_EVENT_TYPE_TOOL_CALL_CANCELLED: Row(
        "tool_cancelled", "The agent took its tool call back.", final=True
    ),
    Type.REVIEW_EVENT_TYPE_TOOL_CALL_EXPIRED: Row(
        "tool_expired", "Nobody answered the tool call in time.", final=True
    ),
}
CALLS: Final[frozenset[Type.ValueType]] = frozenset(
    {Type.REVIEW_EVENT_TYPE_TOOL_CALL_REQUESTED, Type.REVIEW_EVENT_TYPE_TOOL_CALL_DECIDED, *ENDED}
)
"""The events of tool calls, with any of which another prompt can become active."""
WATCHED: Final[tuple[Type.ValueType, ...]] = (*PLANS, Type.REVIEW_EVENT_TYPE_PLAN_UPDATED, *CALLS)
