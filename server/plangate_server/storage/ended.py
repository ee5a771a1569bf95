"""Removes what ended long ago and is told of by the log: tool calls, builds, tokens, and sessions at rest.

Only what is old is looked at, a part at a time: writers wait for each part.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Final

from sqlalchemy import Connection, delete, exists, or_, select

from plangate_server.domain.approvals import WAITING
from plangate_server.domain.sessions import SessionMode
from plangate_server.storage import records
from plangate_server.storage.tables import (
    approvals,
    builds,
    credentials,
    remembered,
    sessions,
    workspaces,
)

PART: Final = 500

Chore = Callable[[Connection], str]
"""Removes what is there to remove of the next part; says where that ended, or nothing at the end."""


def forget_tokens(before: datetime) -> Callable[[Connection], None]:
    moment = records.microseconds(before)
    ended = or_(credentials.c.revoked < moment, credentials.c.due < moment)

    def chore(connection: Connection) -> None:
        connection.execute(delete(credentials).where(ended))

    return chore


def forget_builds(_: str, after: str, before: datetime) -> Chore:
    ended = (builds.c.due.is_(None), builds.c.build_id > after, builds.c.build_id < _first_id(before))
    part = select(builds.c.build_id, builds.c.record).where(*ended).order_by(builds.c.build_id).limit(PART)

    def chore(connection: Connection) -> str:
        found = connection.execute(part).all()
        over = (
            row.build_id for row in found if _is_before(records.decode_build(row.record).end_time, before)
        )
        connection.execute(delete(builds).where(builds.c.build_id.in_([*over])))
        return _last(row.build_id for row in found)

    return chore


def forget_calls(workspace: str, after: str, before: datetime) -> Chore:
    id = approvals.c.approval_id
    old = (approvals.c.workspace == workspace, id > after, id < _first_id(before))
    part = select(id, approvals.c.record).where(*old, approvals.c.state.not_in(sorted(WAITING)))

    def chore(connection: Connection) -> str:
        found = connection.execute(part.order_by(id).limit(PART)).all()
        over = [row[0] for row in found if _is_before(records.decode_approval(row.record).end_time, before)]
        connection.execute(delete(approvals).where(approvals.c.workspace == workspace, id.in_(over)))
        return _last(row[0] for row in found)

    return chore


def forget_sessions(workspace: str, after: str, before: datetime) -> Chore:
    """Where nothing waits, nothing is remembered and the mode is the usual one: whoever begins such a session
    anew finds it as it was.
    """
    of_session = (sessions.c.workspace, sessions.c.session_id)
    lively = [
        exists().where(table.c.workspace == of_session[0], table.c.session_id == of_session[1])
        for table in (approvals, remembered)
    ]
    at_rest = (
        sessions.c.workspace == workspace,
        sessions.c.began < records.microseconds(before),
        sessions.c.mode == SessionMode.AGENT.value,
        sessions.c.waiting == 0,
        sessions.c.full_access == 0,
        sessions.c.session_id > after,
        ~or_(*lively),
    )
    part = select(sessions.c.session_id, sessions.c.version, sessions.c.record).where(*at_rest)

    def chore(connection: Connection) -> str:
        found = connection.execute(part.order_by(sessions.c.session_id).limit(PART)).all()
        for row in found:
            session = records.decode_session(row.record)
            if not session.in_review and _is_before(session.update_time, before):
                itself = (of_session[0] == workspace, of_session[1] == row.session_id)
                # Another node may have gone on with it meanwhile.
                connection.execute(delete(sessions).where(*itself, sessions.c.version == row.version))
        return _last(row.session_id for row in found)

    return chore


EVERYWHERE: Final = (forget_builds,)
IN_EACH_WORKSPACE: Final = (forget_calls, forget_sessions)


def names_of_workspaces(connection: Connection) -> list[str]:
    return [*connection.scalars(select(workspaces.c.workspace))]


def _first_id(moment: datetime) -> str:
    """The least id that can have been made at a moment: an id begins with the time."""
    return f"{records.microseconds(moment) // 1000 << 80:032x}"


def _is_before(ended: datetime | None, before: datetime) -> bool:
    return ended is not None and ended < before


def _last(keys: Iterable[str]) -> str:
    found = [*keys]
    return found[-1] if len(found) == PART else ""
