"""Reading and writing over one database connection, for one workspace."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, Select, func, insert, select, update

from plangate_server.domain.errors import RequestIdReused
from plangate_server.domain.events import Event, EventType
from plangate_server.domain.lifecycle import Change
from plangate_server.domain.plan import Plan, Revision
from plangate_server.ports import PlanFilter, RequestKey
from plangate_server.storage import records
from plangate_server.storage.tables import events, plans, requests, reviews, revisions

_HEADS = select(plans.c.plan_id, plans.c.record, revisions.c.record.label("revision_record")).join_from(
    plans,
    revisions,
    (revisions.c.plan_id == plans.c.plan_id) & (revisions.c.number == plans.c.revision),
)


class SqlReading:
    """A consistent look: the connection is inside a transaction."""

    def __init__(self, connection: Connection, workspace: str) -> None:
        self._connection = connection
        self._workspace = workspace

    def plan(self, plan_id: str) -> Plan | None:
        return self._one(_HEADS.where(plans.c.plan_id == plan_id))

    def plan_under_review(self, approval_request_id: str) -> Plan | None:
        asked = select(reviews.c.plan_id).where(reviews.c.approval_request_id == approval_request_id)
        return self._one(_HEADS.where(plans.c.plan_id == asked.scalar_subquery()))

    def revision(self, plan_id: str, number: int) -> Revision | None:
        record = self._connection.scalar(
            select(revisions.c.record)
            .join(plans, plans.c.plan_id == revisions.c.plan_id)
            .where(plans.c.workspace == self._workspace)
            .where(revisions.c.plan_id == plan_id, revisions.c.number == number)
        )
        return records.decode_revision(record) if record is not None else None

    def plans(self, which: PlanFilter, *, after: str, limit: int) -> Sequence[Plan]:
        query = _HEADS.where(plans.c.workspace == self._workspace, plans.c.plan_id > after)
        if which.session_id:
            query = query.where(plans.c.session_id == which.session_id)
        if which.created_by:
            query = query.where(plans.c.created_by == which.created_by)
        if which.states:
            query = query.where(plans.c.state.in_(which.states))
        rows = self._connection.execute(query.order_by(plans.c.plan_id).limit(limit))
        return [self._plan(row) for row in rows]

    def events(self, plan_id: str, *, after: int, limit: int) -> Sequence[Event]:
        rows = self._connection.execute(
            select(events, revisions.c.record.label("revision_record"))
            .join(
                revisions,
                (revisions.c.plan_id == events.c.plan_id) & (revisions.c.number == events.c.revision),
            )
            .where(events.c.workspace == self._workspace)
            .where(events.c.plan_id == plan_id, events.c.sequence > after)
            .order_by(events.c.sequence)
            .limit(limit)
        )
        return [_event(row) for row in rows]

    def last_sequence(self) -> int:
        newest = select(func.max(events.c.sequence)).where(events.c.workspace == self._workspace)
        return self._connection.scalar(newest) or 0

    def _one(self, query: Select[*tuple[Any, ...]]) -> Plan | None:
        row = self._connection.execute(query.where(plans.c.workspace == self._workspace)).first()
        return self._plan(row) if row else None

    def _plan(self, row: Row[*tuple[Any, ...]]) -> Plan:
        revision = records.decode_revision(row.revision_record)
        return records.decode_plan(row.plan_id, self._workspace, revision, row.record)


class SqlWriting(SqlReading):
    """A transaction, or a savepoint in one. ``appended`` holds its events once they have numbers."""

    def __init__(self, connection: Connection, workspace: str) -> None:
        super().__init__(connection, workspace)
        self.appended: list[Event] = []
        self._stored: dict[str, Plan] = {}

    def _plan(self, row: Row[*tuple[Any, ...]]) -> Plan:
        plan = super()._plan(row)
        self._stored[plan.plan_id] = plan
        return plan

    def save(self, change: Change) -> None:
        plan = change.plan
        stored = self._stored.get(plan.plan_id)
        record = records.encode_plan(plan)
        self._save_revision(plan, stored)
        self._save_review(plan, stored)
        self._save_plan(plan, stored, record)
        self._append(change.events, record)
        self._stored[plan.plan_id] = plan

    def recall(self, key: RequestKey) -> Plan | None:
        row = self._connection.execute(
            select(requests).where(
                requests.c.workspace == self._workspace,
                requests.c.principal == key.principal,
                requests.c.request_id == key.request_id,
            )
        ).first()
        if row is None:
            return None
        if row.fingerprint != key.fingerprint:
            raise RequestIdReused(key.request_id)
        revision = self.revision(row.plan_id, row.revision)
        assert revision, "an answer is remembered in the transaction that stored its revision"
        return records.decode_plan(row.plan_id, self._workspace, revision, row.plan_record)

    def remember(self, key: RequestKey, answer: Plan) -> None:
        self._insert(
            requests,
            principal=key.principal,
            request_id=key.request_id,
            fingerprint=key.fingerprint,
            plan_id=answer.plan_id,
            revision=answer.revision.number,
            plan_record=records.encode_plan(answer),
        )

    def _save_revision(self, plan: Plan, stored: Plan | None) -> None:
        if stored is None or stored.revision.number != plan.revision.number:
            self._connection.execute(
                insert(revisions).values(
                    plan_id=plan.plan_id,
                    number=plan.revision.number,
                    record=records.encode_revision(plan.revision),
                )
            )

    def _save_review(self, plan: Plan, stored: Plan | None) -> None:
        asked = plan.review.approval_request_id
        if stored is None or stored.review.approval_request_id != asked:
            self._insert(reviews, approval_request_id=asked, plan_id=plan.plan_id)

    def _save_plan(self, plan: Plan, stored: Plan | None, record: bytes) -> None:
        changing = {
            "state": plan.state,
            "revision": plan.revision.number,
            "record": record,
        }
        if stored is not None:
            self._connection.execute(update(plans).where(plans.c.plan_id == plan.plan_id).values(changing))
            return
        self._insert(
            plans,
            plan_id=plan.plan_id,
            session_id=plan.session_id,
            created_by=plan.created_by,
            **changing,
        )

    def _append(self, told: Sequence[Event], plan_record: bytes) -> None:
        last = self.last_sequence()
        numbered = [replace(event, sequence=last + n) for n, event in enumerate(told, start=1)]
        self._connection.execute(
            insert(events),
            [
                {
                    "workspace": self._workspace,
                    "sequence": event.sequence,
                    "plan_id": event.plan.plan_id,
                    "revision": event.plan.revision.number,
                    "type": event.type,
                    "time": event.time.isoformat(),
                    "actor": event.actor,
                    "message": event.message,
                    "plan_record": plan_record,
                }
                for event in numbered
            ],
        )
        self.appended += numbered

    def _insert(self, table: Any, **values: object) -> None:
        self._connection.execute(insert(table).values(workspace=self._workspace, **values))


def _event(row: Row[*tuple[Any, ...]]) -> Event:
    revision = records.decode_revision(row.revision_record)
    return Event(
        type=EventType(row.type),
        time=datetime.fromisoformat(row.time),
        actor=row.actor,
        plan=records.decode_plan(row.plan_id, row.workspace, revision, row.plan_record),
        message=row.message,
        sequence=row.sequence,
    )
