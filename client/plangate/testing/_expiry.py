"""Lets the time of what people are asked about run out: it ends now, and the gate sees to the rest."""

from __future__ import annotations

from msgspec.structs import replace

from plangate_server.domain.events import Change, SessionChange
from plangate_server.ports import World, Writing
from plangate_server.usecases.overdue import settle_overdue


async def expire_review(world: World, workspace: str, approval_request_id: str) -> None:
    """Of a plan."""
    now = world.clock.now()

    def end(writing: Writing) -> None:
        plan = writing.plan_under_review(approval_request_id)
        if plan is not None:
            writing.save(Change(replace(plan, review=replace(plan.review, expire_time=now)), ()))

    await world.store.write(workspace, end)
    await settle_overdue(world)


async def expire_call(world: World, workspace: str, session_id: str, call_id: str) -> None:
    """Of a tool call."""
    now = world.clock.now()

    def end(writing: Writing) -> None:
        session, call = writing.session(session_id), writing.approval(session_id, call_id)
        if session is not None and call is not None:
            writing.save(SessionChange((session,), approvals=(replace(call, expire_time=now),)))

    await world.store.write(workspace, end)
    await settle_overdue(world)
