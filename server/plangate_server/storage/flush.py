"""Writes what a batch of commands has staged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import groupby

from msgspec import Struct
from sqlalchemy import Dialect

from plangate_server.domain.builds import BuildStatus
from plangate_server.domain.events import Event
from plangate_server.domain.review import ReviewStatus
from plangate_server.storage import bulk, records
from plangate_server.storage.bulk import Row
from plangate_server.storage.driver import Driver, placeholder
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
)


class Conflict(Exception):
    """Another node stored one of the plans meanwhile: the batch must be run again."""


def flush(
    driver: Driver,
    staged: Staged,
    versions: Mapping[str, int],
    ends: Mapping[str, LogEnd],
    now: int,
) -> list[Numbered]:
    """Write everything; the events come back as entries of the log.

    Plans are written in the order of their ids and the log last, so that no two nodes wait for each
    other in a circle. ``versions`` says how often each plan had been stored when it was read, ``ends``
    where the logs were last seen to end.
    """
    bulk.upsert(driver, revisions, _revision_rows(staged))
    if bulk.upsert(driver, plans, _plan_rows(staged, versions), "version") != len(staged.plans):
        raise Conflict
    bulk.upsert(driver, reviews, _review_rows(staged))
    bulk.upsert(driver, builds, _build_rows(staged))
    bulk.upsert(driver, comments, _comment_rows(staged))
    bulk.insert(driver, requests, _request_rows(staged, now))
    return _append(driver, staged.events, ends)


def _append(driver: Driver, told: Sequence[Event], ends: Mapping[str, LogEnd]) -> list[Numbered]:
    """Take the end of each workspace's log, and add to it."""
    by_workspace = sorted(told, key=lambda event: event.plan.workspace)
    appended: list[Numbered] = []
    for workspace, group in groupby(by_workspace, key=lambda event: event.plan.workspace):
        appended += _move_end(driver, workspace, list(group), ends.get(workspace))
    bulk.insert(driver, events, [_event_row(entry) for entry in appended])
    return appended


def _move_end(
    driver: Driver, workspace: str, told: Sequence[Event], expected: LogEnd | None
) -> list[Numbered]:
    """The events as entries after the end of the log, which is locked until the commit."""
    if expected is not None:
        added = number(told, expected)
        if _set_end(driver, workspace, expected, added[-1]):
            return added
    end = _lock_end(driver, workspace)
    added = number(told, end)
    _set_end(driver, workspace, end, added[-1])
    return added


def _set_end(driver: Driver, workspace: str, expected: LogEnd, last: Numbered) -> bool:
    """Move the end of the log, if it is where it was expected."""
    moved = (last.entry.sequence, last.hash, workspace, expected.sequence, expected.hash)
    return driver.run(_statements(driver.dialect).set_end, moved) == 1


def _lock_end(driver: Driver, workspace: str) -> LogEnd:
    statements = _statements(driver.dialect)
    found = driver.rows(statements.end, (workspace,))
    if not found:
        driver.run(statements.first_end, (workspace, 0, "", 0))
        found = driver.rows(statements.end, (workspace,))
    return LogEnd(*found[0])


class _Statements(Struct, frozen=True):
    end: str
    set_end: str
    first_end: str


@cache
def _statements(dialect: Dialect) -> _Statements:
    value = placeholder(dialect)
    lock = "" if dialect.name == "sqlite" else " FOR UPDATE"  # SQLite has one writer anyway
    return _Statements(
        end=f"SELECT last_sequence, last_hash FROM workspaces WHERE workspace = {value}{lock}",
        set_end=f"UPDATE workspaces SET last_sequence = {value}, last_hash = {value} "
        f"WHERE workspace = {value} AND last_sequence = {value} AND last_hash = {value}",
        first_end="INSERT INTO workspaces (workspace, last_sequence, last_hash, forgotten_sequence) "
        f"VALUES ({', '.join([value] * 4)}) ON CONFLICT DO NOTHING",
    )


def _plan_rows(staged: Staged, versions: Mapping[str, int]) -> list[Row]:
    return [
        (
            plan_id,
            versions.get(plan_id, 0) + 1,
            plan.workspace,
            plan.session_id,
            plan.created_by,
            plan.state.value,
            plan.revision.number,
            records.encode_plan(plan),
        )
        for plan_id, plan in sorted(staged.plans.items())
    ]


def _revision_rows(staged: Staged) -> list[Row]:
    return [
        (plan_id, number, records.encode(revision))
        for (plan_id, number), revision in sorted(staged.revisions.items())
    ]


def _review_rows(staged: Staged) -> list[Row]:
    return [
        (
            id,
            plan.workspace,
            plan.session_id,
            plan.plan_id,
            review.status.value,
            records.microseconds(review.expire_time)
            if review.expire_time and review.status is ReviewStatus.REQUESTED
            else None,
            records.encode(review),
        )
        for id, (plan, review) in sorted(staged.reviews.items())
    ]


def _build_rows(staged: Staged) -> list[Row]:
    return [
        (
            id,
            plan.workspace,
            plan.plan_id,
            records.microseconds(build.lease_expire_time) if build.status is BuildStatus.ACTIVE else None,
            records.encode(build),
        )
        for id, (plan, build) in sorted(staged.builds.items())
    ]


def _comment_rows(staged: Staged) -> list[Row]:
    return [
        (id, plan.workspace, plan.plan_id, records.encode(comment))
        for id, (plan, comment) in sorted(staged.comments.items())
    ]


def _request_rows(staged: Staged, now: int) -> list[Row]:
    return [
        (*name, fingerprint, now, records.encode_answer(answer))
        for name, (fingerprint, answer) in sorted(staged.requests.items(), key=lambda item: item[0])
    ]


def _event_row(numbered: Numbered) -> Row:
    entry = numbered.entry
    return (
        entry.workspace,
        entry.sequence,
        entry.plan_id,
        entry.session_id,
        entry.revision,
        entry.digest,
        entry.type,
        int(entry.time),
        entry.actor,
        numbered.body,
        entry.body_hash,
        numbered.hash,
    )
