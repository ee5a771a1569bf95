"""The store over SQLAlchemy Core, the same for every database."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Final, TypeVar

from msgspec import Struct
from sqlalchemy import Connection, Engine, delete, func, select, update
from sqlalchemy.exc import DBAPIError, IntegrityError

from plangate_server.domain.errors import Refusal, StoreUnavailable
from plangate_server.domain.events import Cursors
from plangate_server.domain.plan import Plan
from plangate_server.ports import Reading, Writing
from plangate_server.storage import records
from plangate_server.storage.flush import Conflict, flush
from plangate_server.storage.reading import SqlReading
from plangate_server.storage.tables import builds, events, logs, requests, reviews, workspaces
from plangate_server.storage.writer import Committed, Job, Writer, run_jobs

Result = TypeVar("Result")

READERS: Final = 4
TRIES: Final = 20


class Flavour(Struct, frozen=True):
    """What differs from database to database."""

    explain: Callable[[DBAPIError], Refusal | None]
    """What a caller can be told of an error; None if the statement is at fault, and so are we."""
    lookup: Callable[[Connection, str], SqlReading] = SqlReading
    """How a command looks at what it is about to change, in a workspace."""
    must_retry: Callable[[DBAPIError], bool] = lambda error: isinstance(error, IntegrityError)
    """Whether another node was in the way."""
    announce: Callable[[Connection], None] = lambda connection: None
    """Tells other nodes, with the commit, that there is something new."""
    shared: bool = True
    """Whether other nodes write to the database, too."""


class SqlStore:
    """Plans and events in a database: one connection writes, several read."""

    def __init__(
        self, writing: Engine, reading: Engine, publish: Callable[[Committed], None], flavour: Flavour
    ) -> None:
        self._writing = writing
        self._reading = reading
        self._flavour = flavour
        self._threads = ThreadPoolExecutor(READERS, thread_name_prefix="plangate-reader")
        self.cursors = Cursors(self._log_id())
        self._writer = Writer(self._commit, publish)

    async def read(self, workspace: str, work: Callable[[Reading], Result]) -> Result:
        return await self._look(lambda connection: work(SqlReading(connection, workspace)))

    async def snapshot(self, workspace: str, plan_id: str) -> tuple[Plan, int] | None:
        def look(reading: Reading) -> tuple[Plan, int] | None:
            plan = reading.plan(plan_id)
            return (plan, reading.last_sequence()) if plan else None

        return await self.read(workspace, look)

    async def write(self, workspace: str, work: Callable[[Writing], Result]) -> Result:
        result: Result = await self._writer.submit(workspace, work)
        return result

    async def overdue(self, now: datetime, limit: int) -> Sequence[tuple[str, str]]:
        moment = records.microseconds(now)

        def look(connection: Connection) -> list[tuple[str, str]]:
            late: list[tuple[str, str]] = []
            for table in (reviews, builds):
                query = select(table.c.workspace, table.c.plan_id).where(table.c.due <= moment)
                late += [(row.workspace, row.plan_id) for row in connection.execute(query.limit(limit))]
            return late[:limit]

        return await self._look(look)

    async def heads(self) -> dict[str, int]:
        """The number of the newest event of every workspace."""
        query = select(workspaces.c.workspace, workspaces.c.last_sequence)
        rows = await self._look(lambda connection: connection.execute(query).all())
        return {row.workspace: row.last_sequence for row in rows}

    async def forget(self, *, events_before: datetime | None, requests_before: datetime) -> None:
        await self._writer.submit_chore(_forget_requests(requests_before))
        if events_before is not None:
            await self._writer.submit_chore(_forget_events(events_before))

    async def close(self) -> None:
        await self._writer.close()
        self._threads.shutdown()

    async def _look(self, work: Callable[[Connection], Result]) -> Result:
        def look() -> Result:
            try:
                with self._reading.begin() as connection:
                    return work(connection)
            except DBAPIError as error:
                raise self._flavour.explain(error) or error from error

        return await asyncio.get_running_loop().run_in_executor(self._threads, look)

    def _commit(self, jobs: list[Job]) -> Committed:
        """One transaction for all; again from the start where another node was in the way."""
        for _ in range(TRIES):
            try:
                return self._try_commit(jobs)
            except Conflict:
                continue
            except DBAPIError as error:
                if not self._flavour.must_retry(error):
                    raise self._flavour.explain(error) or error from error
        raise StoreUnavailable

    def _try_commit(self, jobs: list[Job]) -> Committed:
        with self._writing.begin() as connection:
            readings: dict[str, SqlReading] = {}

            def stored(workspace: str) -> SqlReading:
                return readings.setdefault(workspace, self._flavour.lookup(connection, workspace))

            staged = run_jobs(jobs, stored)
            versions = None
            if self._flavour.shared:
                versions = {id: v for reading in readings.values() for id, v in reading.versions.items()}
            for job in jobs:
                if job.chore is not None:
                    job.result = job.chore(connection)
            told = flush(connection, staged, versions, records.microseconds(datetime.now(UTC)))
            if told:
                self._flavour.announce(connection)
        return Committed(told, staged.plans.values())

    def _log_id(self) -> str:
        with self._writing.begin() as connection:
            log_id: str = connection.execute(select(logs.c.log_id)).scalar_one()
            return log_id


def _forget_requests(before: datetime) -> Callable[[Connection], None]:
    def chore(connection: Connection) -> None:
        connection.execute(delete(requests).where(requests.c.time < records.microseconds(before)))

    return chore


def _forget_events(before: datetime) -> Callable[[Connection], None]:
    """Content goes, entries stay: the chain holds on, and cursors into the gap are refused."""
    old = events.c.time < records.microseconds(before)

    def chore(connection: Connection) -> None:
        last = select(events.c.workspace, func.max(events.c.sequence)).where(old)
        newest = connection.execute(last.group_by(events.c.workspace)).all()
        for workspace, sequence in newest:
            connection.execute(
                update(workspaces)
                .where(workspaces.c.workspace == workspace, workspaces.c.forgotten_sequence < sequence)
                .values(forgotten_sequence=sequence)
            )
            connection.execute(
                update(events)
                .where(events.c.workspace == workspace, events.c.sequence <= sequence)
                .where(events.c.body.is_not(None))
                .values(body=None)
            )

    return chore
