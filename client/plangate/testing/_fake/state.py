"""All that a fake gate knows, and how it finds and tells it."""

from __future__ import annotations

import threading
from collections import deque
from typing import Any, Final

from plangate.testing._fake.log import Entry, Log
from plangate.testing._fake.messages import copy_of, moment
from plangate.testing._fake.records import PREFIX, Record
from plangate.testing._fake.refusals import Refused, missing
from plangate.testing._fake.sessions import STATE_WITH, SessionRecord, new_session
from plangate.testing._fake.summaries import summary_of
from plangate_proto.agent.v1.agent_session_service_pb2 import Session
from plangate_proto.agent.v1.plan_resource_pb2 import Plan
from plangate_proto.agent.v1.review_event_pb2 import ReviewEvent, ReviewEventType
from plangate_proto.agent.v1.tool_approval_service_pb2 import Approval, Remembered, WatchApprovalsResponse

AUTHOR: Final = "local-agent"
"""What an agent without a name is called."""
SERVICE: Final = "plangate"
Type = ReviewEventType

CARRY_PLAN: Final = frozenset(
    {
        Type.REVIEW_EVENT_TYPE_SNAPSHOT,
        Type.REVIEW_EVENT_TYPE_DRAFT_UPDATED,
        Type.REVIEW_EVENT_TYPE_PLAN_CREATED,
        Type.REVIEW_EVENT_TYPE_PLAN_UPDATED,
        Type.REVIEW_EVENT_TYPE_PLAN_EDITED,
    }
)
MOVING: Final = frozenset(
    {
        Type.REVIEW_EVENT_TYPE_DRAFT_UPDATED,
        Type.REVIEW_EVENT_TYPE_PLAN_CREATED,
        Type.REVIEW_EVENT_TYPE_PLAN_UPDATED,
        Type.REVIEW_EVENT_TYPE_PLAN_APPROVED,
        Type.REVIEW_EVENT_TYPE_PLAN_REJECTED,
        Type.REVIEW_EVENT_TYPE_PLAN_MODIFICATION_REQUESTED,
        Type.REVIEW_EVENT_TYPE_PLAN_EDITED,
        Type.REVIEW_EVENT_TYPE_REVIEW_EXPIRED,
        Type.REVIEW_EVENT_TYPE_PLAN_WITHDRAWN,
        Type.REVIEW_EVENT_TYPE_BUILD_STARTED,
        Type.REVIEW_EVENT_TYPE_EXECUTION_COMPLETED,
        Type.REVIEW_EVENT_TYPE_EXECUTION_FAILED,
    }
)
"""The events of a plan that lead its session where the plan is."""


class State:
    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.log = Log()
        self.records: dict[str, Record] = {}
        self.builds: dict[str, Record] = {}
        """Of every build that there ever was."""
        self.sessions: dict[str, SessionRecord] = {}
        self.memory: list[Remembered] = []
        self.questions: deque[Plan | Approval] = deque()
        """What people are asked about and a script has not seen yet."""

    def record(self, plan_uri: str) -> Record:
        if not plan_uri.startswith(PREFIX) or len(plan_uri) != len(PREFIX) + 32:
            words = "plan_uri is not of the form plangate://plans/{plan_id}"
            raise Refused("MALFORMED_PLAN_URI", words, field="plan_uri", plan_uri=plan_uri)
        found = self.records.get(plan_uri)
        if found is None:
            words = "plan_uri names no plan of your workspace"
            raise Refused("PLAN_NOT_FOUND", words, field="plan_uri", plan_uri=plan_uri)
        return found

    def record_under_review(self, approval_request_id: str) -> Record:
        for each in self.records.values():
            if any(approval_request_id == review.approval_request_id for review in each.reviews.values()):
                return each
        words = "approval_request_id names no review of your workspace"
        field = "approval_request_id"
        raise Refused("REVIEW_NOT_FOUND", words, field=field, approval_request_id=approval_request_id)

    def record_of_build(self, build_id: str) -> Record:
        """Whose build it is, if it is under way."""
        record = self.builds.get(build_id)
        if record is None:
            words = "build_id names no build of your workspace"
            raise Refused("BUILD_NOT_FOUND", words, field="build_id", build_id=build_id)
        if build_id not in record.builds:
            words = "build_id names a build that has ended: call BuildTodos again"
            raise Refused("BUILD_ENDED", words, field="build_id", build_id=build_id)
        return record

    def session(self, session_id: str) -> SessionRecord:
        if not session_id:
            raise missing("session_id")
        found = self.sessions.get(session_id)
        if found is None:
            words = "session_id names no session of your workspace"
            raise Refused("SESSION_NOT_FOUND", words, field="session_id", session_id=session_id)
        return found

    def begun_session(self, session_id: str) -> SessionRecord:
        """The session, which comes into being if nobody named it before."""
        if not session_id:
            raise missing("session_id")
        return self.sessions.setdefault(session_id, new_session(session_id))

    def session_or_none_yet(self, session_id: str) -> SessionRecord:
        """The session; one that nobody named before does not come into being."""
        return self.sessions.get(session_id) or new_session(session_id)

    def event(self, record: Record, kind: Type.ValueType, actor: str, message: str = "") -> ReviewEvent:
        """What there is to say of a plan as it is now."""
        plan = record.shown()
        return ReviewEvent(
            type=kind,
            event_time=moment(),
            plan_uri=plan.plan_uri,
            plan_id=plan.plan_id,
            approval_request_id=plan.review.approval_request_id,
            session_id=plan.session_id,
            revision=plan.revision,
            digest=plan.digest,
            fsm_state=STATE_WITH[plan.state],
            actor=actor,
            message=message,
            plan_summary=summary_of(plan),
            review=plan.review,
            plan=plan if kind in CARRY_PLAN else None,
        )

    def tell(
        self, record: Record, kind: Type.ValueType, actor: str, message: str = "", **carried: Any
    ) -> None:
        """Something happened to a plan, which may lead its session somewhere."""
        record.plan.update_time.CopyFrom(moment())
        event = self.event(record, kind, actor, message)
        session = None
        if kind in MOVING and event.session_id:
            begun = self.begun_session(event.session_id)
            begun.follow(record.plan)
            begun.session.update_time.CopyFrom(moment())
            session = begun.shown()
            event.session.CopyFrom(_in_event(session))
        event.MergeFrom(ReviewEvent(**carried))
        self.log.append(Entry(event, record.shown(), session))

    def tell_asked(self, record: Record, kind: Type.ValueType, author: str) -> None:
        """There is a text that people are asked about."""
        self.tell(record, kind, author)
        self.tell(record, Type.REVIEW_EVENT_TYPE_PLAN_APPROVAL_REQUIRED, author)
        self.questions.append(record.shown())

    def tell_of_session(
        self,
        record: SessionRecord | None,
        kind: Type.ValueType,
        actor: str,
        message: str = "",
        prompts: WatchApprovalsResponse | None = None,
        **carried: Any,
    ) -> None:
        """Something happened in a session, or in none."""
        event = ReviewEvent(type=kind, actor=actor, message=message, **carried)
        session = None
        if record is not None:
            record.session.update_time.CopyFrom(moment())
            session = record.shown()
            event.session_id, event.fsm_state = session.session_id, session.fsm_state
            event.session.CopyFrom(_in_event(session))
        self.log.append(Entry(event, session=session, prompts=prompts))


def _in_event(session: Session) -> Session:
    """An event of a call tells of that call only."""
    shown = copy_of(session)
    shown.ClearField("last_decision")
    return shown
