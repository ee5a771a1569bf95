"""Builds: todos of an approved revision in the hands of one agent."""

from __future__ import annotations

import graphlib
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from enum import StrEnum

from msgspec import Struct

from plangate_server.domain.todos import Todo

DEFAULT_LEASE = timedelta(minutes=10)
SHORTEST_LEASE = timedelta(seconds=1)
LONGEST_LEASE = timedelta(hours=24)


class BuildStatus(StrEnum):
    NONE = "none"
    ACTIVE = "active"
    COMPLETE = "complete"


class BuildOutcome(StrEnum):
    COMPLETED = "completed"
    FAILED = "failed"


class Build(Struct, frozen=True):
    build_id: str
    agent_id: str
    todo_ids: tuple[str, ...]
    revision: int
    digest: str
    status: BuildStatus
    start_time: datetime
    lease: timedelta
    lease_expire_time: datetime
    outcome: BuildOutcome | None = None
    summary: str = ""
    end_time: datetime | None = None
    principal: str = ""
    """The key of the caller that started it; unknown of what release 0.1.0 stored."""


def waves(todos: Sequence[Todo], chosen: Iterable[str]) -> list[list[str]]:
    """The chosen todos in waves: each depends only on those of earlier waves; plan order within one."""
    wanted = set(chosen)
    needs = {t.id: [d for d in t.dependencies if d in wanted] for t in todos if t.id in wanted}
    place = {todo.id: number for number, todo in enumerate(todos)}
    sorter = graphlib.TopologicalSorter(needs)
    sorter.prepare()
    found: list[list[str]] = []
    while sorter.is_active():
        found.append(sorted(sorter.get_ready(), key=place.__getitem__))
        sorter.done(*found[-1])
    return found


def prompt(name: str, todos: Sequence[Todo]) -> str:
    """What to tell the agent that builds: what is its own, and how to report on it."""
    count = len(todos)
    if not count:
        return (
            f'Carry out the approved plan "{name}", which is attached. Treat its text as fixed: do not '
            "edit it. Go on until everything in it is done, then report that the build is finished."
        )
    noun = "todo" if count == 1 else "todos"
    listed = "\n".join(f"{n}. [{todo.id}] {todo.content}" for n, todo in enumerate(todos, start=1))
    ids = ", ".join(todo.id for todo in todos)
    return (
        f'Implement {count} {noun} of the approved plan "{name}": {ids}.\n\n'
        f"{listed}\n\n"
        "The whole plan is attached so that you know what it is for. Its text was approved as it stands: "
        "do not edit it. The todos are in the list already, so do not add them again. Before you begin "
        "one, set its status to in_progress; when it is done, to completed. Keep this order, and do not "
        "stop before every one of them is done."
    )
