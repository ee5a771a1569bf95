"""Removes what is kept only for a while; run by the one connection that writes."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from sqlalchemy import Connection, delete, func, select, update

from plangate_server.storage import records
from plangate_server.storage.tables import events, requests, workspaces


def forget_requests(before: datetime) -> Callable[[Connection], None]:
    def chore(connection: Connection) -> None:
        connection.execute(delete(requests).where(requests.c.time < records.microseconds(before)))

    return chore


def forget_events(before: datetime) -> Callable[[Connection], None]:
    """Content goes, entries stay: the chain holds on, and cursors into the gap are refused."""
    old = events.c.time < records.microseconds(before)

    def chore(connection: Connection) -> None:
        last = select(events.c.workspace, func.max(events.c.sequence)).where(old)
        newest = connection.execute(last.group_by(events.c.workspace)).all()
        for workspace, sequence in newest:
            connection.execute(
                update(workspaces)
                .where(workspaces.c.workspace == workspace, workspaces.c.forgotten_sequence < sequence)
                .values(forgotten_sequence=sequence)
            )
            connection.execute(
                update(events)
                .where(events.c.workspace == workspace, events.c.sequence <= sequence)
                .where(events.c.body.is_not(None))
                .values(body=None)
            )

    return chore
