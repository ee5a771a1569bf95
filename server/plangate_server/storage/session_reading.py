"""Reading sessions, tool calls and remembered decisions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sqlalchemy import bindparam, select, tuple_, union_all

from plangate_server.domain.approvals import Approval
from plangate_server.domain.remembering import Remembered
from plangate_server.domain.sessions import Session
from plangate_server.ports import ApprovalFilter, SessionFilter
from plangate_server.storage import records
from plangate_server.storage.looking import AnySelect, Looking
from plangate_server.storage.staging import session_key
from plangate_server.storage.tables import approvals, remembered, sessions

_SESSION: Final = select(sessions.c.version, sessions.c.record).where(
    sessions.c.workspace == bindparam("workspace"), sessions.c.session_id == bindparam("session_id")
)
_CALL: Final = select(approvals.c.record).where(
    approvals.c.workspace == bindparam("workspace"),
    approvals.c.session_id == bindparam("session_id"),
    approvals.c.call_id == bindparam("call_id"),
)
_MEMORY: Final = (
    select(remembered.c.record)
    .where(
        remembered.c.workspace == bindparam("workspace"),
        remembered.c.session_id.in_(["", bindparam("session_id")]),
    )
    .order_by(remembered.c.remembered_id)
)


class SessionReading(Looking):
    def session(self, session_id: str) -> Session | None:
        named = {"workspace": self._workspace, "session_id": session_id}
        row = self._connection.execute(_SESSION, named).first()
        # The first look counts, also if it found nothing: what a command does rests on it, whoever stores the
        # session meanwhile.
        self.versions.setdefault(session_key(self._workspace, session_id), row.version if row else 0)
        return records.decode_session(row.record) if row else None

    def sessions(self, which: SessionFilter, *, after: str, limit: int) -> Sequence[Session]:
        query = page_of_sessions(self._workspace, which, after, limit)
        return [records.decode_session(record) for record in self._connection.scalars(query)]

    def waiting_sessions(self, *, after: str, limit: int) -> Sequence[Session]:
        query = (
            select(sessions.c.record)
            .where(sessions.c.workspace == self._workspace, sessions.c.waiting > 0)
            .where(sessions.c.session_id > after)
            .order_by(sessions.c.session_id)
            .limit(limit)
        )
        return [records.decode_session(record) for record in self._connection.scalars(query)]

    def sessions_with_full_access(self) -> Sequence[Session]:
        query = select(sessions).where(sessions.c.workspace == self._workspace, sessions.c.full_access > 0)
        rows = self._connection.execute(query).all()
        for row in rows:
            self.versions.setdefault(session_key(self._workspace, row.session_id), row.version)
        return [records.decode_session(row.record) for row in rows]

    def approval(self, session_id: str, call_id: str) -> Approval | None:
        named = {"workspace": self._workspace, "session_id": session_id, "call_id": call_id}
        record = self._connection.scalar(_CALL, named)
        return None if record is None else records.decode_approval(record)

    def approvals(self, which: ApprovalFilter, *, after: str, limit: int) -> Sequence[Approval]:
        query = select(approvals).where(approvals.c.workspace == self._workspace)
        query = query.where(approvals.c.approval_id > after)
        if which.session_id:
            query = query.where(approvals.c.session_id == which.session_id)
        order = approvals.c.approval_id
        rows = self._any_of(query.order_by(order).limit(limit), approvals.c.state, which.states, order, limit)
        return [records.decode_approval(row.record) for row in rows]

    def remembered(self, remembered_id: str) -> Remembered | None:
        query = select(remembered.c.record).where(remembered.c.workspace == self._workspace)
        record = self._connection.scalar(query.where(remembered.c.remembered_id == remembered_id))
        return None if record is None else records.decode_remembered(record)

    def memory(self, session_id: str) -> Sequence[Remembered]:
        named = {"workspace": self._workspace, "session_id": session_id}
        return [records.decode_remembered(record) for record in self._connection.scalars(_MEMORY, named)]

    def all_remembered(self, *, after: str, limit: int | None) -> Sequence[Remembered]:
        query = select(remembered.c.record).where(remembered.c.workspace == self._workspace)
        query = query.where(remembered.c.remembered_id > after).order_by(remembered.c.remembered_id)
        return [records.decode_remembered(record) for record in self._connection.scalars(query.limit(limit))]

    def every_remembered(self) -> Sequence[Remembered]:
        return self.all_remembered(after="", limit=None)


def page_of_sessions(workspace: str, which: SessionFilter, after: str, limit: int) -> AnySelect:
    """The records of a page, found by an index that has them in order, in one walk for each mode."""
    place = (sessions.c.began, sessions.c.session_id)
    query = select(sessions.c.record, *place).where(sessions.c.workspace == workspace)
    if after:
        named = (sessions.c.workspace == workspace, sessions.c.session_id == after)
        began = select(sessions.c.began).where(*named).scalar_subquery()
        query = query.where(tuple_(*place) < tuple_(began, after))
    newest = query.order_by(*(column.desc() for column in place)).limit(limit)
    if not which.modes:
        return newest
    walks = [newest.where(sessions.c.mode == mode).subquery() for mode in dict.fromkeys(which.modes)]
    found = union_all(*(select(walk) for walk in walks)).subquery()
    return select(found.c.record).order_by(found.c.began.desc(), found.c.session_id.desc()).limit(limit)
