"""Writes what a batch of commands has staged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from msgspec import Struct

from plangate_server.domain.builds import BuildStatus
from plangate_server.domain.review import ReviewStatus
from plangate_server.storage import bulk, records
from plangate_server.storage.append import append, by_workspace, lock_ends
from plangate_server.storage.bulk import Row
from plangate_server.storage.driver import Driver, Runs, Stored
from plangate_server.storage.numbering import LogEnd, Numbered
from plangate_server.storage.staging import Staged, has_full_access
from plangate_server.storage.tables import (
    approvals,
    builds,
    comments,
    credentials,
    plans,
    remembered,
    requests,
    reviews,
    revisions,
    sessions,
)


class Conflict(Exception):
    """What was counted on did not hold, because another node was faster: the batch must be run again."""


class RequestRepeated(Conflict):
    """A request was made before after all."""


class Expectation(Struct, frozen=True):
    """How many rows the statements must have stored."""

    cursors: Sequence[Stored]
    rows: int
    otherwise: type[Conflict] = Conflict


class Flushing(Struct, frozen=True):
    """What is being written, and what will show whether it was."""

    log: Sequence[Numbered]
    """What is added to the logs."""
    before: Mapping[str, LogEnd]
    """Where they ended."""
    counted_on: Sequence[Expectation]

    def check(self) -> None:
        """Raise the first conflict that there was."""
        for expected in self.counted_on:
            if sum(cursor.rowcount for cursor in expected.cursors) != expected.rows:
                raise expected.otherwise


def flush(
    driver: Driver, staged: Staged, versions: Mapping[str, int], known: Mapping[str, LogEnd]
) -> Flushing:
    """Write everything, whether or not it is known where the logs end."""
    if {event.workspace for event in staged.events} <= known.keys():
        with driver.together():
            return flush_all(driver, staged, versions, known)
    with driver.together():
        stored = _write_rows(driver, staged, versions)
    told = by_workspace(staged.events)
    before = lock_ends(driver, told)
    with driver.together():
        log, moved = append(driver, told, before)
    return Flushing(log, before, (*stored, Expectation(moved, len(told))))


def flush_all(
    runs: Runs, staged: Staged, versions: Mapping[str, int], ends: Mapping[str, LogEnd]
) -> Flushing:
    """Write everything in one go.

    Plans and sessions are written in the order of their ids and the log last, so that no two nodes wait for
    each other in a circle; a database that takes many rows in another order ends the circle, and the batch is
    run again. ``versions`` says how often each had been stored when it was read; ``ends`` where
    the logs end.
    """
    stored = _write_rows(runs, staged, versions)
    told = by_workspace(staged.events)
    log, moved = append(runs, told, ends)
    before = {workspace: ends[workspace] for workspace in told}
    return Flushing(log, before, (*stored, Expectation(moved, len(told))))


def _write_rows(runs: Runs, staged: Staged, versions: Mapping[str, int]) -> Sequence[Expectation]:
    """All but the log."""
    bulk.upsert(runs, revisions, _revision_rows(staged))
    stored = bulk.store_next(runs, plans, _plan_rows(staged, versions))
    bulk.upsert(runs, reviews, _review_rows(staged))
    bulk.upsert(runs, builds, _build_rows(staged))
    bulk.upsert(runs, comments, _comment_rows(staged))
    moved = bulk.store_next(runs, sessions, _session_rows(staged, versions))
    bulk.upsert(runs, approvals, _approval_rows(staged))
    bulk.upsert(runs, remembered, _remembered_rows(staged))
    bulk.delete(runs, remembered, [(id,) for id, (_, kept) in staged.remembered.items() if not kept])
    bulk.upsert(runs, credentials, _credential_rows(staged))
    answered = bulk.insert_new(runs, requests, _request_rows(staged))
    return (
        Expectation(stored, len(staged.plans)),
        Expectation(moved, len(staged.sessions)),
        Expectation(answered, len(staged.requests), RequestRepeated),
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
            _due(review.expire_time if review.status is ReviewStatus.REQUESTED else None),
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
            _due(build.lease_expire_time if build.status is BuildStatus.ACTIVE else None),
            records.encode(build),
        )
        for id, (plan, build) in sorted(staged.builds.items())
    ]


def _comment_rows(staged: Staged) -> list[Row]:
    return [
        (id, plan.workspace, plan.plan_id, records.encode(comment))
        for id, (plan, comment) in sorted(staged.comments.items())
    ]


def _session_rows(staged: Staged, versions: Mapping[str, int]) -> list[Row]:
    return [
        (
            session.workspace,
            session.session_id,
            versions.get(key, 0) + 1,
            len(session.queue),
            int(has_full_access(session)),
            records.encode(session),
            session.mode.value,
            records.microseconds(session.create_time),
        )
        for key, session in sorted(staged.sessions.items())
    ]


def _approval_rows(staged: Staged) -> list[Row]:
    return [
        (
            *name,
            approval.approval_id,
            approval.state.value,
            _due(approval.expire_time if approval.waits else None),
            records.encode(approval),
        )
        for name, approval in sorted(staged.approvals.items(), key=lambda item: item[0])
    ]


def _remembered_rows(staged: Staged) -> list[Row]:
    return [
        (id, workspace, kept.session_id, _due(kept.expire_time), records.encode(kept))
        for id, (workspace, kept) in sorted(staged.remembered.items(), key=lambda item: item[0])
        if kept
    ]


def _credential_rows(staged: Staged) -> list[Row]:
    return [
        (
            id,
            each.principal.workspace,
            each.certificate,
            _due(each.expire_time),
            _due(each.revoke_time),
            records.encode(each),
        )
        for id, each in sorted(staged.credentials.items())
    ]


def _due(moment: datetime | None) -> int | None:
    return None if moment is None else records.microseconds(moment)


def _request_rows(staged: Staged) -> list[Row]:
    now = records.microseconds(datetime.now(UTC))
    return [
        (*name, fingerprint, now, records.encode_answer(answer))
        for name, (fingerprint, answer) in sorted(staged.requests.items(), key=lambda item: item[0])
    ]
