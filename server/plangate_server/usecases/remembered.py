"""ListRemembered, ForgetRemembered and ResetMemory."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from operator import attrgetter

from plangate_server.domain.errors import InvalidField, MissingField, RememberedNotFound
from plangate_server.domain.events import EventType, SessionChange, SessionEvent
from plangate_server.domain.identity import Principal
from plangate_server.domain.limits import check_id
from plangate_server.domain.remembering import Remembered
from plangate_server.domain.session_life import change_workspace, restart
from plangate_server.ports import Reading, RequestKey, World, Writing
from plangate_server.usecases.lookup import the_session
from plangate_server.usecases.once import write_once
from plangate_server.usecases.paging import CHUNK, checked_size, chunks, fill_page, make_token, read_token


class ResetKind(StrEnum):
    SESSION_RESTART = "session_restart"
    WORKSPACE_CHANGE = "workspace_change"


async def list_remembered(
    world: World, principal: Principal, session_id: str, page_size: int, page_token: str
) -> tuple[Sequence[Remembered], str]:
    """A page of what is remembered and not out of date, and where to go on."""
    check_id("session_id", session_id)
    size = checked_size(page_size, world.limits)
    scope = ("remembered", principal.workspace, session_id)
    after = read_token(page_token, scope)
    now = world.clock.now()

    def look(reading: Reading) -> tuple[Sequence[Remembered], str]:
        def read(last: str) -> Sequence[Remembered]:
            return reading.all_remembered(after=last, limit=CHUNK)

        held = (
            each
            for each in chunks(read, after, attrgetter("remembered_id"))
            if (not session_id or each.session_id in {"", session_id}) and each.holds(now)
        )
        page, more = fill_page(held, size, lambda each: 4 * len(each.signature))
        return page, make_token(page[-1].remembered_id, scope) if more else ""

    return await world.store.read(principal.workspace, look)


async def forget_remembered(
    world: World, principal: Principal, remembered_id: str, key: RequestKey | None
) -> Remembered:
    """What was forgotten."""
    if not remembered_id:
        raise MissingField("remembered_id", "say which decision to forget")
    now = world.clock.now()

    def record(writing: Writing) -> SessionChange:
        remembered = writing.remembered(remembered_id)
        if remembered is None:
            raise RememberedNotFound(remembered_id)
        session = writing.session(remembered.session_id) if remembered.session_id else None
        told = SessionEvent(
            EventType.DECISION_FORGOTTEN,
            now,
            principal.name,
            principal.workspace,
            session,
            remembered=remembered,
        )
        # With the session, so that the commit checks that it is still as it is told here.
        return SessionChange((session,) if session else (), (told,), forgotten=(remembered,))

    return (await write_once(world, principal, key, record)).forgotten[0]


async def reset_memory(
    world: World, principal: Principal, kind: ResetKind | None, session_id: str, key: RequestKey | None
) -> int:
    """How many remembered decisions are gone; full access is dropped with them."""
    if kind is None:
        raise MissingField("kind", "say why everything is to be forgotten")
    if kind is ResetKind.SESSION_RESTART and not session_id:
        raise MissingField("session_id", "say which session begins anew")
    if kind is ResetKind.WORKSPACE_CHANGE and session_id:
        raise InvalidField(
            "session_id", "names a session, and WORKSPACE_CHANGE forgets everything: send SESSION_RESTART"
        )
    now = world.clock.now()

    def record(writing: Writing) -> SessionChange:
        if kind is ResetKind.SESSION_RESTART:
            session = the_session(writing, session_id)
            own = [each for each in writing.memory(session_id) if each.session_id == session_id]
            return restart(session, own, principal.name, now)
        sessions = writing.sessions_with_full_access()
        every = writing.every_remembered()
        return change_workspace(principal.workspace, sessions, every, principal.name, now)

    return len((await write_once(world, principal, key, record)).forgotten)
