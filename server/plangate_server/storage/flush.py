"""Writes what a batch of commands has staged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from plangate_server.domain.builds import BuildStatus
from plangate_server.domain.review import ReviewStatus
from plangate_server.storage import bulk, records
from plangate_server.storage.append import append, by_workspace, lock_ends
from plangate_server.storage.bulk import Row
from plangate_server.storage.driver import Cursor, Driver
from plangate_server.storage.numbering import LogEnd, Numbered
from plangate_server.storage.staging import Staged
from plangate_server.storage.tables import builds, comments, plans, requests, reviews, revisions


class Conflict(Exception):
    """Another node was faster: the batch must be run again."""


class Flushed(Struct, frozen=True):
    log: Sequence[Numbered]
    """What was added to the logs."""
    before: Mapping[str, LogEnd]
    """Where they ended."""


def flush(
    driver: Driver, staged: Staged, versions: Mapping[str, int], known: Mapping[str, LogEnd], now: int
) -> Flushed:
    """Write everything.

    Plans are written in the order of their ids and the log last, so that no two nodes wait for each
    other in a circle. ``versions`` says how often each plan had been stored when it was read; ``known``
    where the logs end, as far as this node can tell.
    """
    told = by_workspace(staged.events)
    if told.keys() <= known.keys():
        with driver.together():
            guarded = _write_rows(driver, staged, versions, now)
            log, moved = append(driver, told, known)
        before = known
    else:
        with driver.together():
            guarded = _write_rows(driver, staged, versions, now)
        before = lock_ends(driver, told)
        with driver.together():
            log, moved = append(driver, told, before)
    if _rows(guarded) != len(staged.plans) or _rows(moved) != len(told):
        raise Conflict
    return Flushed(log, {workspace: before[workspace] for workspace in told})


def _rows(cursors: Sequence[Cursor]) -> int:
    return sum(cursor.rowcount for cursor in cursors)


def _write_rows(driver: Driver, staged: Staged, versions: Mapping[str, int], now: int) -> Sequence[Cursor]:
    """All but the log; gives how the plans were stored."""
    bulk.upsert(driver, revisions, _revision_rows(staged))
    guarded = bulk.upsert(driver, plans, _plan_rows(staged, versions), "version")
    bulk.upsert(driver, reviews, _review_rows(staged))
    bulk.upsert(driver, builds, _build_rows(staged))
    bulk.upsert(driver, comments, _comment_rows(staged))
    bulk.insert(driver, requests, _request_rows(staged, now))
    return guarded


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
