"""Adds events to the logs, one order for each workspace."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import TypeAlias

from plangate_server.domain.events import LogEvent
from plangate_server.storage import bulk
from plangate_server.storage.bulk import Row
from plangate_server.storage.driver import Driver, Marks, Runs, Stored
from plangate_server.storage.numbering import LogEnd, Numbered, number
from plangate_server.storage.tables import events, workspaces

Told: TypeAlias = Mapping[str, Sequence[LogEvent]]
"""The events of each workspace. In the order of their names: nodes must not wait in a circle."""


def by_workspace(told: Iterable[LogEvent]) -> Told:
    found: dict[str, list[LogEvent]] = {}
    for event in told:
        found.setdefault(event.workspace, []).append(event)
    return dict(sorted(found.items()))


def append(runs: Runs, told: Told, ends: Mapping[str, LogEnd]) -> tuple[list[Numbered], list[Stored]]:
    """The new entries; and what tells afterwards whether all of the logs ended where they should."""
    log: list[Numbered] = []
    moved: list[Stored] = []
    for workspace, group in told.items():
        end = ends[workspace]
        added = number(group, end)
        last = added[-1]
        values = (last.entry.sequence, last.hash, workspace, end.sequence, end.hash)
        moved.append(runs.run(_set_end(runs.marks), values))
        log += added
    # Where a log has moved on, its numbers are taken; that shows in how its end was moved.
    bulk.insert_new(runs, events, [_event_row(entry) for entry in log])
    if log and runs.announcement:
        runs.run(runs.announcement, ())
    return log, moved


def lock_ends(driver: Driver, names: Iterable[str]) -> dict[str, LogEnd]:
    """Where the logs end, and nobody else can move that until the commit."""
    return {name: _lock_end(driver, name) for name in names}


def _lock_end(driver: Driver, workspace: str) -> LogEnd:
    name = driver.marks(1, 1)
    look = f"SELECT last_sequence, last_hash FROM workspaces WHERE workspace = {name} {driver.lock}"
    found = driver.run(look, (workspace,)).fetchall()
    if not found:
        driver.run(_first_end(driver.marks), (workspace, 0, "", 0))
        found = driver.run(look, (workspace,)).fetchall()
    return LogEnd(*found[0])


@cache
def _set_end(marks: Marks) -> str:
    new_sequence, new_hash, name, sequence, hash = (marks(1, number) for number in range(1, 6))
    return (
        f"UPDATE workspaces SET last_sequence = {new_sequence}, last_hash = {new_hash} "
        f"WHERE workspace = {name} AND last_sequence = {sequence} AND last_hash = {hash}"
    )


@cache
def _first_end(marks: Marks) -> str:
    names = ", ".join(column.name for column in workspaces.columns)
    values = marks(len(workspaces.columns), 1)
    return f"INSERT INTO workspaces ({names}) VALUES ({values}) ON CONFLICT DO NOTHING"


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
