"""The domain's words as numbers on the wire."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Final, TypeVar

from plangate_proto.agent.v1 import (
    plan_resource_pb2,
    review_event_pb2,
    review_resource_pb2,
    todo_tools_pb2,
)
from plangate_server.domain.builds import BuildOutcome, BuildStatus
from plangate_server.domain.comments import CommentState
from plangate_server.domain.events import EventType
from plangate_server.domain.plan import PlanProgress, PlanState
from plangate_server.domain.review import DecisionSource, ReviewOutcome, ReviewStatus
from plangate_server.domain.todos import TodoStatus

Member = TypeVar("Member", bound=StrEnum)


def numbers(enum: type[Member], wire: Any, prefix: str) -> dict[Member, Any]:
    """The wire's number for each member; the names are the same but for the prefix."""
    return {member: wire.Value(f"{prefix}_{member.name}") for member in enum}


def members(table: Mapping[Member, int]) -> dict[int, Member]:
    """The other way round: what each of the wire's numbers stands for."""
    return {number: member for member, number in table.items()}


def number(table: dict[Member, Any], member: Member | None) -> Any:
    """The wire's number, which is zero for what is not there yet."""
    return table[member] if member else 0


TODO_STATUS: Final = numbers(TodoStatus, todo_tools_pb2.TodoStatus, "TODO_STATUS")
PLAN_STATE: Final = numbers(PlanState, plan_resource_pb2.PlanState, "PLAN_STATE")
PLAN_PROGRESS: Final = numbers(PlanProgress, plan_resource_pb2.PlanProgress, "PLAN_PROGRESS")
REVIEW_STATUS: Final = numbers(ReviewStatus, review_resource_pb2.ReviewStatus, "REVIEW_STATUS")
REVIEW_OUTCOME: Final = numbers(ReviewOutcome, review_resource_pb2.ReviewOutcome, "REVIEW_OUTCOME")
SOURCE: Final = numbers(DecisionSource, review_resource_pb2.DecisionSource, "DECISION_SOURCE")
EVENT_TYPE: Final = numbers(EventType, review_event_pb2.ReviewEventType, "REVIEW_EVENT_TYPE")

COMMENT_STATE: Final = numbers(CommentState, review_resource_pb2.CommentState, "COMMENT_STATE")
BUILD_STATUS: Final = numbers(BuildStatus, plan_resource_pb2.BuildStatus, "BUILD_STATUS")
BUILD_OUTCOME: Final = numbers(BuildOutcome, plan_resource_pb2.BuildOutcome, "BUILD_OUTCOME")
