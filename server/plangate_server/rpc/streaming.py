"""Events as bytes: each is encoded once, whatever the number of streams that carry it."""

from __future__ import annotations

from collections import OrderedDict
from typing import Final

from google.protobuf.message import Message

from plangate_proto.agent.v1.plan_service_pb2 import ReviewPlanResponse
from plangate_server.domain.events import Cursors, EventType
from plangate_server.ports import Clock
from plangate_server.rpc.convert import checkpoint_message, event_message
from plangate_server.usecases.streams import Moment

REMEMBERED: Final = 2048
"""How many encoded events are kept for streams that have not carried them yet."""


class Encoder:
    """Every response of a stream is a message whose field 1 is the event, so one encoding fits all."""

    def __init__(self, cursors: Cursors, clock: Clock) -> None:
        self._cursors = cursors
        self._clock = clock
        self._encoded: OrderedDict[tuple[str, int], bytes] = OrderedDict()

    def response(self, moment: Moment, workspace: str) -> bytes:
        event = moment.event
        if event is None:
            now = self._clock.now()
            checkpoint = checkpoint_message(workspace, moment.sequence, now, self._cursors)
            return ReviewPlanResponse(event=checkpoint).SerializeToString()
        if event.type is EventType.SNAPSHOT:
            return ReviewPlanResponse(event=event_message(event, self._cursors)).SerializeToString()
        key = (workspace, event.sequence)
        encoded = self._encoded.get(key)
        if encoded is None:
            message = ReviewPlanResponse(event=event_message(event, self._cursors))
            encoded = self._encoded[key] = message.SerializeToString()
            if len(self._encoded) > REMEMBERED:
                self._encoded.popitem(last=False)
        return encoded


def serialize(response: Message | bytes) -> bytes:
    """A response that may be encoded already."""
    return response if isinstance(response, bytes) else response.SerializeToString()
