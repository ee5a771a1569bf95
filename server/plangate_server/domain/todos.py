"""Todos: what is to be done, what must come before it, and how far it has come."""

from __future__ import annotations

import graphlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from itertools import chain, count

from msgspec import Struct
from msgspec.structs import replace

from plangate_server.domain.errors import (
    DependencyCycle,
    DuplicateTodoId,
    MissingField,
    UnknownDependency,
)
from plangate_server.domain.limits import DEFAULTS, Limits, check_bytes, check_count, check_id
from plangate_server.domain.tools import Access


class TodoStatus(StrEnum):
    PENDING = "pending"
    IN_PROGRESS = "in_progress"
    COMPLETED = "completed"
    CANCELLED = "cancelled"


class Todo(Struct, frozen=True):
    """The content of a todo. Its progress stands beside it: progress makes no new revision."""

    id: str
    content: str
    dependencies: tuple[str, ...] = ()


class TodoProgress(Struct, frozen=True):
    status: TodoStatus
    create_time: datetime
    update_time: datetime


class TodoHint(Struct, frozen=True):
    """What the agent knows of a todo that is not part of the plan's content."""

    agent: str = ""
    estimated_time: timedelta | None = None
    access: Access | None = None
    """The most that its tools will do to the world."""
    labels: tuple[str, ...] = ()
    """Words that an operator's rules know it by."""


def with_ids(todos: Sequence[Todo]) -> tuple[Todo, ...]:
    """Name the todos that have no id after their place in the plan: the same plan, the same names."""
    taken = {todo.id for todo in todos}
    return tuple(
        todo if todo.id else replace(todo, id=_free_id(place, taken))
        for place, todo in enumerate(todos, start=1)
    )


def _free_id(place: int, taken: set[str]) -> str:
    others = (f"todo-{place}-{number}" for number in count(2))
    free = next(name for name in chain([f"todo-{place}"], others) if name not in taken)
    taken.add(free)
    return free


def check_todos(todos: Sequence[Todo], paths: Sequence[str], limits: Limits = DEFAULTS) -> None:
    """Refuse todos that are empty, too large, not unique, or whose dependencies cannot be met.

    ``paths`` names the place where each todo was given, for the refusal.
    """
    check_count("todos", len(todos), "todos", limits.todos)
    seen: set[str] = set()
    for todo, path in zip(todos, paths, strict=True):
        check_id(f"{path}.id", todo.id)
        if not todo.content.strip():
            raise MissingField(f"{path}.content", "say what is to be done")
        check_bytes(f"{path}.content", todo.content, "todo_bytes", limits.todo_bytes)
        check_count(f"{path}.dependencies", len(todo.dependencies), "todos", limits.todos)
        if todo.id in seen:
            raise DuplicateTodoId(f"{path}.id", todo.id)
        seen.add(todo.id)
    _check_dependencies(todos, paths, seen)


def _check_dependencies(todos: Sequence[Todo], paths: Sequence[str], known: set[str]) -> None:
    before: set[str] = set()
    in_order = True
    for todo, path in zip(todos, paths, strict=True):
        for place, dependency in enumerate(todo.dependencies):
            if dependency not in known:
                raise UnknownDependency(f"{path}.dependencies[{place}]", todo.id, dependency)
            in_order = in_order and dependency in before
        before.add(todo.id)
    if not in_order:  # where each todo comes after what it needs, there is no circle
        _check_cycles(todos)


def _check_cycles(todos: Sequence[Todo]) -> None:
    try:
        graphlib.TopologicalSorter({t.id: t.dependencies for t in todos}).prepare()
    except graphlib.CycleError as error:
        # graphlib lists each todo before the one that needs it; people read "needs" left to right.
        raise DependencyCycle(reversed(error.args[1])) from None


def started(todos: Iterable[Todo], now: datetime) -> dict[str, TodoProgress]:
    """Progress of todos that nobody has begun."""
    return {todo.id: TodoProgress(TodoStatus.PENDING, now, now) for todo in todos}


def total_estimate(hints: Iterable[TodoHint]) -> timedelta | None:
    """How long the todos should take together, if the agent said so for any of them."""
    known: Iterator[timedelta] = (h.estimated_time for h in hints if h.estimated_time is not None)
    first = next(known, None)
    return None if first is None else sum(known, start=first)


def ready_ids(todos: Sequence[Todo], progress: Mapping[str, TodoProgress]) -> list[str]:
    """Todos that can begin: pending, with every dependency completed; cancelled does not count."""
    done = {id for id, entry in progress.items() if entry.status is TodoStatus.COMPLETED}
    return [
        todo.id
        for todo in todos
        if progress[todo.id].status is TodoStatus.PENDING and done.issuperset(todo.dependencies)
    ]


def needs_in_progress(progress: Mapping[str, TodoProgress]) -> bool:
    """Some todo is pending and none is in progress: somebody should say what they work on."""
    statuses = {entry.status for entry in progress.values()}
    return TodoStatus.PENDING in statuses and TodoStatus.IN_PROGRESS not in statuses


def is_finished(entry: TodoProgress) -> bool:
    return entry.status in {TodoStatus.COMPLETED, TodoStatus.CANCELLED}


class TodoEdit(Struct, frozen=True):
    """A todo as a caller wrote it: what is empty was left out."""

    id: str = ""
    content: str = ""
    status: TodoStatus | None = None
    dependencies: tuple[str, ...] = ()


def merged(todos: Sequence[Todo], edits: Sequence[TodoEdit]) -> tuple[Todo, ...]:
    """The todos with the edits: upsert by id, empty fields keep their value, unknown ids are appended."""
    by_id = {todo.id: todo for todo in todos}
    for edit in edits:
        known = by_id.get(edit.id, Todo(edit.id, ""))
        by_id[edit.id] = Todo(edit.id, edit.content or known.content, edit.dependencies or known.dependencies)
    return tuple(by_id.values())


def replaced(edits: Sequence[TodoEdit]) -> tuple[Todo, ...]:
    """The edits as the whole list."""
    return tuple(Todo(edit.id, edit.content, edit.dependencies) for edit in edits)


def edits_with_ids(edits: Sequence[TodoEdit], taken: Iterable[str]) -> tuple[TodoEdit, ...]:
    """Name the edits that have no id: each of them is a new todo."""
    names = {*taken, *(edit.id for edit in edits)}
    return tuple(
        edit if edit.id else replace(edit, id=_free_id(place, names))
        for place, edit in enumerate(edits, start=1)
    )


def moved_on(
    todos: Sequence[Todo],
    progress: Mapping[str, TodoProgress],
    statuses: Mapping[str, TodoStatus],
    now: datetime,
) -> dict[str, TodoProgress]:
    """The progress of a list of todos: kept where it was, begun where it is new, moved where told."""
    found: dict[str, TodoProgress] = {}
    for todo in todos:
        entry = progress.get(todo.id) or TodoProgress(TodoStatus.PENDING, now, now)
        status = statuses.get(todo.id, entry.status)
        found[todo.id] = entry if status is entry.status else replace(entry, status=status, update_time=now)
    return found
