"""The store of a process that is the only one to write: it knows by heart what it committed last."""

from __future__ import annotations

from sqlalchemy import Engine

from plangate_server.domain.plan import Plan
from plangate_server.metrics import Metrics
from plangate_server.ports import Gate
from plangate_server.storage.committing import Flavour
from plangate_server.storage.gates import Gates
from plangate_server.storage.hub import Hub
from plangate_server.storage.jobs import Committed
from plangate_server.storage.recent import Recent
from plangate_server.storage.sql import SqlStore
from plangate_server.storage.tail import Tail


class SoleStore(SqlStore):
    """Shows recent plans and gates from a memory that is as new as the streams, so that a plan and its place
    in the log always fit together.
    """

    def __init__(
        self,
        writing: Engine,
        reading: Engine,
        hub: Hub,
        tail: Tail,
        flavour: Flavour,
        *,
        metrics: Metrics,
    ) -> None:
        self._hub = hub
        self._tail = tail
        self._shown = Recent()
        self._gates = Gates()
        super().__init__(writing, reading, self._publish, flavour, metrics)

    async def snapshot(self, workspace: str, plan_id: str) -> tuple[Plan, int] | None:
        known = self._shown.plan(plan_id, workspace)
        if known is not None:
            return known[0], self._hub.position(workspace)
        return await super().snapshot(workspace, plan_id)

    async def gate(self, workspace: str, session_id: str) -> Gate:
        gates = self._gates  # which is another one after a commit whose outcome is in doubt
        known = gates.get(workspace, session_id)
        if known is not None:
            return known
        gate, sequence = await self._gate_in_log(workspace, session_id)
        if sequence == self._hub.position(workspace):  # or something may have been committed since
            gates.put(workspace, session_id, gate)
        return gate

    def _publish(self, committed: Committed) -> None:
        if self._tail.committed(committed):
            self._shown.add(committed.plans)
            self._gates.changed(committed.sessions, committed.memories)
        else:
            self._shown = Recent()
            self._gates = Gates()
