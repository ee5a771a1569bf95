"""What happens to a plan drives its session: both are stored together."""

from __future__ import annotations

from typing import TypeVar

from plangate_server.domain.events import Change, SessionChange
from plangate_server.domain.limits import Limits
from plangate_server.domain.session_life import drive, moves
from plangate_server.domain.sessions import begin
from plangate_server.ports import Writing

Done = TypeVar("Done", Change, SessionChange)


def save(writing: Writing, change: Done, limits: Limits) -> Done:
    """Store the change, if there is anything to store; gives it with what it did to the plan's session."""
    if isinstance(change, Change):
        change = _driving(writing, change, limits)
        if change.events or change.builds:
            writing.save(change)
    elif change.events:
        writing.save(change)
    return change


def _driving(writing: Writing, change: Change, limits: Limits) -> Change:
    if not moves(change):
        return change
    plan = change.plan
    session = writing.session(plan.session_id)
    session = session or begin(plan.workspace, plan.session_id, plan.update_time)
    return drive(session, change, limits)
