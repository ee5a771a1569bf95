"""Where an agent's session stands, as its plan tells it."""

from __future__ import annotations

from enum import StrEnum

from plangate_server.domain.plan import PlanState


class FsmState(StrEnum):
    IDLE = "idle"
    CLASSIFY = "classify"
    PLAN_REQUIRED = "plan_required"
    ARCHITECT_PLANNING = "architect_planning"
    PLAN_REVIEW = "plan_review"
    PLAN_EXECUTION = "plan_execution"
    COMPLETED = "completed"
    ERROR_HANDLING = "error_handling"


STATE_WITH = {
    PlanState.DRAFT: FsmState.ARCHITECT_PLANNING,
    PlanState.IN_REVIEW: FsmState.PLAN_REVIEW,
    PlanState.CHANGES_REQUESTED: FsmState.ARCHITECT_PLANNING,
    PlanState.APPROVED: FsmState.PLAN_EXECUTION,
    PlanState.REJECTED: FsmState.IDLE,
    PlanState.EXPIRED: FsmState.IDLE,
    PlanState.BUILDING: FsmState.PLAN_EXECUTION,
    PlanState.COMPLETED: FsmState.COMPLETED,
    PlanState.FAILED: FsmState.ERROR_HANDLING,
    PlanState.WITHDRAWN: FsmState.IDLE,
}
