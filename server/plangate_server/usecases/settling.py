"""Calls that wait are looked at again when what decides about them has changed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Final

from plangate_server.domain.approval_queue import settled
from plangate_server.domain.approvals import Approval
from plangate_server.domain.limits import KIB, MIB
from plangate_server.domain.remembering import Memory, Remembered
from plangate_server.domain.sessions import Session
from plangate_server.domain.tools import Verdict
from plangate_server.ports import Gate, World, Writing
from plangate_server.usecases.authorize_tool import judge
from plangate_server.usecases.lookup import the_approval

LOOKED_AT: Final = 64 * KIB
READ: Final = MIB
"""Characters of the calls that rules are asked about in one transaction, and of those that are read for that:
while it lasts, nobody else can write. The others wait for a person, and no rule is passed by: the rules are
asked again about what a person lets pass.
"""


class Settling:
    """Answers what a rule answers by now, in the transaction that changed it."""

    def __init__(self, world: World, now: datetime) -> None:
        self._world = world
        self._now = now

    def ended(self, writing: Writing, session: Session, memory: Iterable[Remembered]) -> list[Approval]:
        """The calls of the session that need no person any more, in the order in which they waited."""
        if not session.queue:
            return []
        gate = Gate(session, Memory(memory))

        def verdict(approval: Approval) -> Verdict:
            return judge(self._world, gate, approval.call())

        waiting = (the_approval(writing, session.session_id, call_id) for call_id in session.queue)
        return settled(_as_far_as_there_is_time(waiting), verdict, self._now)


def _as_far_as_there_is_time(waiting: Iterable[Approval]) -> Iterator[Approval]:
    """Calls in their order; those that are too long for what is left are not looked at, and go on waiting."""
    looked_at = read = 0
    for approval in waiting:
        size = len(approval.command)
        read += size
        if looked_at + size <= LOOKED_AT:
            looked_at += size
            yield approval
        if read > READ:
            return
