"""An agent's session: where it stands, what it may do, and which tool calls wait in it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from enum import StrEnum
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

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


class FsmEvent(StrEnum):
    RECEIVE_MESSAGE = "receive_message"
    IS_ATOMIC_TRUE = "is_atomic_true"
    IS_ATOMIC_FALSE = "is_atomic_false"
    ROUTE_TO_ARCHITECT = "route_to_architect"
    PLAN_CREATED = "plan_created"
    PLAN_APPROVED = "plan_approved"
    PLAN_REJECTED = "plan_rejected"
    PLAN_MODIFICATION_REQUESTED = "plan_modification_requested"
    PLAN_EXECUTION_COMPLETED = "plan_execution_completed"
    PLAN_EXECUTION_FAILED = "plan_execution_failed"
    RESET = "reset"


STATE_WITH: Final = {
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
"""Where a session is led by what happens to a plan of it."""

ANYWHERE: Final = frozenset(FsmState)


class Transition(Struct, frozen=True):
    """An event, the states in which it can happen, where it leads, and which plan it takes."""

    event: FsmEvent
    sources: frozenset[FsmState]
    target: FsmState
    led_by: PlanState | None = None
    """The state of the plan that drives it; None for what only the agent knows and reports."""


def _reported(event: FsmEvent, sources: Iterable[FsmState], target: FsmState) -> Transition:
    return Transition(event, frozenset(sources), target)


def _driven(event: FsmEvent, state: PlanState) -> Transition:
    return Transition(event, ANYWHERE, STATE_WITH[state], state)


FSM: Final = (
    _reported(
        FsmEvent.RECEIVE_MESSAGE,
        {FsmState.IDLE, FsmState.COMPLETED, FsmState.ERROR_HANDLING},
        FsmState.CLASSIFY,
    ),
    _reported(FsmEvent.IS_ATOMIC_TRUE, {FsmState.CLASSIFY}, FsmState.IDLE),
    _reported(FsmEvent.IS_ATOMIC_FALSE, {FsmState.CLASSIFY}, FsmState.PLAN_REQUIRED),
    _reported(FsmEvent.ROUTE_TO_ARCHITECT, {FsmState.PLAN_REQUIRED}, FsmState.ARCHITECT_PLANNING),
    _driven(FsmEvent.PLAN_CREATED, PlanState.IN_REVIEW),
    _driven(FsmEvent.PLAN_APPROVED, PlanState.APPROVED),
    _driven(FsmEvent.PLAN_REJECTED, PlanState.REJECTED),
    _driven(FsmEvent.PLAN_MODIFICATION_REQUESTED, PlanState.CHANGES_REQUESTED),
    _driven(FsmEvent.PLAN_EXECUTION_COMPLETED, PlanState.COMPLETED),
    _driven(FsmEvent.PLAN_EXECUTION_FAILED, PlanState.FAILED),
    _reported(FsmEvent.RESET, ANYWHERE, FsmState.IDLE),
)
"""The whole machine. The plan calls drive their part of it from wherever the session is."""


class SessionMode(StrEnum):
    AGENT = "agent"
    PLAN = "plan"
    FULL_ACCESS = "full_access"


FROM_STRICT_TO_LOOSE = (SessionMode.PLAN, SessionMode.AGENT, SessionMode.FULL_ACCESS)


def looser(mode: SessionMode, than: SessionMode) -> bool:
    return FROM_STRICT_TO_LOOSE.index(mode) > FROM_STRICT_TO_LOOSE.index(than)


class FullAccessState(StrEnum):
    HIDDEN = "hidden"
    PENDING_CONFIRMATION = "pending_confirmation"
    ACTIVE = "active"


class Session(Struct, frozen=True, omit_defaults=True):
    session_id: str
    workspace: str
    create_time: datetime
    update_time: datetime
    mode: SessionMode = SessionMode.AGENT
    full_access: FullAccessState = FullAccessState.HIDDEN
    full_access_confirmed: bool = False
    """Whether a person has said yes to it since the session began."""
    full_access_by: str = ""
    """That person."""
    fsm_state: FsmState = FsmState.IDLE
    plan_id: str = ""
    """The newest plan of the session."""
    in_review: tuple[str, ...] = ()
    """The plans that people are being asked about."""
    queue: tuple[str, ...] = ()
    """The tool calls that wait, first come first served: the first is the one that people see."""
    last_call: str = ""
    """The tool call that was answered last."""
    plans: Mapping[str, str] = {}
    """The newest plan that each author proposed, by the author's mark."""
    drafts: Mapping[str, str] = {}
    """The newest draft of each."""

    @property
    def can_send(self) -> bool:
        """Whether the person's next message can go to the agent."""
        return not self.queue

    @property
    def in_short(self) -> Session:
        """As events tell of it: whether plans are in review, and nothing of whose they are."""
        return replace(self, in_review=self.in_review[:1], plans={}, drafts={})


def begin(workspace: str, session_id: str, now: datetime) -> Session:
    return Session(session_id, workspace, now, now)
