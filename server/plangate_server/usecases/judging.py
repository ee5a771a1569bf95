"""What the rules say to a tool call that is to be stored: worked out before the writer's turn, for it has one
thread, and to look through a long call takes long.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from typing import TypeVar

from msgspec import Struct

from plangate_server.domain.approvals import Approval
from plangate_server.domain.identity import Principal
from plangate_server.domain.policy import Policy
from plangate_server.domain.remembering import Memory, Remembered
from plangate_server.domain.sessions import Session, SessionMode
from plangate_server.domain.tools import Verdict
from plangate_server.ports import Gate, Reading, World
from plangate_server.usecases.authorize_tool import LONG, TRIES, is_long_call, judge

Result = TypeVar("Result")


class _Basis(Struct, frozen=True):
    """What a verdict rests on, beside the call."""

    mode: SessionMode
    full_access_by: str
    memory: Sequence[Remembered]

    @classmethod
    def of(cls, session: Session | None, memory: Sequence[Remembered], now: datetime) -> _Basis:
        """What is out of date by now is no part of it."""
        mode = session.mode if session else SessionMode.AGENT
        holding = [each for each in memory if each.holds(now)]
        return cls(mode, session.full_access_by if session else "", holding)


class _Moved(Exception):
    """What a verdict rested on is otherwise by now."""


class Judge:
    """Says what the rules say, in a transaction."""

    def __init__(
        self, world: World, beforehand: tuple[_Basis, Policy, Verdict] | None = None, *, patient: bool = False
    ) -> None:
        self._world = world
        self._beforehand = beforehand
        self._patient = patient

    def verdict(self, session: Session, memory: Sequence[Remembered], approval: Approval) -> Verdict:
        if self._beforehand is not None:
            basis, policy, verdict = self._beforehand
            now = self._world.clock.now()
            if policy is self._world.policies.current and basis == _Basis.of(session, memory, now):
                return verdict
        if self._patient and is_long(approval):
            raise _Moved
        return judge(self._world, Gate(session, Memory(memory)), approval.call())


async def judged(
    world: World,
    principal: Principal,
    find: Callable[[Reading], Approval | None],
    write: Callable[[Judge], Awaitable[Result]],
) -> Result:
    """Write with a judge who knows the call already, if it is long; again, where rules moved meanwhile."""
    for _ in range(TRIES):
        try:
            return await write(Judge(world, await _beforehand(world, principal, find), patient=True))
        except _Moved:
            continue
    return await write(Judge(world))


def is_long(approval: Approval) -> bool:
    """The same rule as AuthorizeTool's; what is long by its command alone is not read to find that out."""
    return len(approval.command) > LONG or is_long_call(approval.call())


async def _beforehand(
    world: World, principal: Principal, find: Callable[[Reading], Approval | None]
) -> tuple[_Basis, Policy, Verdict] | None:
    def look(reading: Reading) -> tuple[Approval, Session | None, Sequence[Remembered]] | None:
        approval = find(reading)
        if approval is None or not is_long(approval):
            return None
        session_id = approval.session_id
        return approval, reading.session(session_id), reading.memory(session_id)

    found = await world.store.read(principal.workspace, look)
    if found is None:
        return None
    approval, session, memory = found
    policy = world.policies.current
    basis = _Basis.of(session, memory, world.clock.now())

    def work() -> Verdict:
        return judge(world, Gate(session, Memory(memory)), approval.call())

    async with world.workers.place(principal.key):
        return basis, policy, await world.workers.run(principal.key, work)
