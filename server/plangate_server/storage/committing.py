"""Runs a batch of commands in one transaction, whatever the database."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Final

from msgspec import Struct
from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError

from plangate_server.domain.errors import InvalidField, Refusal, StoreUnavailable
from plangate_server.storage.answers import Answers
from plangate_server.storage.byheart import Prepared, Script, prepare
from plangate_server.storage.driver import Driver
from plangate_server.storage.flush import Conflict, Flushing, RequestRepeated, flush
from plangate_server.storage.jobs import Committed, Job
from plangate_server.storage.looks import Looks
from plangate_server.storage.numbering import LogEnd
from plangate_server.storage.recent import Recent
from plangate_server.storage.staging import Staged
from plangate_server.storage.untaken import UNTAKEN, untaken

TRIES: Final = 20


class Flavour(Struct, frozen=True):
    """What differs from database to database."""

    explain: Callable[[DBAPIError], Refusal | None]
    """What a caller can be told of an error; None if the statement is at fault, and so are we."""
    driver: type[Driver]
    alone_after: int
    """How many times in a row nobody else must have written to a log before that is counted on."""
    must_retry: Callable[[DBAPIError], bool] = lambda error: False
    """Whether another node was in the way."""
    announcement: str = ""
    """The statement that tells other nodes, with the commit, that there is something new."""
    takes_writes: Callable[[Connection], bool] = lambda connection: True
    """Whether the database is not one that only lets itself be read."""


class Committer:
    """Remembers what it committed last. The event loop and the writer's thread use it in turns."""

    def __init__(self, engine: Engine, flavour: Flavour) -> None:
        self._engine = engine
        self._flavour = flavour
        self._connection: Connection | None = None
        self._recent = Recent()
        self._ends = Ends(flavour.alone_after)
        self.failing = False
        """Whether the last attempt to write something failed."""

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()

    def prepare(self, jobs: Sequence[Job]) -> tuple[Prepared | None, Sequence[Job], Sequence[Job]]:
        script = Script(self._flavour.driver.marks, self._flavour.announcement)
        return prepare(jobs, self._recent, self._ends.known, script)

    def commit(self, jobs: Sequence[Job], prepared: Prepared | None) -> Committed:
        """What was committed; an explained refusal if nothing was, or nobody knows."""
        try:
            return self._commit_taken(jobs, prepared)
        except Exception as error:
            self.failing = self.failing or not isinstance(error, InvalidField)
            # Nobody knows what is stored now: ask the database.
            self._recent, self._ends = Recent(), Ends(self._flavour.alone_after)
            raise

    def _commit_taken(self, jobs: Sequence[Job], prepared: Prepared | None) -> Committed:
        try:
            return self._commit_in_the_end(jobs, prepared)
        except UNTAKEN as error:
            raise untaken() from error

    def _commit_in_the_end(self, jobs: Sequence[Job], prepared: Prepared | None) -> Committed:
        """One transaction for all; again from the start where another node was in the way."""
        for attempt in range(TRIES):
            try:
                return self._store(prepared) if prepared and not attempt else self._run(jobs)
            except Conflict:
                continue
            except DBAPIError as error:
                if not self._flavour.must_retry(error):
                    raise self._flavour.explain(error) or error from error
        raise StoreUnavailable

    def _store(self, prepared: Prepared) -> Committed:
        driver = self._driver()
        with driver.transaction(), self._forgetting(lambda: prepared.versions):
            prepared.script.play(driver)
            prepared.flushing.check()
        return self._remembered(prepared.staged, prepared.versions, prepared.flushing)

    def _run(self, jobs: Sequence[Job]) -> Committed:
        driver = self._driver()
        answers = Answers(driver)
        looks = Looks(self._line(), self._recent, answers)
        with driver.transaction(), self._forgetting(lambda: looks.versions):
            answers.look_for((job.workspace, job.key) for job in jobs if job.key)
            staged = run_jobs(jobs, looks)
            flushing = flush(driver, staged, looks.versions, self._ends.known)
            flushing.check()
            self._run_chores(jobs)  # last, like the log, which they may lock
        return self._remembered(staged, looks.versions, flushing)

    @contextmanager
    def _forgetting(self, seen: Callable[[], Mapping[str, int]]) -> Iterator[None]:
        """What went wrong may be the fault of what we believed."""
        try:
            yield
        except RequestRepeated:
            raise  # which says nothing about plans and logs
        except (Conflict, DBAPIError) as error:
            self._recent.drop(seen())
            self._ends.forget()
            if isinstance(error, DBAPIError) and error.connection_invalidated:
                raise Conflict from error  # nothing was committed: there may well be another connection
            raise

    def _remembered(self, staged: Staged, versions: Mapping[str, int], flushing: Flushing) -> Committed:
        self.failing = self.failing and not flushing.log
        self._recent.add({**staged.plans, **staged.sessions}, versions)
        self._ends.moved(flushing)
        return Committed(
            [entry.event for entry in flushing.log],
            staged.plans,
            staged.sessions,
            frozenset(workspace for workspace, _ in staged.remembered.values()),
        )

    def _run_chores(self, jobs: Sequence[Job]) -> None:
        for job in jobs:
            if job.chore is not None:
                job.result = job.chore(self._line())

    def _driver(self) -> Driver:
        return self._flavour.driver(self._line(), self._flavour.announcement)

    def _line(self) -> Connection:
        """The writer's own connection, kept open: to borrow one costs more than a statement."""
        if self._connection is None:
            self._connection = self._engine.connect()
        return self._connection


class Ends:
    """Where the logs end, as far as this node can tell: only while nobody else seems to write to them."""

    def __init__(self, alone_after: int) -> None:
        self._alone_after = alone_after
        self.known: dict[str, LogEnd] = {}
        self._last: dict[str, LogEnd] = {}
        self._alone: Counter[str] = Counter()

    def moved(self, flushing: Flushing) -> None:
        after = {last.entry.workspace: LogEnd(last.entry.sequence, last.hash) for last in flushing.log}
        for workspace, end in after.items():
            alone = flushing.before[workspace] == self._last.get(workspace)
            self._alone[workspace] = self._alone[workspace] + 1 if alone else 0
            self._last[workspace] = end
            if self._alone[workspace] >= self._alone_after:
                self.known[workspace] = end

    def forget(self) -> None:
        self.known = {}
        self._alone.clear()


def run_jobs(jobs: Iterable[Job], looks: Looks) -> Staged:
    """Run every job on what is stored and on what the jobs before it did; a failed one leaves nothing."""
    batch = Staged()
    for job in jobs:
        if job.work is not None:
            known = looks.known(job.workspace)
            done = job.run(known, batch)
            if not done.writes(known.by_heart.asked):
                done = job.run(looks.fresh(job.workspace), batch)
            batch.absorb(done)
    return batch
