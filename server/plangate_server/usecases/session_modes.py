"""SetMode, ConfirmFullAccess and ReportEvent: what a session may do, and where it stands."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from functools import partial

from plangate_server.domain import limits
from plangate_server.domain.approval_queue import joined, leave
from plangate_server.domain.errors import MissingField, RoleNotAllowed, SessionNotFound
from plangate_server.domain.events import SessionChange
from plangate_server.domain.identity import DECIDERS, Principal
from plangate_server.domain.session_life import begin_in_mode, confirm_full_access, report, set_mode
from plangate_server.domain.sessions import FsmEvent, Session, SessionMode, begin, looser
from plangate_server.ports import RequestKey, World, Writing
from plangate_server.usecases.lookup import the_approval
from plangate_server.usecases.once import write_once
from plangate_server.usecases.read_sessions import SessionView, view_after
from plangate_server.usecases.refusals import Attempt, decide_once
from plangate_server.usecases.settling import Settling


async def change_mode(
    world: World, principal: Principal, session_id: str, mode: SessionMode | None, key: RequestKey | None
) -> SessionView:
    """The session in its new mode; one that nobody named before comes into being."""
    if mode is None:
        raise MissingField("mode", "say which mode")
    wanted = mode

    def changed(session: Session | None, now: datetime) -> SessionChange:
        fresh = begin(principal.workspace, session_id, now)
        if principal.role not in DECIDERS and looser(wanted, (session or fresh).mode):
            raise RoleNotAllowed(principal.role, sorted(DECIDERS), "make a mode looser")
        if session is None:
            return begin_in_mode(fresh, wanted, principal.name, now)
        return set_mode(session, wanted, principal.name, now)

    return await _change(world, principal, session_id, changed, key)


async def confirm(
    world: World, principal: Principal, session_id: str, *, confirm: bool, key: RequestKey | None
) -> SessionView:
    """The session after a person's answer to the question of full access."""

    def changed(session: Session | None, now: datetime) -> SessionChange:
        if session is None:
            raise SessionNotFound(session_id)
        return confirm_full_access(
            session, confirm=confirm, actor=principal.name, person=principal.person, now=now
        )

    check_session_id(session_id)
    attempt = Attempt("ConfirmFullAccess", "confirm" if confirm else "decline", session_id=session_id)
    record = _recording(world, session_id, changed)
    return await view_after(world, principal, await decide_once(world, principal, key, attempt, record))


async def report_event(
    world: World, principal: Principal, session_id: str, event: FsmEvent | None, key: RequestKey | None
) -> SessionView:
    """The session after something that only the agent knows."""
    if event is None:
        raise MissingField("event", "say what happened")
    reported = event

    def changed(session: Session | None, now: datetime) -> SessionChange:
        return report(session or begin(principal.workspace, session_id, now), reported, principal.name, now)

    return await _change(world, principal, session_id, changed, key)


def check_session_id(session_id: str) -> None:
    if not session_id:
        raise MissingField("session_id", "say which session")
    limits.check_id("session_id", session_id)


async def _change(
    world: World,
    principal: Principal,
    session_id: str,
    changed: Callable[[Session | None, datetime], SessionChange],
    key: RequestKey | None,
) -> SessionView:
    check_session_id(session_id)
    record = _recording(world, session_id, changed)
    return await view_after(world, principal, await write_once(world, principal, key, record))


def _recording(
    world: World, session_id: str, changed: Callable[[Session | None, datetime], SessionChange]
) -> Callable[[Writing], SessionChange]:
    """The change of a session, with what it does to the calls that wait in it."""
    token, now = world.ids.secret(), world.clock.now()
    settling = Settling(world, now)

    def record(writing: Writing) -> SessionChange:
        change = changed(writing.session(session_id), now)
        ended = settling.ended(writing, change.session, writing.memory(session_id)) if change.events else []
        if not ended:
            return change
        find = partial(the_approval, writing, session_id)
        return joined(change, leave(change.session, ended, find, token, now))

    return record
