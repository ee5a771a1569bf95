"""Counts what waits for people."""

from __future__ import annotations

from typing import Final

from sqlalchemy import Column, Connection, ScalarSelect, func, select

from plangate_server.domain.approvals import WAITING
from plangate_server.domain.review import ReviewStatus
from plangate_server.ports import Waiting
from plangate_server.storage.tables import approvals, reviews, workspaces


def count_waiting(connection: Connection) -> Waiting:
    counted = connection.execute(COUNT).all()
    return Waiting(sum(row.reviews for row in counted), sum(row.calls for row in counted))


def _own(state: Column[str], workspace: Column[str], *wanted: str) -> ScalarSelect[int]:
    """How many of a workspace's are in any of the states. Asked for each workspace, an index has just these;
    asked for all of them at once, it would be a walk through all that there ever were.
    """
    own = workspace == workspaces.c.workspace
    return select(func.count()).where(own, state.in_(sorted(wanted))).scalar_subquery()


COUNT: Final = select(
    _own(reviews.c.status, reviews.c.workspace, ReviewStatus.REQUESTED).label("reviews"),
    _own(approvals.c.state, approvals.c.workspace, *WAITING).label("calls"),
).select_from(workspaces)
