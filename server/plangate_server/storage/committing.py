"""Runs a batch of commands in one transaction, whatever the database."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Final

from msgspec import Struct
from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError, IntegrityError

from plangate_server.domain.errors import Refusal, StoreUnavailable
from plangate_server.storage import records
from plangate_server.storage.answers import Answers
from plangate_server.storage.driver import Driver
from plangate_server.storage.flush import Conflict, Flushed, flush
from plangate_server.storage.looks import Looks
from plangate_server.storage.numbering import LogEnd
from plangate_server.storage.recent import Recent
from plangate_server.storage.writer import Committed, Job, run_jobs

TRIES: Final = 20
ALONE: Final = 10
"""How many times in a row nobody else must have written to a log before we count on it."""


class Flavour(Struct, frozen=True):
    """What differs from database to database."""

    explain: Callable[[DBAPIError], Refusal | None]
    """What a caller can be told of an error; None if the statement is at fault, and so are we."""
    must_retry: Callable[[DBAPIError], bool] = lambda error: isinstance(error, IntegrityError)
    """Whether another node was in the way."""
    driver: Callable[[Connection], Driver] = Driver


class Committer:
    """Used by the writer's thread only; remembers what it committed last."""

    def __init__(self, engine: Engine, flavour: Flavour) -> None:
        self._engine = engine
        self._flavour = flavour
        self._connection: Connection | None = None
        self._recent = Recent()
        self._ends = Ends()

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()

    def __call__(self, jobs: list[Job]) -> Committed:
        """What was committed; an explained refusal if nothing was, or nobody knows."""
        try:
            return self._commit_in_the_end(jobs)
        except Exception:
            # Nobody knows what is stored now: ask the database.
            self._recent, self._ends = Recent(), Ends()
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
        driver = self._flavour.driver(self._line())
        with driver.transaction():
            answers = Answers(driver)
            looks = Looks(self._line(), self._recent, answers, driver)
            try:
                answers.look_for((job.workspace, job.key) for job in jobs if job.key)
                staged = run_jobs(jobs, looks)
                self._run_chores(jobs)
                flushed = flush(driver, staged, looks.versions, self._ends.known, _now())
            except (Conflict, DBAPIError) as error:
                self._recent.drop(looks.versions)
                self._ends.forget()
                if isinstance(error, DBAPIError) and error.connection_invalidated:
                    raise Conflict from error  # nothing was committed: there may well be another connection
                raise
        self._recent.add(staged.plans, looks.versions)
        self._ends.moved(flushed)
        return Committed([entry.event for entry in flushed.log], staged.plans)

    def _run_chores(self, jobs: list[Job]) -> None:
        for job in jobs:
            if job.chore is not None:
                job.result = job.chore(self._line())

    def _line(self) -> Connection:
        """The writer's own connection, kept open: to borrow one costs more than a statement."""
        if self._connection is None:
            self._connection = self._engine.connect()
        return self._connection


class Ends:
    """Where the logs end, as far as this node can tell: only while nobody else seems to write to them."""

    def __init__(self) -> None:
        self.known: dict[str, LogEnd] = {}
        self._last: dict[str, LogEnd] = {}
        self._alone: Counter[str] = Counter()

    def moved(self, flushed: Flushed) -> None:
        after = {last.entry.workspace: LogEnd(last.entry.sequence, last.hash) for last in flushed.log}
        for workspace, end in after.items():
            alone = flushed.before[workspace] == self._last.get(workspace)
            self._alone[workspace] = self._alone[workspace] + 1 if alone else 0
            self._last[workspace] = end
            if self._alone[workspace] >= ALONE:
                self.known[workspace] = end

    def forget(self) -> None:
        self.known = {}
        self._alone.clear()


def _now() -> int:
    return records.microseconds(datetime.now(UTC))
