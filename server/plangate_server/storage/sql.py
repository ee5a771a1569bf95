"""The store over SQLAlchemy Core, the same for every database."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Final, TypeVar

from msgspec import Struct
from sqlalchemy import Connection, Engine, delete, func, select, update
from sqlalchemy.exc import DBAPIError, IntegrityError

from plangate_server.domain.errors import Refusal, StoreUnavailable
from plangate_server.domain.events import Cursors
from plangate_server.domain.plan import Plan
from plangate_server.ports import Reading, RequestKey, Writing
from plangate_server.storage import records
from plangate_server.storage.answers import Answers
from plangate_server.storage.driver import Driver
from plangate_server.storage.flush import Conflict, flush
from plangate_server.storage.looks import LockSession, Looks
from plangate_server.storage.numbering import LogEnd, Numbered
from plangate_server.storage.reading import SqlReading
from plangate_server.storage.recent import Recent
from plangate_server.storage.staging import Staged
from plangate_server.storage.tables import builds, events, logs, requests, reviews, workspaces
from plangate_server.storage.together import Key, Snapshot, Together
from plangate_server.storage.writer import Committed, Job, Writer, run_jobs

Result = TypeVar("Result")

READERS: Final = 4
TRIES: Final = 20


class Flavour(Struct, frozen=True):
    """What differs from database to database."""

    explain: Callable[[DBAPIError], Refusal | None]
    """What a caller can be told of an error; None if the statement is at fault, and so are we."""
    lock_session: LockSession = lambda connection, name: None
    must_retry: Callable[[DBAPIError], bool] = lambda error: isinstance(error, IntegrityError)
    """Whether another node was in the way."""
    announce: Callable[[Driver], object] = lambda driver: None
    """Tells other nodes, with the commit, that there is something new."""


class SqlStore:
    """Plans and events in a database: one connection writes, several read."""

    def __init__(
        self, writing: Engine, reading: Engine, publish: Callable[[Committed], object], flavour: Flavour
    ) -> None:
        self._writing = writing
        self._reading = reading
        self._flavour = flavour
        self._threads = ThreadPoolExecutor(READERS, thread_name_prefix="plangate-reader")
        self._connection: Connection | None = None
        self._recent = Recent()
        self._ends: dict[str, LogEnd] = {}
        self._snapshots = Together(self._take_snapshots)
        self.cursors = Cursors(self._log_id())
        self._writer = Writer(self._commit, publish)

    async def read(self, workspace: str, work: Callable[[Reading], Result]) -> Result:
        return await self._look(lambda connection: work(SqlReading(connection, workspace)))

    async def snapshot(self, workspace: str, plan_id: str) -> tuple[Plan, int] | None:
        return await self._snapshots.get((workspace, plan_id))

    async def write(
        self, workspace: str, work: Callable[[Writing], Result], key: RequestKey | None = None
    ) -> Result:
        result: Result = await self._writer.submit(workspace, work, key)
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
        if self._connection is not None:
            self._connection.close()
        self._threads.shutdown()

    async def _look(self, work: Callable[[Connection], Result]) -> Result:
        def look() -> Result:
            try:
                return self._look_now(work)
            except DBAPIError as error:
                raise self._flavour.explain(error) or error from error

        return await asyncio.get_running_loop().run_in_executor(self._threads, look)

    def _look_now(self, work: Callable[[Connection], Result]) -> Result:
        with self._reading.connect() as connection:
            try:
                with connection.begin():
                    return work(connection)
            except DBAPIError as error:
                if not error.connection_invalidated:
                    raise
            # It was lost since it was last used; there may well be another.
            with connection.begin():
                return work(connection)

    async def _take_snapshots(self, keys: Collection[Key]) -> Mapping[Key, Snapshot]:
        def look(connection: Connection) -> dict[Key, Snapshot]:
            found: dict[Key, Snapshot] = {}
            for workspace in {workspace for workspace, _ in keys}:
                reading = SqlReading(connection, workspace)
                last = reading.last_sequence()
                plans = reading.plans_with([id for own, id in keys if own == workspace])
                found |= {(workspace, plan.plan_id): (plan, last) for plan in plans}
            return found

        return await self._look(look)

    def _commit(self, jobs: list[Job]) -> Committed:
        try:
            return self._commit_in_the_end(jobs)
        except Exception:
            # Nobody knows what is stored now: ask the database.
            self._recent, self._ends = Recent(), {}
            raise

    def _commit_in_the_end(self, jobs: list[Job]) -> Committed:
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
        with self._line().begin():
            driver = Driver(self._line())
            answers = Answers(driver)
            looks = Looks(self._line(), self._recent, answers, self._flavour.lock_session)
            try:
                answers.look_for((job.workspace, job.key) for job in jobs if job.key)
                staged, log = self._run_and_flush(driver, jobs, looks)
            except (Conflict, DBAPIError) as error:
                self._recent.drop(looks.versions)
                if isinstance(error, DBAPIError) and error.connection_invalidated:
                    raise Conflict from error  # nothing was committed: there may well be another connection
                raise
        read = looks.versions
        versions = {id: read.get(id, 0) + 1 for id in staged.plans}
        self._recent.add(staged.plans, versions)
        self._ends |= {last.entry.workspace: LogEnd(last.entry.sequence, last.hash) for last in log}
        return Committed([entry.event for entry in log], staged.plans)

    def _run_and_flush(self, driver: Driver, jobs: list[Job], looks: Looks) -> tuple[Staged, list[Numbered]]:
        staged = run_jobs(jobs, looks)
        for job in jobs:
            if job.chore is not None:
                job.result = job.chore(self._line())
        log = flush(driver, staged, looks.versions, self._ends, records.microseconds(datetime.now(UTC)))
        if log:
            self._flavour.announce(driver)
        return staged, log

    def _line(self) -> Connection:
        """The writer's own connection, kept open: to borrow one costs more than a statement."""
        if self._connection is None:
            self._connection = self._writing.connect()
        return self._connection

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
