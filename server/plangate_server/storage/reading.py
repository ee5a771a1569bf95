"""Reading over one database connection, for one workspace."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Final

from sqlalchemy import Select, bindparam, func, select

from plangate_server.domain.audit import Entry, Link
from plangate_server.domain.comments import Comment, Taken
from plangate_server.domain.events import OF_EITHER, OF_SESSIONS, EventType, LogEvent
from plangate_server.domain.plan import Plan, Revision
from plangate_server.domain.review import Review
from plangate_server.ports import EventFilter, PlanFilter, ReviewFilter
from plangate_server.storage import records
from plangate_server.storage.credential_reading import CredentialReading
from plangate_server.storage.looking import AnyRow, AnySelect
from plangate_server.storage.session_reading import SessionReading
from plangate_server.storage.tables import (
    builds,
    comments,
    events,
    plans,
    reviews,
    revisions,
    workspaces,
)

_HEADS = select(
    plans.c.plan_id, plans.c.version, plans.c.record, revisions.c.record.label("revision_record")
).join_from(
    plans,
    revisions,
    (revisions.c.plan_id == plans.c.plan_id) & (revisions.c.number == plans.c.revision),
)

# Built once: making a statement costs more than running it.
_OWN = plans.c.workspace == bindparam("workspace")
_PLAN: Final = _HEADS.where(_OWN, plans.c.plan_id == bindparam("id"))
# Subqueries, because of a join SQLite begins with the plans, all of them.
_REVIEWED = select(reviews.c.plan_id).where(reviews.c.approval_request_id == bindparam("id"))
_PLAN_UNDER_REVIEW: Final = _HEADS.where(_OWN, plans.c.plan_id == _REVIEWED.scalar_subquery())
_BUILT = select(builds.c.plan_id).where(builds.c.build_id == bindparam("id"))
_PLAN_OF_BUILD: Final = _HEADS.where(_OWN, plans.c.plan_id == _BUILT.scalar_subquery())
_SOME_PLANS: Final = _HEADS.where(_OWN, plans.c.plan_id.in_(bindparam("ids", expanding=True)))
_LAST_SEQUENCE: Final = select(workspaces.c.last_sequence).where(
    workspaces.c.workspace == bindparam("workspace")
)
_FORGOTTEN_SEQUENCE: Final = select(workspaces.c.forgotten_sequence).where(
    workspaces.c.workspace == bindparam("workspace")
)

_REFUSED = EventType.DECISION_REFUSED
_OF_PLANS: Final = events.c.type.not_in(sorted({*OF_SESSIONS, _REFUSED})) & (
    events.c.type.not_in(sorted(OF_EITHER)) | (events.c.revision > 0)
)
_EVENTS = select(events, revisions.c.record.label("revision_record")).join_from(
    events,
    revisions,
    (revisions.c.plan_id == events.c.plan_id)
    & (revisions.c.number == events.c.revision)
    & (events.c.type != _REFUSED),  # which names a revision and tells nothing of its content
    isouter=True,  # what happened in a session has no revision
)


class SqlReading(SessionReading, CredentialReading):
    """A consistent look: the connection is inside a transaction.

    ``versions`` holds how often each plan and session that was looked at had been stored.
    """

    def plan(self, plan_id: str) -> Plan | None:
        return self._one_plan(_PLAN, plan_id)

    def plan_under_review(self, approval_request_id: str) -> Plan | None:
        return self._one_plan(_PLAN_UNDER_REVIEW, approval_request_id)

    def plan_of_build(self, build_id: str) -> Plan | None:
        return self._one_plan(_PLAN_OF_BUILD, build_id)

    def plans(self, which: PlanFilter, *, after: str, limit: int) -> Sequence[Plan]:
        query = _HEADS.where(plans.c.workspace == self._workspace, plans.c.plan_id > after)
        if which.session_id:
            query = query.where(plans.c.session_id == which.session_id)
        if which.created_by:
            query = query.where(plans.c.created_by == which.created_by)
        query = query.order_by(plans.c.plan_id).limit(limit)
        rows = self._any_of(query, plans.c.state, which.states, plans.c.plan_id, limit)
        return [self._plan(row) for row in rows]

    def some_plans(self, plan_ids: Sequence[str]) -> Sequence[Plan]:
        rows = self._connection.execute(_SOME_PLANS, {"workspace": self._workspace, "ids": plan_ids})
        return [self._plan(row) for row in rows]

    def revision(self, plan_id: str, number: int) -> Revision | None:
        found = self.revisions(plan_id, after=number - 1, limit=1)
        return found[0] if found and found[0].number == number else None

    def revisions(self, plan_id: str, *, after: int, limit: int) -> Sequence[Revision]:
        query = (
            select(revisions.c.record)
            .join(plans, plans.c.plan_id == revisions.c.plan_id)
            .where(plans.c.workspace == self._workspace)
            .where(revisions.c.plan_id == plan_id, revisions.c.number > after)
            .order_by(revisions.c.number)
            .limit(limit)
        )
        return [records.decode_revision(record) for record in self._connection.scalars(query)]

    def review(self, approval_request_id: str) -> tuple[str, Review] | None:
        query = self._reviews().where(reviews.c.approval_request_id == approval_request_id)
        row = self._connection.execute(query).first()
        return (row.plan_id, records.decode_review(row.record)) if row else None

    def reviews(self, which: ReviewFilter, *, after: str, limit: int) -> Sequence[tuple[str, Review]]:
        query = self._reviews().where(reviews.c.approval_request_id > after)
        if which.session_id:
            query = query.where(reviews.c.session_id == which.session_id)
        ids = reviews.c.approval_request_id
        rows = self._any_of(query.limit(limit), reviews.c.status, which.statuses, ids, limit)
        return [(row.plan_id, records.decode_review(row.record)) for row in rows]

    def reviews_of_plan(self, plan_id: str, *, after: str, limit: int) -> Sequence[Review]:
        query = self._reviews().where(reviews.c.plan_id == plan_id, reviews.c.approval_request_id > after)
        rows = self._connection.execute(query.limit(limit))
        return [records.decode_review(row.record) for row in rows]

    def comment(self, comment_id: str) -> Comment | None:
        query = self._comments().where(comments.c.comment_id == comment_id)
        record = self._connection.scalars(query).first()
        return None if record is None else records.decode_comment(record)

    def comments(self, plan_id: str) -> Sequence[Comment]:
        query = self._comments().where(comments.c.plan_id == plan_id).order_by(comments.c.comment_id)
        return [records.decode_comment(record) for record in self._connection.scalars(query)]

    def comments_taken(self, plan_id: str, besides: Collection[str]) -> Taken:
        size = func.coalesce(func.sum(func.length(comments.c.record)), 0)
        of_plan = (comments.c.workspace == self._workspace, comments.c.plan_id == plan_id)
        query = select(func.count(), size).where(*of_plan, comments.c.comment_id.not_in([*besides]))
        return Taken(*self._connection.execute(query).one())

    def events(self, which: EventFilter, *, after: int, limit: int) -> Sequence[LogEvent]:
        query = self._told(which).where(events.c.sequence > after).order_by(events.c.sequence).limit(limit)
        rows = self._any_of(query, events.c.type, sorted(which.types), events.c.sequence, limit)
        return [_event(row) for row in rows]

    def events_before(self, which: EventFilter, *, before: int, limit: int) -> Sequence[LogEvent]:
        newest_first = events.c.sequence.desc()
        query = self._told(which).where(events.c.sequence < before).order_by(newest_first).limit(limit)
        types = sorted(which.types)
        rows = self._any_of(query, events.c.type, types, events.c.sequence, limit, reverse=True)
        return [_event(row) for row in rows]

    def _told(self, which: EventFilter) -> AnySelect:
        """Events that the filter lets through, of whatever type it names."""
        query = _EVENTS.where(events.c.workspace == self._workspace, events.c.body.is_not(None))
        if which.plan_id:
            query = query.where(events.c.plan_id == which.plan_id)
        if which.session_id:
            query = query.where(events.c.session_id == which.session_id)
        if which.only_plans:
            query = query.where(_OF_PLANS)
        if not which.refusals:
            query = query.where(events.c.type != _REFUSED)
        return query

    def events_of(
        self, plan_ids: Collection[str], between: tuple[int, int], limit: int
    ) -> Sequence[LogEvent]:
        """Events of the plans, or of all if none is named, after one number and up to another."""
        after, until = between
        query = _EVENTS.where(events.c.workspace == self._workspace, events.c.body.is_not(None))
        query = query.where(events.c.sequence > after, events.c.sequence <= until)
        if plan_ids:
            query = query.where(events.c.plan_id.in_(plan_ids))
        rows = self._connection.execute(query.order_by(events.c.sequence).limit(limit))
        return [_event(row) for row in rows]

    def links(self, *, after: int, limit: int) -> Sequence[Link]:
        query = (
            select(events)
            .where(events.c.workspace == self._workspace, events.c.sequence > after)
            .order_by(events.c.sequence)
            .limit(limit)
        )
        return [_link(row) for row in self._connection.execute(query)]

    def links_at(self, sequences: Collection[int]) -> Mapping[int, Link]:
        in_log = events.c.workspace == self._workspace
        query = select(events).where(in_log, events.c.sequence.in_(sequences))
        return {row.sequence: _link(row) for row in self._connection.execute(query)}

    def last_sequence(self) -> int:
        return self._connection.scalar(_LAST_SEQUENCE, {"workspace": self._workspace}) or 0

    def forgotten_sequence(self) -> int:
        return self._connection.scalar(_FORGOTTEN_SEQUENCE, {"workspace": self._workspace}) or 0

    def _reviews(self) -> AnySelect:
        of_workspace = select(reviews).where(reviews.c.workspace == self._workspace)
        return of_workspace.order_by(reviews.c.approval_request_id)

    def _comments(self) -> Select[bytes]:
        return select(comments.c.record).where(comments.c.workspace == self._workspace)

    def _one_plan(self, query: AnySelect, id: str) -> Plan | None:
        row = self._connection.execute(query, {"workspace": self._workspace, "id": id}).first()
        return self._plan(row) if row else None

    def _plan(self, row: AnyRow) -> Plan:
        # The first look counts: what a command does rests on it, whoever stores the plan meanwhile.
        self.versions.setdefault(row.plan_id, row.version)
        revision = records.decode_revision(row.revision_record)
        return records.decode_plan(row.plan_id, self._workspace, revision, row.record)


def _event(row: AnyRow) -> LogEvent:
    type = EventType(row.type)
    columns = {"time": records.from_microseconds(row.time), "actor": row.actor, "sequence": row.sequence}
    if type in OF_SESSIONS or (type in OF_EITHER and not row.revision):
        return records.decode_session_event(row.body, row.workspace, type=type, **columns)
    if type is _REFUSED:
        named = ("workspace", "plan_id", "session_id", "revision", "digest")
        columns |= {name: getattr(row, name) for name in named}
        return records.decode_refused(row.body, **columns)
    revision = records.decode_revision(row.revision_record)
    return records.decode_event(row.body, row.plan_id, row.workspace, revision, type=type, **columns)


def _link(row: AnyRow) -> Link:
    entry = Entry(
        workspace=row.workspace,
        sequence=row.sequence,
        plan_id=row.plan_id,
        session_id=row.session_id,
        revision=row.revision,
        digest=row.digest,
        type=row.type,
        time=str(row.time),
        actor=row.actor,
        body_hash=row.body_hash,
    )
    # Whoever altered the database may have left text where bytes were.
    body = row.body.encode() if isinstance(row.body, str) else row.body
    return Link(entry, row.hash, body)
