"""Events as bytes: each is encoded once, whatever the number of streams that carry it."""

from __future__ import annotations

from google.protobuf.message import Message

from plangate_proto.agent.v1 import plan_resource_pb2, review_event_pb2
from plangate_proto.agent.v1.agent_session_service_pb2 import WatchSessionResponse
from plangate_proto.agent.v1.plan_service_pb2 import ReviewPlanResponse
from plangate_proto.agent.v1.tool_approval_service_pb2 import WatchApprovalsResponse
from plangate_server.domain.events import Cursors, Event, EventType, LogEvent, SessionEvent
from plangate_server.domain.plan import Plan
from plangate_server.ports import Clock
from plangate_server.rpc.convert import Shown, checkpoint_message, event_message, superseded_message
from plangate_server.rpc.kept import Bounded
from plangate_server.rpc.session_messages import refused_message, session_event_message
from plangate_server.usecases.streams import Moment


class Encoder:
    """Every response of a stream is a message whose field 1 is the event, so one encoding fits all."""

    def __init__(self, cursors: Cursors, clock: Clock) -> None:
        self._cursors = cursors
        self._clock = clock
        self._shown = Shown()
        self._encoded: Bounded[tuple[str, int], bytes] = Bounded()

    def plan(self, plan: Plan, reviewers: int) -> plan_resource_pb2.Plan:
        """A plan's message, for the caller to keep."""
        message = plan_resource_pb2.Plan()
        message.CopyFrom(self._shown.plans.of(plan))
        message.review.reviewers_watching = reviewers
        return message

    def response(self, moment: Moment, workspace: str) -> bytes:
        event = moment.event
        if event is None:
            now = self._clock.now()
            checkpoint = checkpoint_message(workspace, moment.sequence, now, self._cursors)
            return ReviewPlanResponse(event=checkpoint).SerializeToString()
        if moment.superseded is not None:
            assert isinstance(event, Event)
            told = superseded_message(event, moment.superseded, self._cursors)
            return ReviewPlanResponse(event=told).SerializeToString()
        if event.type is EventType.SNAPSHOT:
            return self._encode(event)
        key = (workspace, event.sequence)
        encoded = self._encoded.get(key)
        if encoded is None:
            encoded = self._encode(event)
            self._encoded.put(key, encoded, len(encoded))
        return encoded

    def event(self, event: LogEvent) -> review_event_pb2.ReviewEvent:
        if isinstance(event, Event):
            return event_message(event, self._cursors, self._shown)
        if isinstance(event, SessionEvent):
            return session_event_message(event, self._cursors)
        return refused_message(event, self._cursors)

    def _encode(self, event: LogEvent) -> bytes:
        return ReviewPlanResponse(event=self.event(event)).SerializeToString()


def serialize(response: Message | bytes) -> bytes:
    """A response that may be encoded already."""
    return response if isinstance(response, bytes) else response.SerializeToString()


def cursor_of(response: Message | bytes | None) -> str:
    """The cursor of a stream's response, if it has one."""
    if isinstance(response, WatchSessionResponse | WatchApprovalsResponse):
        return response.cursor
    return ReviewPlanResponse.FromString(serialize(response)).event.cursor if response else ""
