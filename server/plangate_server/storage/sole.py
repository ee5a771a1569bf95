"""The store of a process that is the only one to write: it knows by heart what it committed last."""

from __future__ import annotations

from sqlalchemy import Engine

from plangate_server.domain.plan import Plan
from plangate_server.storage.committing import Flavour
from plangate_server.storage.hub import Hub
from plangate_server.storage.jobs import Committed
from plangate_server.storage.recent import Recent
from plangate_server.storage.sql import SqlStore
from plangate_server.storage.tail import Tail


class SoleStore(SqlStore):
    """Shows recent plans from a memory that is as new as the streams, so that a plan and its place in the
    log always fit together.
    """

    def __init__(
        self,
        writing: Engine,
        reading: Engine,
        hub: Hub,
        tail: Tail,
        flavour: Flavour,
    ) -> None:
        self._hub = hub
        self._tail = tail
        self._shown = Recent()
        super().__init__(writing, reading, self._publish, flavour)

    async def snapshot(self, workspace: str, plan_id: str) -> tuple[Plan, int] | None:
        known = self._shown.plan(plan_id, workspace)
        if known is not None:
            return known[0], self._hub.position(workspace)
        return await super().snapshot(workspace, plan_id)

    def _publish(self, committed: Committed) -> None:
        if self._tail.committed(committed):
            self._shown.add(committed.plans)
        else:
            self._shown = Recent()
