"""Plans and the places in the log that they are after, read in one statement."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cache
from typing import TypeAlias

from plangate_server.domain.plan import Plan
from plangate_server.storage import records
from plangate_server.storage.driver import Driver, Marks, filled_up
from plangate_server.storage.together import Key

Snapshot: TypeAlias = tuple[Plan, int]
"""A plan, and the number of the newest event when it was looked at."""


def take_snapshots(driver: Driver, keys: Collection[Key]) -> Mapping[Key, Snapshot]:
    """Those of the plans that there are."""
    taken: dict[Key, Snapshot] = {}
    for workspace in {workspace for workspace, _ in keys}:
        ids = filled_up([plan_id for own, plan_id in keys if own == workspace])
        found = driver.run(_statement(driver.marks, len(ids)), (workspace, workspace, *ids))
        for plan_id, record, revision, last in found.fetchall():
            plan = records.decode_plan(plan_id, workspace, records.decode_revision(revision), record)
            taken[workspace, plan_id] = (plan, last)
    return taken


@cache
def _statement(marks: Marks, ids: int) -> str:
    return (
        "SELECT plans.plan_id, plans.record, revisions.record, "
        f"(SELECT last_sequence FROM workspaces WHERE workspace = {marks(1, 1)}) "
        "FROM plans JOIN revisions "
        "ON revisions.plan_id = plans.plan_id AND revisions.number = plans.revision "
        f"WHERE plans.workspace = {marks(1, 2)} AND plans.plan_id IN ({marks(ids, 3)})"
    )
