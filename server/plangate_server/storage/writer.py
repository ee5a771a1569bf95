"""The one writer of a node: it takes everything that waits and commits it as one transaction.

A commit costs a disk flush whatever it holds, so sharing one makes durability nearly free; and as the only
writer of its node it makes the order of event numbers the order of commits.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from msgspec import Struct
from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from plangate_server.domain.errors import StoreUnavailable
from plangate_server.domain.events import Event
from plangate_server.domain.plan import Plan
from plangate_server.ports import RequestKey, Writing
from plangate_server.storage.looks import Looks
from plangate_server.storage.staging import Staged, Staging, Stored

BATCH: Final = 256


@dataclass(slots=True)
class Job:
    """A command, or a chore: raw statements of the store's own."""

    answer: asyncio.Future[Any]
    workspace: str = ""
    work: Callable[[Writing], Any] | None = None
    key: RequestKey | None = None
    chore: Callable[[Connection], Any] | None = None
    result: Any = None
    error: Exception | None = None


class Committed(Struct, frozen=True):
    """What a batch has changed."""

    events: Sequence[Event] = ()
    plans: Mapping[str, Plan] = {}


class Committing(Protocol):
    """Runs a batch of jobs in one transaction and commits it."""

    def __call__(self, jobs: list[Job]) -> Committed:
        """What was committed. Raises if nothing was; the jobs then share its exception."""


def run_jobs(jobs: list[Job], looks: Looks) -> Staged:
    """Run every job on what is stored and on what the jobs before it did; a failed one leaves nothing."""
    batch = Staged()
    for job in jobs:
        if job.work is not None:
            known = looks.known(job.workspace)
            done = _run(job, known, batch)
            if not known.by_heart <= done.plans.keys():
                done = _run(job, looks.fresh(job.workspace), batch)
            batch.absorb(done)
    return batch


def _run(job: Job, stored: Stored, batch: Staged) -> Staged:
    """What the job wants written: nothing if it was refused."""
    assert job.work
    job.result = job.error = None
    staging = Staging(job.workspace, stored, batch)
    try:
        job.result = job.work(staging)
    except DBAPIError:
        raise  # not the job's fault: the whole batch meets it
    except StopIteration as error:
        job.error = RuntimeError("a command raised StopIteration")  # which no future can carry
        job.error.__cause__ = error
    except Exception as error:
        job.error = error
    return Staged() if job.error else staging.own


class Writer:
    """Runs jobs in its own thread; answers them on the event loop after their commit."""

    def __init__(self, commit: Committing, publish: Callable[[Committed], object]) -> None:
        self._commit = commit
        self._publish = publish
        self._loop = asyncio.get_running_loop()
        self._changed = threading.Condition()
        self._waiting: list[Job] = []
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="plangate-writer", daemon=True)
        self._thread.start()

    async def submit(self, workspace: str, work: Callable[[Writing], Any], key: RequestKey | None) -> Any:
        """The result of the work, once it is durable. A caller that gives up does not undo it."""
        return await self._enqueue(Job(self._loop.create_future(), workspace, work, key))

    async def submit_chore(self, chore: Callable[[Connection], Any]) -> Any:
        """The result of raw statements, run by the one connection that writes."""
        return await self._enqueue(Job(self._loop.create_future(), chore=chore))

    async def _enqueue(self, job: Job) -> Any:
        with self._changed:
            if self._closed:
                raise StoreUnavailable
            self._waiting.append(job)
            self._changed.notify()
        return await job.answer

    async def close(self) -> None:
        """Finish what was submitted, then stop."""
        with self._changed:
            self._closed = True
            self._changed.notify()
        await asyncio.to_thread(self._thread.join)

    def _run(self) -> None:
        while batch := self._next_batch():
            committed = Committed()
            try:
                committed = self._commit(batch)
            except Exception as error:
                for job in batch:
                    job.error = error  # what they were refused for may never have been stored either
            self._loop.call_soon_threadsafe(self._settle, batch, committed)

    def _next_batch(self) -> list[Job]:
        """Everything that waits, at least one job; nothing once the writer is closed and done."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._closed)
            batch, self._waiting = self._waiting[:BATCH], self._waiting[BATCH:]
            return batch

    def _settle(self, batch: list[Job], committed: Committed) -> None:
        try:
            self._publish(committed)
        finally:
            for job in batch:
                _answer(job)


def _answer(job: Job) -> None:
    if job.answer.cancelled():
        return
    if job.error is not None:
        job.answer.set_exception(job.error)
    else:
        job.answer.set_result(job.result)
