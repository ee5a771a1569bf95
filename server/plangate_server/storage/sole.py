"""The store of a process that is the only one to write: it knows by heart what it committed last."""

from __future__ import annotations

from collections.abc import Callable

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError

from plangate_server.domain.errors import Refusal
from plangate_server.domain.plan import Plan
from plangate_server.storage.hub import Hub
from plangate_server.storage.reading import SqlReading
from plangate_server.storage.recent import Recent
from plangate_server.storage.sql import Flavour, SqlStore
from plangate_server.storage.writer import Committed, Job


class _KnowingReading(SqlReading):
    """What a command sees: the plans that were committed last need not be read."""

    def __init__(self, connection: Connection, workspace: str, recent: Recent) -> None:
        super().__init__(connection, workspace)
        self._recent = recent

    def plan(self, plan_id: str) -> Plan | None:
        return self._recent.plan(plan_id, self._workspace) or super().plan(plan_id)

    def plan_under_review(self, approval_request_id: str) -> Plan | None:
        known = self._recent.plan_under_review(approval_request_id, self._workspace)
        return known or super().plan_under_review(approval_request_id)


class SoleStore(SqlStore):
    """Keeps two memories: the writer's thread has one, the event loop another that is as new as the
    streams, so that a plan and its place in the log always fit together.
    """

    def __init__(
        self, writing: Engine, reading: Engine, hub: Hub, explain: Callable[[DBAPIError], Refusal | None]
    ) -> None:
        self._hub = hub
        self._written = Recent()
        self._shown = Recent()
        self._in_doubt = False

        def lookup(connection: Connection, workspace: str) -> SqlReading:
            return _KnowingReading(connection, workspace, self._written)

        super().__init__(writing, reading, self._publish, Flavour(explain, lookup, shared=False))

    async def begin(self) -> None:
        """Start the streams from the ends of the logs as they are now."""
        for workspace, last in (await self.heads()).items():
            self._hub.skip_to(workspace, last)

    async def snapshot(self, workspace: str, plan_id: str) -> tuple[Plan, int] | None:
        known = self._shown.plan(plan_id, workspace)
        if known is not None:
            return known, self._hub.position(workspace)
        return await super().snapshot(workspace, plan_id)

    def _commit(self, jobs: list[Job]) -> Committed:
        try:
            committed = super()._commit(jobs)
        except Exception:
            # Nobody knows what is stored now: ask the database.
            self._written = Recent()
            self._in_doubt = True
            raise
        self._written.add(committed.plans)
        return committed

    def _publish(self, committed: Committed) -> None:
        if self._in_doubt:
            self._in_doubt, self._shown = False, Recent()
        self._shown.add(committed.plans)
        self._hub.publish(committed.events)
