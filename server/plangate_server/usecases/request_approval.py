"""RequestApproval: ask for a tool call and wait for the answer."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from datetime import timedelta
from functools import partial

from msgspec import Struct
from msgspec.structs import replace

from plangate_server.domain.approval_queue import ask
from plangate_server.domain.approvals import Approval, check_call
from plangate_server.domain.errors import CallIdReused
from plangate_server.domain.events import LogEvent, SessionChange, SessionEvent
from plangate_server.domain.identity import Principal
from plangate_server.domain.plan import plan_id_of
from plangate_server.domain.policy import shorter
from plangate_server.domain.sessions import Session, begin
from plangate_server.ports import EventFilter, World, Writing
from plangate_server.usecases.judging import Judge, is_long, judged
from plangate_server.usecases.once import write_once
from plangate_server.usecases.streams import CHECKPOINT_SECONDS
from plangate_server.usecases.work_of_call import Work, plan_of


class RequestApproval(Struct, frozen=True):
    approval: Approval
    """As the agent asks for it; the service adds what only it knows."""
    work: Work = Work()
    expires_after: timedelta | None = None


class Standing(Struct, frozen=True):
    """Where a call is: how many are before it, or what became of it."""

    approval: Approval
    position: int


def standing(approval: Approval, session: Session | None) -> Standing:
    waits = session is not None and approval.call_id in session.queue
    return Standing(approval, session.queue.index(approval.call_id) if session and waits else 0)


async def request_approval(
    world: World, principal: Principal, command: RequestApproval
) -> AsyncGenerator[Standing]:
    """Where the call stands, each time that changes, until it has ended."""
    asked = command.approval
    check_call(asked, command.expires_after)
    with world.feed.follow(principal.workspace, EventFilter(session_id=asked.session_id)) as stream:
        change = await _ask(world, principal, command)
        now = standing(change.approval, change.session)
        yield now
        while now.approval.waits:
            event = await stream.next(CHECKPOINT_SECONDS)
            later = _after(now, event)
            if later is not None:
                yield later
                now = later


def _after(before: Standing, event: LogEvent | None) -> Standing | None:
    """Where the call stands after an event; None if it is still where it was."""
    if not isinstance(event, SessionEvent) or event.session is None:
        return None
    call_id = before.approval.call_id
    if event.approval is not None and event.approval.call_id == call_id and not event.approval.waits:
        return Standing(event.approval, 0)
    if call_id not in event.session.queue:
        return None  # an event from before the call was asked for
    position = event.session.queue.index(call_id)
    # Calls only move up: an event that tells otherwise is older than what was told.
    return replace(before, position=position) if position < before.position else None


async def _ask(world: World, principal: Principal, command: RequestApproval) -> SessionChange:
    approval_id, token, now = world.ids.new(), world.ids.secret(), world.clock.now()
    shortest = shorter(command.expires_after, world.policies.current.calls.expires_after)
    fresh = replace(
        command.approval,
        approval_id=approval_id,
        workspace=principal.workspace,
        requested_by=command.approval.agent_id or principal.name,
        role=principal.role,
        person=principal.person,
        principal=principal.key,
        request_time=now,
        expire_time=now + shortest if shortest else None,
    )

    def record(judge: Judge, writing: Writing) -> SessionChange:
        session = writing.session(fresh.session_id) or begin(principal.workspace, fresh.session_id, now)
        before = writing.approval(fresh.session_id, fresh.call_id)
        if before is not None:
            return _joined(session, before, fresh, command.work)
        approval = _tied(writing, principal, fresh, command.work)
        verdict = judge.verdict(session, writing.memory(session.session_id), approval)
        return ask(session, approval, verdict, token, now)

    async def write(judge: Judge) -> SessionChange:
        return await write_once(world, principal, None, partial(record, judge))

    if not is_long(fresh):
        return await write(Judge(world))
    return await judged(world, principal, lambda _: fresh, write)


def _joined(session: Session, before: Approval, fresh: Approval, work: Work) -> SessionChange:
    """The call that was asked for before under this id, if it is the same."""
    other_plan = bool(work.plan_uri) and plan_id_of(work.plan_uri) != before.plan_id
    if other_plan or not before.is_same(fresh):
        raise CallIdReused(fresh.session_id, fresh.call_id)
    return SessionChange((session,), (), (before,))


def _tied(writing: Writing, principal: Principal, approval: Approval, work: Work) -> Approval:
    plan = plan_of(writing, principal, work, approval.request_time)
    return replace(approval, plan_id=plan.plan_id) if plan else approval
