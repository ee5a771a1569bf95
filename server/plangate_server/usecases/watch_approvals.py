"""WatchApprovals: the prompt that people see, in one session or in all, and every change of it."""

from __future__ import annotations

from collections.abc import AsyncGenerator

from msgspec import Struct

from plangate_server.domain.approvals import Approval
from plangate_server.domain.events import EventType
from plangate_server.domain.identity import Principal
from plangate_server.domain.sessions import Session, begin
from plangate_server.ports import EventFilter, Reading, World
from plangate_server.usecases.sharing import Shared
from plangate_server.usecases.streams import next_moment, past, start_position

CALL_EVENTS = frozenset(
    {
        EventType.TOOL_CALL_REQUESTED,
        EventType.TOOL_CALL_DECIDED,
        EventType.TOOL_CALL_CANCELLED,
        EventType.TOOL_CALL_EXPIRED,
    }
)
PAGE = 500


class PromptMoment(Struct, frozen=True):
    """What people see in a session after a change, and the change's place in the log.

    Without a session it only says how far the log has been told; without a place, the stream cannot go on
    from there.
    """

    sequence: int | None
    session: Session | None = None
    prompt: Approval | None = None
    last_decision: Approval | None = None


async def watch_approvals(
    world: World,
    principal: Principal,
    session_id: str = "",
    cursor: str = "",
    shared: Shared[PromptMoment] | None = None,
) -> AsyncGenerator[PromptMoment]:
    """What is active now, or what came after the cursor, then live. Streams may share what they look up."""
    prompts = shared or Shared()
    which = EventFilter(session_id=session_id, types=CALL_EVENTS)
    position = start_position(world, principal, cursor) if cursor else None
    with world.feed.follow(principal.workspace, which) as stream:
        if position is None:
            active, position = await _active(world, principal, session_id)
            for prompt in active:
                yield prompt
        else:
            async for event in past(world, principal, which, position):
                position = event.sequence
                if event.session is not None:
                    yield await _moment(world, principal, position, event.session, prompts)
        while True:
            moment = await next_moment(world, principal, stream, position)
            position = moment.sequence
            if moment.event is None:
                yield PromptMoment(position)
            elif moment.event.session is not None:
                yield await _moment(world, principal, position, moment.event.session, prompts)


async def _active(world: World, principal: Principal, session_id: str) -> tuple[list[PromptMoment], int]:
    """One session as it is; or all in which something waits, and a moment that marks the end of them."""
    now = world.clock.now()

    def look(reading: Reading) -> tuple[list[PromptMoment], int]:
        last = reading.last_sequence()
        if session_id:
            session = reading.session(session_id) or begin(principal.workspace, session_id, now)
            return [_shown(reading, session, last)], last
        prompts: list[PromptMoment] = []
        page = reading.waiting_sessions(after="", limit=PAGE)
        while page:
            prompts += [_shown(reading, session, None) for session in page]
            page = reading.waiting_sessions(after=page[-1].session_id, limit=PAGE)
        return [*prompts, PromptMoment(last)], last

    return await world.store.read(principal.workspace, look)


async def _moment(
    world: World, principal: Principal, sequence: int, session: Session, prompts: Shared[PromptMoment]
) -> PromptMoment:
    workspace = principal.workspace
    return await prompts.get(
        (workspace, sequence),
        lambda: world.store.read(workspace, lambda reading: _shown(reading, session, sequence)),
    )


def _shown(reading: Reading, session: Session, sequence: int | None) -> PromptMoment:
    def call(call_id: str) -> Approval | None:
        return reading.approval(session.session_id, call_id) if call_id else None

    active = session.queue[0] if session.queue else ""
    return PromptMoment(sequence, session, call(active), call(session.last_call))
