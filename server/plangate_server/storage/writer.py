"""The one writer of a node: it takes everything that waits and commits it as one transaction.

A commit costs a disk flush whatever it holds, so sharing one makes durability nearly free; and as the only
writer it makes the order of event numbers the order of commits.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Engine

from plangate_server.domain.events import Event
from plangate_server.ports import Writing
from plangate_server.storage.hub import Hub
from plangate_server.storage.transactions import SqlWriting

BATCH: Final = 256


@dataclass(slots=True)
class _Job:
    workspace: str
    work: Callable[[Writing], Any]
    answer: asyncio.Future[Any]
    result: Any = None
    error: Exception | None = None


class Writer:
    """Runs jobs in its own thread; answers them on the event loop after their commit."""

    def __init__(self, engine: Engine, hub: Hub) -> None:
        self._engine = engine
        self._hub = hub
        self._loop = asyncio.get_running_loop()
        self._changed = threading.Condition()
        self._waiting: list[_Job] = []
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="plangate-writer", daemon=True)
        self._thread.start()

    async def submit(self, workspace: str, work: Callable[[Writing], Any]) -> Any:
        """The result of the work, once it is durable. A caller that gives up does not undo it."""
        job = _Job(workspace, work, self._loop.create_future())
        with self._changed:
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
            events: list[Event] = []
            try:
                events = self._commit(batch)
            except Exception as error:
                for job in batch:
                    job.error = job.error or error
            self._loop.call_soon_threadsafe(self._settle, batch, events)

    def _next_batch(self) -> list[_Job]:
        """Everything that waits, at least one job; nothing once the writer is closed and done."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._closed)
            batch, self._waiting = self._waiting[:BATCH], self._waiting[BATCH:]
            return batch

    def _commit(self, batch: list[_Job]) -> list[Event]:
        events: list[Event] = []
        with self._engine.begin() as connection:
            for job in batch:
                writing = SqlWriting(connection, job.workspace)
                try:
                    with connection.begin_nested():
                        job.result = job.work(writing)
                except Exception as error:
                    job.error = error
                else:
                    events += writing.appended
        return events

    def _settle(self, batch: list[_Job], events: list[Event]) -> None:
        self._hub.publish(events)
        for job in batch:
            if job.answer.cancelled():
                continue
            if job.error is not None:
                job.answer.set_exception(job.error)
            else:
                job.answer.set_result(job.result)
