"""Removes what is kept only for a while; run by the one connection that writes."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from sqlalchemy import Connection, delete, func, select, update

from plangate_server.storage import records
from plangate_server.storage.tables import events, remembered, requests, watchers, workspaces


def forget_requests(before: datetime) -> Callable[[Connection], None]:
    """And what nodes have left that died as long ago."""

    def chore(connection: Connection) -> None:
        connection.execute(delete(requests).where(requests.c.time < records.microseconds(before)))
        connection.execute(delete(watchers).where(watchers.c.seen < int(before.timestamp())))

    return chore


def forget_remembered(before: datetime) -> Callable[[Connection], None]:
    """Decisions that have been out of date for so long; they counted for nothing since then."""
    late = remembered.c.due < records.microseconds(before)

    def chore(connection: Connection) -> None:
        connection.execute(delete(remembered).where(late))

    return chore


def forget_events(before: datetime) -> Callable[[Connection], None]:
    """Content goes, entries stay: the chain holds on, and cursors into the gap are refused."""
    moment = records.microseconds(before)

    def chore(connection: Connection) -> None:
        for log in connection.execute(select(workspaces)).all():
            last = _last_before(connection, log.workspace, log.forgotten_sequence, moment)
            in_log = events.c.workspace == log.workspace
            gone = events.c.sequence.between(log.forgotten_sequence + 1, last)
            connection.execute(update(events).where(in_log, gone).values(body=None))
            # Never back: another node may have forgotten more meanwhile.
            end = update(workspaces).where(workspaces.c.workspace == log.workspace)
            end = end.where(workspaces.c.forgotten_sequence < last)
            connection.execute(end.values(forgotten_sequence=last))

    return chore


def _last_before(connection: Connection, workspace: str, forgotten: int, moment: int) -> int:
    """The last entry before the first that is not old: only what got old since is looked through."""
    kept = (
        select(events.c.sequence)
        .where(events.c.workspace == workspace, events.c.sequence > forgotten, events.c.time >= moment)
        .order_by(events.c.sequence)
        .limit(1)
    )
    first_kept: int | None = connection.scalar(kept)
    if first_kept is not None:
        return first_kept - 1
    end = select(func.coalesce(func.max(events.c.sequence), 0)).where(events.c.workspace == workspace)
    last: int = connection.execute(end).scalar_one()
    return last
