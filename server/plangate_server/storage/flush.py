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
from plangate_server.storage.staging import Staged
from plangate_server.storage.tables import builds, comments, plans, requests, reviews, revisions


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
    if {event.plan.workspace for event in staged.events} <= known.keys():
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

    Plans are written in the order of their ids and the log last, so that no two nodes wait for each
    other in a circle. ``versions`` says how often each plan had been stored when it was read; ``ends``
    where the logs end.
    """
    stored = _write_rows(runs, staged, versions)
    told = by_workspace(staged.events)
    log, moved = append(runs, told, ends)
    before = {workspace: ends[workspace] for workspace in told}
    return Flushing(log, before, (*stored, Expectation(moved, len(told))))


def _write_rows(runs: Runs, staged: Staged, versions: Mapping[str, int]) -> Sequence[Expectation]:
    """All but the log."""
    bulk.upsert(runs, revisions, _revision_rows(staged))
    stored = bulk.upsert(runs, plans, _plan_rows(staged, versions), "version")
    bulk.upsert(runs, reviews, _review_rows(staged))
    bulk.upsert(runs, builds, _build_rows(staged))
    bulk.upsert(runs, comments, _comment_rows(staged))
    remembered = bulk.insert_new(runs, requests, _request_rows(staged))
    return (
        Expectation(stored, len(staged.plans)),
        Expectation(remembered, len(staged.requests), RequestRepeated),
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


def _request_rows(staged: Staged) -> list[Row]:
    now = records.microseconds(datetime.now(UTC))
    return [
        (*name, fingerprint, now, records.encode_answer(answer))
        for name, (fingerprint, answer) in sorted(staged.requests.items(), key=lambda item: item[0])
    ]
