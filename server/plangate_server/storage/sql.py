"""The store over SQLAlchemy Core, the same for every database."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from typing import Final, TypeVar

from sqlalchemy import Connection, Engine, select
from sqlalchemy.exc import DBAPIError

from plangate_server.domain.credentials import Credential
from plangate_server.domain.errors import StoreUnavailable
from plangate_server.domain.events import Cursors, LogEvent
from plangate_server.domain.plan import Plan
from plangate_server.metrics import Metrics
from plangate_server.ports import Gate, Reading, RequestKey, Waiting, Writing
from plangate_server.storage import records
from plangate_server.storage.committing import Committer, Flavour
from plangate_server.storage.credential_reading import count_credentials, credentials_in_force
from plangate_server.storage.ended import EVERYWHERE, IN_EACH_WORKSPACE, forget_tokens, names_of_workspaces
from plangate_server.storage.gate_looks import PlacedGate, look_at_gates
from plangate_server.storage.jobs import Committed
from plangate_server.storage.measuring import counting_decisions
from plangate_server.storage.own_line import OwnLine
from plangate_server.storage.reading import SqlReading
from plangate_server.storage.retention import forget_events, forget_remembered, forget_requests
from plangate_server.storage.snapshots import Snapshot, take_snapshots
from plangate_server.storage.tables import approvals, builds, logs, reviews, workspaces
from plangate_server.storage.together import Key, Together
from plangate_server.storage.trial import write_trial
from plangate_server.storage.untaken import UNTAKEN, untaken
from plangate_server.storage.waiting import count_waiting
from plangate_server.storage.writer import Writer

Result = TypeVar("Result")

READERS: Final = 4
CONNECTIONS: Final = READERS + 2
"""One for each reader, and one each for looks at plans and at gates."""


class SqlStore:
    """Plans and events in a database: one connection writes, several read."""

    def __init__(
        self,
        writing: Engine,
        reading: Engine,
        publish: Callable[[Committed], object],
        flavour: Flavour,
        metrics: Metrics,
    ) -> None:
        self._writing = writing
        self._reading = reading
        self._flavour = flavour
        self._threads = ThreadPoolExecutor(READERS, thread_name_prefix="plangate-reader")
        self._committer = Committer(writing, flavour)
        self._plan_line = OwnLine(reading, flavour.driver)
        self._gate_line = OwnLine(reading, flavour.driver)
        self._plans_together = Together(self._take_snapshots)
        self._gates_together = Together(self._look_at_gates)
        self.cursors = Cursors(self._log_id())
        self._writer = Writer(self._committer, counting_decisions(publish, metrics), metrics)

    async def read(self, workspace: str, work: Callable[[Reading], Result]) -> Result:
        return await self._look(lambda connection: work(SqlReading(connection, workspace)))

    async def snapshot(self, workspace: str, plan_id: str) -> tuple[Plan, int] | None:
        return await self._plans_together.get((workspace, plan_id))

    async def gate(self, workspace: str, session_id: str) -> Gate:
        gate, _ = await self._gate_in_log(workspace, session_id)
        return gate

    async def _gate_in_log(self, workspace: str, session_id: str) -> PlacedGate:
        found = await self._gates_together.get((workspace, session_id))
        assert found, "there is a gate for every session, also for those that nobody named yet"
        return found

    async def write(
        self, workspace: str, work: Callable[[Writing], Result], key: RequestKey | None = None
    ) -> Result:
        result: Result = await self._writer.submit(workspace, work, key)
        return result

    async def events_of(
        self, workspace: str, plan_ids: Collection[str], between: tuple[int, int], limit: int
    ) -> Sequence[LogEvent]:
        """Events of the plans, or of all if none is named, after one number and up to another."""

        def look(connection: Connection) -> Sequence[LogEvent]:
            return SqlReading(connection, workspace).events_of(plan_ids, between, limit)

        return await self._look(look)

    async def check(self) -> None:
        if not await self._look(self._can_be_used):
            raise StoreUnavailable
        if self._committer.failing or await self._in_thread(self._is_nearly_full):
            await self.in_transaction(write_trial)
            self._committer.failing = False

    def _can_be_used(self, connection: Connection) -> bool:
        connection.execute(select(logs.c.log_id)).one()
        return self._flavour.takes_writes(connection)

    def _is_nearly_full(self) -> bool:
        """Whether the next write may well find no room; False where that cannot be seen beforehand."""
        return False

    async def credentials_in_force(self, now: datetime) -> Sequence[Credential]:
        return await self._look(lambda connection: credentials_in_force(connection, now))

    async def count_credentials(self) -> tuple[int, int, str]:
        return await self._look(count_credentials)

    async def overdue(self, now: datetime, limit: int) -> Sequence[tuple[str, str]]:
        moment = records.microseconds(now)

        def look(connection: Connection) -> list[tuple[str, str]]:
            late: list[tuple[str, str]] = []
            for table in (reviews, builds):
                query = select(table.c.workspace, table.c.plan_id).where(table.c.due <= moment)
                late += [(row.workspace, row.plan_id) for row in connection.execute(query.limit(limit))]
            return late[:limit]

        return await self._look(look)

    async def overdue_calls(self, now: datetime, limit: int) -> Sequence[tuple[str, str, str]]:
        columns = (approvals.c.workspace, approvals.c.session_id, approvals.c.call_id)
        query = select(*columns).where(approvals.c.due <= records.microseconds(now)).limit(limit)
        rows = await self._look(lambda connection: connection.execute(query).all())
        return [(row.workspace, row.session_id, row.call_id) for row in rows]

    async def waiting(self) -> Waiting:
        return await self._look(count_waiting)

    async def heads(self) -> dict[str, int]:
        """The number of the newest event of every workspace."""
        query = select(workspaces.c.workspace, workspaces.c.last_sequence)
        rows = await self._look(lambda connection: connection.execute(query).all())
        return {row.workspace: row.last_sequence for row in rows}

    async def forget(self, *, events_before: datetime | None, requests_before: datetime) -> None:
        await self.in_transaction(forget_requests(requests_before))
        await self.in_transaction(forget_remembered(requests_before))
        if events_before is not None:
            await self.in_transaction(forget_events(events_before))

    async def forget_ended(self, before: datetime) -> None:
        await self.in_transaction(forget_tokens(before))
        named = await self._look(names_of_workspaces)
        kinds = [(kind, "") for kind in EVERYWHERE] + [
            (kind, name) for name in named for kind in IN_EACH_WORKSPACE
        ]
        for kind, workspace in kinds:
            last = await self.in_transaction(kind(workspace, "", before))
            while last:
                last = await self.in_transaction(kind(workspace, last, before))

    async def close(self) -> None:
        await self._writer.close()
        self._threads.shutdown()
        self._committer.close()
        self._plan_line.close()
        self._gate_line.close()

    async def in_transaction(self, work: Callable[[Connection], Result]) -> Result:
        """Statements of the store's own, run by the one connection that writes."""
        result: Result = await self._writer.submit_chore(work)
        return result

    async def _look(self, work: Callable[[Connection], Result]) -> Result:
        def look() -> Result:
            with self._reading.begin() as connection:
                return work(connection)

        return await self._in_thread(look)

    async def _in_thread(self, work: Callable[[], Result]) -> Result:
        def explained() -> Result:
            try:
                return work()
            except DBAPIError as error:
                raise self._flavour.explain(error) or error from error
            except UNTAKEN as error:
                raise untaken() from error

        return await asyncio.get_running_loop().run_in_executor(self._threads, explained)

    async def _take_snapshots(self, keys: Collection[Key]) -> Mapping[Key, Snapshot]:
        return await self._in_thread(
            lambda: self._plan_line.look(lambda driver: take_snapshots(driver, keys))
        )

    async def _look_at_gates(self, keys: Collection[Key]) -> Mapping[Key, PlacedGate]:
        return await self._in_thread(lambda: self._gate_line.look(lambda driver: look_at_gates(driver, keys)))

    def _log_id(self) -> str:
        with self._writing.begin() as connection:
            log_id: str = connection.execute(select(logs.c.log_id)).scalar_one()
            return log_id
