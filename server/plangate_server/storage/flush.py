"""Writes what a batch of commands has staged: one statement per table, many rows each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import groupby
from typing import Any, Final

from sqlalchemy import Connection, Table, bindparam, insert, select, update
from sqlalchemy.dialects import postgresql, sqlite

from plangate_server.domain.builds import BuildStatus
from plangate_server.domain.events import Event
from plangate_server.domain.review import ReviewStatus
from plangate_server.storage import records
from plangate_server.storage.numbering import LogEnd, Numbered, number
from plangate_server.storage.staging import Staged
from plangate_server.storage.tables import (
    builds,
    comments,
    events,
    plans,
    requests,
    reviews,
    revisions,
    workspaces,
)

Rows = list[dict[str, Any]]


_END: Final = (
    select(workspaces.c.last_sequence, workspaces.c.last_hash)
    .where(workspaces.c.workspace == bindparam("name"))
    .with_for_update()
)
_SET_END: Final = update(workspaces).where(workspaces.c.workspace == bindparam("name"))
_INSERT_EVENTS: Final = insert(events)
_INSERT_REQUESTS: Final = insert(requests)


class Conflict(Exception):
    """Another node stored one of the plans meanwhile: the batch must be run again."""


def flush(
    connection: Connection, staged: Staged, versions: Mapping[str, int] | None, now: int
) -> list[Event]:
    """Write everything; the events come back with their numbers.

    Plans are written in the order of their ids and the log last, so that no two nodes wait for each
    other in a circle. ``versions`` says how often each plan had been stored when it was read; without
    them, nobody else can have stored it since.
    """
    _upsert(connection, revisions, _revision_rows(staged))
    if versions is None:
        _upsert(connection, plans, _plan_rows(staged, {}))
    else:
        _upsert_guarded(connection, plans, _plan_rows(staged, versions))
    _upsert(connection, reviews, _review_rows(staged))
    _upsert(connection, builds, _build_rows(staged))
    _upsert(connection, comments, _comment_rows(staged))
    if rows := _request_rows(staged, now):
        connection.execute(_INSERT_REQUESTS, rows)
    return _append(connection, staged.events)


@cache
def _upsert_statement(dialect: str, table: Table, guarded: bool = False) -> Any:
    new_insert = postgresql.insert if dialect == "postgresql" else sqlite.insert
    statement = new_insert(table)
    keys = [column.name for column in table.primary_key]
    changed = {c.name: statement.excluded[c.name] for c in table.columns if c.name not in keys}
    # A plan that somebody else stored since it was read must not be overwritten.
    only_if = table.c.version == statement.excluded.version - 1 if guarded else None
    return statement.on_conflict_do_update(index_elements=keys, set_=changed, where=only_if)


def _upsert(connection: Connection, table: Table, rows: Rows) -> None:
    if rows:
        connection.execute(_upsert_statement(connection.dialect.name, table), rows)


def _upsert_guarded(connection: Connection, table: Table, rows: Rows) -> None:
    if rows:
        statement = _upsert_statement(connection.dialect.name, table, True).returning(table.c.plan_id)
        if len(connection.execute(statement, rows).all()) != len(rows):
            raise Conflict


def _append(connection: Connection, told: Sequence[Event]) -> list[Event]:
    """Take the end of each workspace's log, and add to it."""
    by_workspace = sorted(told, key=lambda event: event.plan.workspace)
    appended: list[Numbered] = []
    for workspace, group in groupby(by_workspace, key=lambda event: event.plan.workspace):
        added = number(group, _lock_end(connection, workspace))
        last = added[-1]
        connection.execute(
            _SET_END, {"name": workspace, "last_sequence": last.event.sequence, "last_hash": last.hash}
        )
        appended += added
    if appended:
        connection.execute(_INSERT_EVENTS, [_event_row(entry) for entry in appended])
    return [entry.event for entry in appended]


def _lock_end(connection: Connection, workspace: str) -> LogEnd:
    row = connection.execute(_END, {"name": workspace}).first()
    if row is None:
        new_insert = postgresql.insert if connection.dialect.name == "postgresql" else sqlite.insert
        first = {"workspace": workspace, "last_sequence": 0, "last_hash": "", "forgotten_sequence": 0}
        connection.execute(new_insert(workspaces).on_conflict_do_nothing(), first)
        row = connection.execute(_END, {"name": workspace}).one()
    return LogEnd(row.last_sequence, row.last_hash)


def _plan_rows(staged: Staged, versions: Mapping[str, int]) -> Rows:
    return [
        {
            "plan_id": plan.plan_id,
            "version": versions.get(plan.plan_id, 0) + 1,
            "workspace": plan.workspace,
            "session_id": plan.session_id,
            "created_by": plan.created_by,
            "state": plan.state,
            "revision": plan.revision.number,
            "record": records.encode_plan(plan),
        }
        for _, plan in sorted(staged.plans.items())
    ]


def _revision_rows(staged: Staged) -> Rows:
    return [
        {"plan_id": plan_id, "number": number, "record": records.encode(revision)}
        for (plan_id, number), revision in sorted(staged.revisions.items())
    ]


def _review_rows(staged: Staged) -> Rows:
    return [
        {
            "approval_request_id": id,
            "workspace": plan.workspace,
            "session_id": plan.session_id,
            "plan_id": plan.plan_id,
            "status": review.status,
            "due": records.microseconds(review.expire_time)
            if review.status is ReviewStatus.REQUESTED and review.expire_time
            else None,
            "record": records.encode(review),
        }
        for id, (plan, review) in sorted(staged.reviews.items())
    ]


def _build_rows(staged: Staged) -> Rows:
    return [
        {
            "build_id": id,
            "workspace": plan.workspace,
            "plan_id": plan.plan_id,
            "due": records.microseconds(build.lease_expire_time)
            if build.status is BuildStatus.ACTIVE
            else None,
            "record": records.encode(build),
        }
        for id, (plan, build) in sorted(staged.builds.items())
    ]


def _comment_rows(staged: Staged) -> Rows:
    return [
        {
            "comment_id": id,
            "workspace": plan.workspace,
            "plan_id": plan.plan_id,
            "record": records.encode(comment),
        }
        for id, (plan, comment) in sorted(staged.comments.items())
    ]


def _request_rows(staged: Staged, now: int) -> Rows:
    return [
        {
            "workspace": workspace,
            "principal": principal,
            "request_id": request_id,
            "fingerprint": fingerprint,
            "time": now,
            "answer": records.encode_answer(answer),
        }
        for (workspace, principal, request_id), (fingerprint, answer) in sorted(
            staged.requests.items(), key=lambda item: item[0]
        )
    ]


def _event_row(numbered: Numbered) -> dict[str, Any]:
    entry = numbered.entry
    return {
        "workspace": entry.workspace,
        "sequence": entry.sequence,
        "plan_id": entry.plan_id,
        "session_id": entry.session_id,
        "revision": entry.revision,
        "digest": entry.digest,
        "type": entry.type,
        "time": int(entry.time),
        "actor": entry.actor,
        "body": numbered.body,
        "body_hash": entry.body_hash,
        "hash": numbered.hash,
    }
