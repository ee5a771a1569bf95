"""A session: where it stands, what it may do, and which tool calls wait in it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from plangate.testing._fake.messages import copy_of, moment, word
from plangate.testing._fake.refusals import Refused
from plangate_proto.agent.v1.agent_session_service_pb2 import (
    FsmEvent,
    FullAccessState,
    Session,
    SessionMode,
)
from plangate_proto.agent.v1.plan_resource_pb2 import Plan, PlanState
from plangate_proto.agent.v1.review_event_pb2 import ReviewEventType
from plangate_proto.agent.v1.session_state_pb2 import FsmState
from plangate_proto.agent.v1.tool_approval_service_pb2 import Approval

Told = list[tuple[ReviewEventType.ValueType, str]]
"""The events that tell of a change, with their words."""

STATE_WITH: Final = {
    PlanState.PLAN_STATE_DRAFT: FsmState.FSM_STATE_ARCHITECT_PLANNING,
    PlanState.PLAN_STATE_IN_REVIEW: FsmState.FSM_STATE_PLAN_REVIEW,
    PlanState.PLAN_STATE_CHANGES_REQUESTED: FsmState.FSM_STATE_ARCHITECT_PLANNING,
    PlanState.PLAN_STATE_APPROVED: FsmState.FSM_STATE_PLAN_EXECUTION,
    PlanState.PLAN_STATE_REJECTED: FsmState.FSM_STATE_IDLE,
    PlanState.PLAN_STATE_EXPIRED: FsmState.FSM_STATE_IDLE,
    PlanState.PLAN_STATE_BUILDING: FsmState.FSM_STATE_PLAN_EXECUTION,
    PlanState.PLAN_STATE_COMPLETED: FsmState.FSM_STATE_COMPLETED,
    PlanState.PLAN_STATE_FAILED: FsmState.FSM_STATE_ERROR_HANDLING,
    PlanState.PLAN_STATE_WITHDRAWN: FsmState.FSM_STATE_IDLE,
}
"""Where a plan leads its session."""

REPORTED: Final = {
    FsmEvent.FSM_EVENT_RECEIVE_MESSAGE: (
        {FsmState.FSM_STATE_IDLE, FsmState.FSM_STATE_COMPLETED, FsmState.FSM_STATE_ERROR_HANDLING},
        FsmState.FSM_STATE_CLASSIFY,
    ),
    FsmEvent.FSM_EVENT_IS_ATOMIC_TRUE: ({FsmState.FSM_STATE_CLASSIFY}, FsmState.FSM_STATE_IDLE),
    FsmEvent.FSM_EVENT_IS_ATOMIC_FALSE: ({FsmState.FSM_STATE_CLASSIFY}, FsmState.FSM_STATE_PLAN_REQUIRED),
    FsmEvent.FSM_EVENT_ROUTE_TO_ARCHITECT: (
        {FsmState.FSM_STATE_PLAN_REQUIRED},
        FsmState.FSM_STATE_ARCHITECT_PLANNING,
    ),
    FsmEvent.FSM_EVENT_RESET: (set(FsmState.values()), FsmState.FSM_STATE_IDLE),
}
"""What an agent reports: where it can happen, and where it leads."""

Access = FullAccessState
FULL: Final = SessionMode.SESSION_MODE_FULL_ACCESS


@dataclass(slots=True)
class SessionRecord:
    """A session and all that belongs to it."""

    session: Session
    plans: list[str] = field(default_factory=list)
    """Oldest first."""
    in_review: set[str] = field(default_factory=set)
    queue: list[str] = field(default_factory=list)
    """The calls that wait: people see the first."""
    calls: dict[str, Approval] = field(default_factory=dict)
    tokens: dict[str, str] = field(default_factory=dict)
    """What whoever answers a prompt must show, by call."""
    is_confirmed: bool = False
    """Whether a person has said yes to full access."""

    def shown(self) -> Session:
        """As it is now."""
        session = self.session
        session.queue_length, session.can_send = len(self.queue), not self.queue
        session.waiting_for_plan_approval = bool(self.in_review)
        session.plan_uri = self.plans[-1] if self.plans else ""
        return copy_of(session)

    def follow(self, plan: Plan) -> None:
        """Stand where a plan of the session does."""
        if plan.plan_uri not in self.plans:
            self.plans.append(plan.plan_uri)
        self.in_review.discard(plan.plan_uri)
        if plan.state == PlanState.PLAN_STATE_IN_REVIEW:
            self.in_review.add(plan.plan_uri)
        self.session.fsm_state = STATE_WITH[plan.state]

    def check_reportable(self, event: FsmEvent.ValueType) -> None:
        state = self.session.fsm_state
        allowed = [word(FsmEvent, each) for each, (sources, _) in REPORTED.items() if state in sources]
        name = word(FsmEvent, event)
        if name not in allowed:
            where, listed = word(FsmState, state), ", ".join(allowed)
            words = f"the session is in {where}, where {name} cannot be reported; what can: {listed}"
            raise Refused(
                "FORBIDDEN_TRANSITION",
                words,
                session_id=self.session.session_id,
                fsm_state=where,
                event=name,
                allowed=listed,
            )

    def report(self, event: FsmEvent.ValueType) -> Told:
        """Something happened that only the agent knows."""
        session = self.session
        session.fsm_state = REPORTED[event][1]
        told: Told = [(ReviewEventType.REVIEW_EVENT_TYPE_SESSION_MOVED, word(FsmEvent, event))]
        if event == FsmEvent.FSM_EVENT_RESET:
            told += self.drop_full_access()
        return told

    def drop_full_access(self) -> Told:
        """It must be confirmed anew."""
        self.is_confirmed = False
        mode = SessionMode.SESSION_MODE_AGENT if self.session.mode == FULL else self.session.mode
        return self._set(mode, Access.FULL_ACCESS_STATE_HIDDEN)

    def set_mode(self, mode: SessionMode.ValueType) -> Told:
        """Full access only after a person has confirmed it, once per session."""
        session = self.session
        if mode != FULL:
            return self._set(mode, Access.FULL_ACCESS_STATE_HIDDEN)
        if self.is_confirmed:
            return self._set(FULL, Access.FULL_ACCESS_STATE_ACTIVE)
        return self._set(session.mode, Access.FULL_ACCESS_STATE_PENDING_CONFIRMATION)

    def confirm(self, *, yes: bool) -> Told:
        """A person has answered whether the session may have full access."""
        session = self.session
        if session.full_access_state != Access.FULL_ACCESS_STATE_PENDING_CONFIRMATION:
            state = word(Access, session.full_access_state)
            words = f"nobody waits for an answer about full access, which is {state}: ask for it (SetMode)"
            raise Refused(
                "FULL_ACCESS_NOT_PENDING", words, session_id=session.session_id, full_access_state=state
            )
        self.is_confirmed = yes
        if yes:
            return self._set(FULL, Access.FULL_ACCESS_STATE_ACTIVE)
        return self._set(session.mode, Access.FULL_ACCESS_STATE_HIDDEN)

    def _set(self, mode: SessionMode.ValueType, access: Access.ValueType) -> Told:
        session, told = self.session, list[tuple[ReviewEventType.ValueType, str]]()
        if access != session.full_access_state:
            told.append((ReviewEventType.REVIEW_EVENT_TYPE_FULL_ACCESS_CHANGED, word(Access, access)))
        if mode != session.mode:
            told.append((ReviewEventType.REVIEW_EVENT_TYPE_SESSION_MODE_CHANGED, word(SessionMode, mode)))
        session.mode, session.full_access_state = mode, access
        return told


def new_session(session_id: str) -> SessionRecord:
    """A session in which nothing has happened."""
    session = Session(
        session_id=session_id,
        mode=SessionMode.SESSION_MODE_AGENT,
        full_access_state=Access.FULL_ACCESS_STATE_HIDDEN,
        fsm_state=FsmState.FSM_STATE_IDLE,
        can_send=True,
        create_time=moment(),
        update_time=moment(),
    )
    return SessionRecord(session)
