"""WatchApprovals: the prompt that people see, in one session or in all, and every change of it."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing

from msgspec import Struct

from plangate_server.domain.approvals import Approval
from plangate_server.domain.events import EventType
from plangate_server.domain.identity import Principal
from plangate_server.domain.limits import check_id
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
SLICE = 16
"""Read at a time: each may have two calls as large as a call can be."""


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
    check_id("session_id", session_id)
    which = EventFilter(session_id=session_id, types=CALL_EVENTS)
    position = start_position(world, principal, cursor) if cursor else None
    with world.feed.follow(principal.workspace, which) as stream:
        if position is None:
            async with aclosing(_begun(world, principal, which, prompts)) as moments:
                async for prompt in moments:
                    position = prompt.sequence
                    yield prompt
            assert position is not None, "the last one has a place"
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


async def _begun(
    world: World, principal: Principal, which: EventFilter, prompts: Shared[PromptMoment]
) -> AsyncGenerator[PromptMoment]:
    """One session as it is; or all in which something waits, a few at a time; what happened while they were
    told, as far as they did not show it; and a moment that marks the end.
    """
    if which.session_id:
        yield await _active(world, principal, which.session_id)
        return
    shown: dict[str, int] = {}
    first, after = None, ""
    while True:
        found, last = await _waiting(world, principal, after)
        first = last if first is None else first
        for prompt in found:
            assert prompt.session, "it is what is shown"
            after = prompt.session.session_id
            shown[after] = last
            yield prompt
        if len(found) < SLICE:
            break
    if first < last:
        async with aclosing(past(world, principal, which, first)) as events:
            async for event in events:
                if event.sequence > last:
                    break
                if event.session is not None and event.sequence > shown.get(event.session.session_id, 0):
                    yield await _moment(world, principal, event.sequence, event.session, prompts)
    yield PromptMoment(last)


async def _active(world: World, principal: Principal, session_id: str) -> PromptMoment:
    now = world.clock.now()

    def look(reading: Reading) -> PromptMoment:
        session = reading.session(session_id) or begin(principal.workspace, session_id, now)
        return _shown(reading, session, reading.last_sequence())

    return await world.store.read(principal.workspace, look)


async def _waiting(world: World, principal: Principal, after: str) -> tuple[list[PromptMoment], int]:
    """The next sessions in which something waits, and the place in the log at which they were read."""

    def look(reading: Reading) -> tuple[list[PromptMoment], int]:
        found = reading.waiting_sessions(after=after, limit=SLICE)
        return [_shown(reading, session, None) for session in found], reading.last_sequence()

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
