"""GetSession, ListSessions and WatchSession: sessions as they are, and every change of one."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from datetime import datetime
from operator import attrgetter

from msgspec import Struct

from plangate_server.domain.approvals import Approval
from plangate_server.domain.errors import MissingField
from plangate_server.domain.events import LogEvent, SessionChange
from plangate_server.domain.identity import Principal
from plangate_server.domain.review import SERVICE
from plangate_server.domain.sessions import Session
from plangate_server.ports import EventFilter, Lookup, Reading, SessionFilter, World
from plangate_server.usecases.lookup import the_session
from plangate_server.usecases.paging import (
    CHUNK,
    call_bytes,
    checked_size,
    chunks,
    fill_page,
    make_token,
    read_token,
)
from plangate_server.usecases.sharing import Shared
from plangate_server.usecases.streams import next_moment, past, start_position


class SessionView(Struct, frozen=True):
    session: Session
    last_decision: Approval | None


class SessionMoment(Struct, frozen=True):
    """A session after a change, and the change's place in the log; without a session, only the place."""

    sequence: int
    view: SessionView | None
    time: datetime
    actor: str


def view_of(lookup: Lookup, session: Session) -> SessionView:
    last = lookup.approval(session.session_id, session.last_call) if session.last_call else None
    return SessionView(session, last)


async def get_session(world: World, principal: Principal, session_id: str) -> SessionView:
    _check(session_id)
    return await world.store.read(
        principal.workspace, lambda reading: view_of(reading, the_session(reading, session_id))
    )


async def list_sessions(
    world: World, principal: Principal, which: SessionFilter, page_size: int, page_token: str
) -> tuple[Sequence[SessionView], str]:
    """A page of sessions, those that began last first, and the token of the next one."""
    size = checked_size(page_size, world.limits)
    scope = ("sessions", principal.workspace, which)
    after = read_token(page_token, scope)

    def look(reading: Reading) -> tuple[Sequence[SessionView], str]:
        def read(last: str) -> Sequence[Session]:
            return reading.sessions(which, after=last, limit=CHUNK)

        views = (view_of(reading, each) for each in chunks(read, after, attrgetter("session_id")))
        page, more = fill_page(views, size, _view_bytes)
        return page, make_token(page[-1].session.session_id, scope) if more else ""

    return await world.store.read(principal.workspace, look)


async def view_after(world: World, principal: Principal, change: SessionChange) -> SessionView:
    """The session as a change left it."""
    session = change.session
    return await world.store.read(principal.workspace, lambda reading: view_of(reading, session))


async def watch_session(
    world: World,
    principal: Principal,
    session_id: str,
    cursor: str = "",
    shared: Shared[SessionView] | None = None,
) -> AsyncGenerator[SessionMoment]:
    """The session as it is, or what came after the cursor, then live. Streams may share what they look up."""
    _check(session_id)
    views = shared or Shared()
    which = EventFilter(session_id=session_id, refusals=False)
    position = start_position(world, principal, cursor) if cursor else None
    with world.feed.follow(principal.workspace, which) as stream:
        view, last = await _now(world, principal, session_id)
        if position is None:
            position = last
            yield SessionMoment(position, view, world.clock.now(), SERVICE)
        else:
            async for event in past(world, principal, which, position):
                position = event.sequence
                if event.session is not None:
                    yield await _moment(world, principal, event, event.session, views)
        while True:
            moment = await next_moment(world, principal, stream, position)
            position = moment.sequence
            if moment.event is None:
                yield SessionMoment(position, None, world.clock.now(), SERVICE)
            elif moment.event.session is not None:
                yield await _moment(world, principal, moment.event, moment.event.session, views)


async def _now(world: World, principal: Principal, session_id: str) -> tuple[SessionView, int]:
    def look(reading: Reading) -> tuple[SessionView, int]:
        return view_of(reading, the_session(reading, session_id)), reading.last_sequence()

    return await world.store.read(principal.workspace, look)


async def _moment(
    world: World, principal: Principal, event: LogEvent, session: Session, views: Shared[SessionView]
) -> SessionMoment:
    workspace = principal.workspace
    view = await views.get(
        (workspace, event.sequence),
        lambda: world.store.read(workspace, lambda reading: view_of(reading, session)),
    )
    return SessionMoment(event.sequence, view, event.time, event.actor)


def _check(session_id: str) -> None:
    if not session_id:
        raise MissingField("session_id", "say which session")


def _view_bytes(view: SessionView) -> int:
    return call_bytes(view.last_decision) if view.last_decision else 0
