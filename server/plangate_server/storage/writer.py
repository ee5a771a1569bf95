"""The one writer of a node: it takes everything that waits and commits it as one transaction.

A commit costs a disk flush whatever it holds, so sharing one makes durability nearly free; and as the only
writer of its node it makes the order of event numbers the order of commits.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Sequence
from itertools import takewhile
from queue import SimpleQueue
from typing import Any, Final, Generic, Protocol, TypeVar

from sqlalchemy import Connection

from plangate_server.domain.errors import InvalidField, StorageFull, StoreUnavailable
from plangate_server.logs import Log
from plangate_server.metrics import Metrics, table
from plangate_server.ports import RequestKey, Writing
from plangate_server.storage.jobs import Committed, Job

Prepared = TypeVar("Prepared")

tell = Log(__name__)

BATCH: Final = 128
ONE_IN_THE_WAY: Final = (StorageFull, InvalidField)
"""What is certain to have stored nothing, and may be the fault of one job of many."""


class Committing(Protocol[Prepared]):
    """Commits batches of jobs, one after the other."""

    def prepare(self, jobs: Sequence[Job]) -> tuple[Prepared | None, Sequence[Job], Sequence[Job]]:
        """On the event loop: run what needs no look at the database.

        Gives the batch to commit, its jobs, and the jobs that must wait for the next one, which is then not
        prepared: those are run when they are committed.
        """

    def commit(self, jobs: Sequence[Job], prepared: Prepared | None) -> Committed:
        """In the writer's thread. Raises if nothing was committed; the jobs then share its exception."""


class Writer(Generic[Prepared]):
    """Lives on the event loop; commits in a thread of its own, and answers after the commit.

    The loop does what it can of the work: two threads that both run Python take turns, and lose more by that
    than the work is.
    """

    def __init__(
        self, committing: Committing[Prepared], publish: Callable[[Committed], object], metrics: Metrics
    ) -> None:
        self._committing = committing
        self._publish = publish
        self._batch_size = metrics.writer_batch_size
        metrics.read(table.WRITER_QUEUE_LENGTH, self._queue_length)
        self._loop = asyncio.get_running_loop()
        self._waiting: list[Job] = []
        self._postponed: Sequence[Job] = ()
        self._busy = False
        self._closed = False
        self._idle = asyncio.Event()
        self._idle.set()
        self._batches: SimpleQueue[tuple[Sequence[Job], Prepared | None] | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="plangate-writer", daemon=True)
        self._thread.start()

    async def submit(self, workspace: str, work: Callable[[Writing], Any], key: RequestKey | None) -> Any:
        """The result of the work, once it is durable. A caller that gives up does not undo it."""
        return await self._enqueue(Job(self._loop.create_future(), workspace, work, key))

    async def submit_chore(self, chore: Callable[[Connection], Any]) -> Any:
        """The result of raw statements, run by the one connection that writes."""
        return await self._enqueue(Job(self._loop.create_future(), chore=chore))

    async def _enqueue(self, job: Job) -> Any:
        if self._closed:
            raise StoreUnavailable
        self._waiting.append(job)
        if not self._busy:
            self._busy = True
            self._idle.clear()
            self._loop.call_soon(self._begin)  # others of this very moment come along
        return await job.answer

    async def close(self) -> None:
        """Finish what was submitted, then stop."""
        self._closed = True
        await self._idle.wait()
        self._batches.put(None)
        await asyncio.to_thread(self._thread.join)

    def _queue_length(self) -> int:
        return len(self._waiting) + len(self._postponed)

    def _begin(self) -> None:
        """Hand the next batch to the thread; or rest, if nothing waits."""
        if self._postponed:
            batch, self._postponed = self._postponed, ()
            self._batches.put((batch, None))
        elif self._waiting:
            size = _in_one_commit(self._waiting)
            taken, self._waiting = self._waiting[:size], self._waiting[size:]
            prepared, batch, self._postponed = self._prepare(taken)
            self._batches.put((batch, prepared))
        else:
            self._busy = False
            self._idle.set()

    def _prepare(self, jobs: Sequence[Job]) -> tuple[Prepared | None, Sequence[Job], Sequence[Job]]:
        try:
            return self._committing.prepare(jobs)
        except Exception as error:
            # The thread does without, and its error reaches whoever waits; nobody would wait for ever.
            tell.fault("batch_failed", "a batch could not be prepared", error)
            return None, jobs, ()

    def _run(self) -> None:
        while (taken := self._batches.get()) is not None:
            batch, prepared = taken
            self._loop.call_soon_threadsafe(self._settle, batch, self._commit(batch, prepared))

    def _commit(self, batch: Sequence[Job], prepared: Prepared | None) -> Sequence[Committed]:
        """What was committed, in its order.

        Where one job of many may have been in the way of the others, each has another try of its own.
        """
        try:
            return [self._committing.commit(batch, prepared)]
        except Exception as error:
            if len(batch) > 1 and isinstance(error, ONE_IN_THE_WAY):
                return [each for job in batch for each in self._commit([job], None)]
            for job in batch:
                job.error = error  # what they were refused for may never have been stored either
            return [Committed(in_doubt=True)]

    def _settle(self, batch: Sequence[Job], committed: Sequence[Committed]) -> None:
        self._batch_size.observe(len(batch))
        try:
            for each in committed:
                self._publish(each)
        finally:
            for job in batch:
                job.settle()
            self._loop.call_soon(self._begin)  # what has arrived by now comes along


def _in_one_commit(waiting: Sequence[Job]) -> int:
    """How many share the next commit: a chore has one of its own, so that nobody else fails with it."""
    shares = sum(1 for _ in takewhile(lambda job: job.chore is None, waiting[:BATCH]))
    return max(shares, 1)
