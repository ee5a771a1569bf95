"""AuthorizeTool: whether a tool may be used now. Changes nothing."""

from __future__ import annotations

from datetime import datetime
from functools import partial
from typing import Final

from msgspec import Struct

from plangate_server.domain import limits
from plangate_server.domain.approvals import correlation_id
from plangate_server.domain.authorization import Situation, authorize
from plangate_server.domain.errors import MissingField
from plangate_server.domain.identity import Principal
from plangate_server.domain.plan import Plan
from plangate_server.domain.sessions import SessionMode
from plangate_server.domain.tools import Call, Verdict
from plangate_server.ports import Gate, World
from plangate_server.usecases.work_of_call import Work, plan_of

TRIES: Final = 5
MANY_TEXTS: Final = 32
"""Each may be in the folder that another one names, so that many take as long as a long one."""
LONG: Final = 2048
"""In characters. What denies looks through all of it, which takes time that others should not wait."""


class Authorized(Struct, frozen=True):
    verdict: Verdict
    correlation_id: str


async def authorize_tool(
    world: World, principal: Principal, session_id: str, call: Call, work: Work
) -> Authorized:
    """The verdict. A subagent names its parent's session, and what holds there holds for it."""
    _check(session_id, call)
    plan = await _plan(world, principal, work)
    if is_long_call(call):
        verdict = await _judged_apart(world, principal, session_id, call)
    else:
        verdict = judge(world, await world.store.gate(principal.workspace, session_id), call)
    tied = correlation_id(session_id, plan.plan_id if plan else "", work.build_id, work.todo_id)
    return Authorized(verdict, tied)


def is_long_call(call: Call) -> bool:
    return len(call.command) + len(call.arguments) > LONG or len(call.texts) > MANY_TEXTS


async def _judged_apart(world: World, principal: Principal, session_id: str, call: Call) -> Verdict:
    """The verdict of a worker, if what it rests on is still the same after the wait for it."""
    async with world.workers.place(principal.key):
        for _ in range(TRIES):
            gate, policy = await world.store.gate(principal.workspace, session_id), world.policies.current
            began = world.clock.now()
            verdict = await world.workers.run(principal.key, partial(judge, world, gate, call))
            after = await world.store.gate(principal.workspace, session_id)
            if policy is world.policies.current and _is_same(gate, began, after, world.clock.now()):
                return verdict
    return judge(world, await world.store.gate(principal.workspace, session_id), call)


def _is_same(before: Gate, began: datetime, after: Gate, now: datetime) -> bool:
    """Whether two gates say the same, each at its time: what is remembered may have run out since."""
    old, new = before.session, after.session
    return (
        (old.mode if old else None, old.full_access_by if old else "")
        == (new.mode if new else None, new.full_access_by if new else "")
    ) and before.memory.in_force(began) == after.memory.in_force(now)


def judge(world: World, gate: Gate, call: Call) -> Verdict:
    """What the rules say, as things are now."""
    session = gate.session
    situation = Situation(
        call,
        session.mode if session else SessionMode.AGENT,
        world.policies.current,
        gate.memory,
        world.clock.now(),
        session.full_access_by if session else "",
    )
    return authorize(situation)


async def _plan(world: World, principal: Principal, work: Work) -> Plan | None:
    if not work:
        return None
    now = world.clock.now()
    return await world.store.read(principal.workspace, lambda reading: plan_of(reading, principal, work, now))


def _check(session_id: str, call: Call) -> None:
    if not session_id:
        raise MissingField("session_id", "say which session the call is of")
    if not call.tool:
        raise MissingField("tool_name", "say which tool would be used")
    limits.check_id("session_id", session_id)
    limits.check_id("tool_name", call.tool)
    limits.check_id("agent_id", call.agent_id)
    limits.check_bytes("command", call.command, "command_bytes", limits.COMMAND_BYTES)
    limits.check_bytes("arguments", call.arguments, "command_bytes", limits.COMMAND_BYTES)
