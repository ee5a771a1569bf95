"""What happens in sessions, told as it happens. A stream gives None where it has to wait for more."""

from __future__ import annotations

from collections.abc import Iterator

from plangate.testing._fake import queue
from plangate.testing._fake.messages import moment
from plangate.testing._fake.state import SERVICE, State
from plangate_proto.agent.v1.agent_session_service_pb2 import WatchSessionRequest, WatchSessionResponse
from plangate_proto.agent.v1.tool_approval_service_pb2 import WatchApprovalsRequest, WatchApprovalsResponse


def watch_session(state: State, request: WatchSessionRequest) -> Iterator[WatchSessionResponse | None]:
    """The session as it is, or what came after the cursor; then every change of it."""
    session = state.session(request.session_id)
    position = state.log.position_of(request.cursor) if request.cursor else state.log.end
    if not request.cursor:
        yield WatchSessionResponse(
            cursor=str(position), session=session.shown(), event_time=moment(), actor=SERVICE
        )
    for entry in state.log.following(position):
        if entry is None:
            yield None
        elif entry.session is not None and entry.session.session_id == request.session_id:
            event = entry.event
            yield WatchSessionResponse(
                cursor=event.cursor, session=entry.session, event_time=event.event_time, actor=event.actor
            )


def watch_approvals(state: State, request: WatchApprovalsRequest) -> Iterator[WatchApprovalsResponse | None]:
    """The prompt that is active, in one session or in all, and every change of it."""
    position = state.log.position_of(request.cursor) if request.cursor else state.log.end
    if not request.cursor:
        yield from _active(state, request.session_id, position)
    for entry in state.log.following(position):
        if entry is None:
            yield None
        elif entry.prompts is not None and request.session_id in {"", entry.event.session_id}:
            told = WatchApprovalsResponse(cursor=entry.event.cursor)
            told.MergeFrom(entry.prompts)
            yield told


def _active(state: State, session_id: str, position: int) -> Iterator[WatchApprovalsResponse]:
    """One session as it is; or all in which something waits, and a mark behind them."""
    if session_id:
        told = queue.prompts_of(state.session_or_none_yet(session_id))
        told.cursor = str(position)
        yield told
        return
    for session in [*state.sessions.values()]:
        if session.queue:
            yield queue.prompts_of(session)
    yield WatchApprovalsResponse(cursor=str(position), checkpoint=True)
