"""Todos: named, checked and put in order as a gate does it."""

from __future__ import annotations

import graphlib
from collections.abc import Iterable, Sequence
from typing import Final

from plangate.testing._fake.refusals import Refused, missing
from plangate_proto.agent.v1.todo_tools_pb2 import TodoItem, TodoStatus

FINISHED: Final = frozenset({TodoStatus.TODO_STATUS_COMPLETED, TodoStatus.TODO_STATUS_CANCELLED})


def bare(todo: TodoItem) -> TodoItem:
    """What a todo says, without how far it is."""
    return TodoItem(id=todo.id, content=todo.content, dependencies=todo.dependencies)


def name_all(todos: Iterable[TodoItem], taken: Iterable[str] = ()) -> None:
    """Name those without an id after their place."""
    items = list(todos)
    names = {*taken, *(todo.id for todo in items)}
    for place, todo in enumerate(items, start=1):
        if not todo.id:
            number, todo.id = 2, f"todo-{place}"
            while todo.id in names:
                number, todo.id = number + 1, f"todo-{place}-{number}"
            names.add(todo.id)


def check(todos: Sequence[TodoItem], paths: Sequence[str], where: str = "args") -> None:
    """Refuse todos that are empty or not unique, or whose dependencies cannot be met."""
    check_unique(todos, paths)
    seen = {todo.id for todo in todos}
    for field, todo in zip(paths, todos, strict=True):
        if not todo.content.strip():
            raise missing(f"{field}.content")
    for field, todo in zip(paths, todos, strict=True):
        for number, needed in enumerate(todo.dependencies):
            if needed not in seen:
                path = f"{field}.dependencies[{number}]"
                words = f"{path} is {needed!r}, which the plan does not have"
                raise Refused("UNKNOWN_DEPENDENCY", words, field=path, todo_id=todo.id, dependency=needed)
    waves(todos, seen, where)


def check_unique(todos: Sequence[TodoItem], paths: Sequence[str]) -> None:
    seen: set[str] = set()
    for field, todo in zip(paths, todos, strict=True):
        if todo.id in seen:
            words = f"{field}.id is {todo.id!r}, which another todo has"
            raise Refused("DUPLICATE_TODO_ID", words, field=f"{field}.id", todo_id=todo.id)
        seen.add(todo.id)


def waves(todos: Sequence[TodoItem], chosen: Iterable[str], where: str = "args") -> list[list[str]]:
    """The chosen todos in waves: each depends only on those of earlier ones."""
    wanted = set(chosen)
    place = {todo.id: number for number, todo in enumerate(todos)}
    sorter = graphlib.TopologicalSorter(
        {
            todo.id: [need for need in todo.dependencies if need in wanted]
            for todo in todos
            if todo.id in wanted
        }
    )
    try:
        sorter.prepare()
    except graphlib.CycleError as error:
        drawn = " -> ".join(reversed(error.args[1]))
        field = f"{where}.todos"
        words = f"{field} depend on each other in a circle ({drawn}): take one of the dependencies out"
        raise Refused("DEPENDENCY_CYCLE", words, field=field, cycle=drawn) from None
    found: list[list[str]] = []
    while sorter.is_active():
        found.append(sorted(sorter.get_ready(), key=place.__getitem__))
        sorter.done(*found[-1])
    return found


def ready(todos: Iterable[TodoItem]) -> list[str]:
    """Todos that can begin: pending, with every dependency completed."""
    listed = list(todos)
    done = {todo.id for todo in listed if todo.status == TodoStatus.TODO_STATUS_COMPLETED}
    pending = TodoStatus.TODO_STATUS_PENDING
    return [todo.id for todo in listed if todo.status == pending and done.issuperset(todo.dependencies)]
