"""What happens to a plan drives its session: both are stored together."""

from __future__ import annotations

from typing import TypeVar

from plangate_server.domain.events import Change, SessionChange
from plangate_server.domain.session_life import drive, moves
from plangate_server.domain.sessions import begin
from plangate_server.ports import World, Writing

Done = TypeVar("Done", Change, SessionChange)


def save(world: World, writing: Writing, change: Done) -> Done:
    """Store the change, if there is anything to store; gives it with what it did to the plan's session."""
    if isinstance(change, Change):
        change = _driving(world, writing, change)
        if change.events or change.builds:
            writing.save(change)
    elif change.events:
        writing.save(change)
    return change


def _driving(world: World, writing: Writing, change: Change) -> Change:
    if not moves(change):
        return change
    plan = change.plan
    session = writing.session(plan.session_id)
    session = session or begin(plan.workspace, plan.session_id, plan.update_time)
    keep_plan_mode = world.policies.current.plans.keep_plan_mode
    return drive(session, change, world.limits, keep_plan_mode=keep_plan_mode)
