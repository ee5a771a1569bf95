"""Todos as people read them: what can be done first comes first, and each says how far it is."""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Final

from plangate.cli._style import Style
from plangate.cli._tables import Cell
from plangate.cli._text import visible
from plangate_proto.agent.v1.todo_tools_pb2 import TodoItem, TodoStatus

PENDING: Final = Cell("○ pending")
STATES: Final[Mapping[TodoStatus.ValueType, Cell]] = {
    TodoStatus.TODO_STATUS_IN_PROGRESS: Cell("◐ in progress", Style.MOVING),
    TodoStatus.TODO_STATUS_COMPLETED: Cell("● completed", Style.GOOD),
    TodoStatus.TODO_STATUS_CANCELLED: Cell("✕ cancelled", Style.FAINT),
}


def todo_state(todo: TodoItem) -> Cell:
    """By shape, by word and, where there is one, by colour."""
    return STATES.get(todo.status, PENDING)


def described(todo: TodoItem) -> str:
    """Its id, what is to be done, and what must be done before."""
    after = f"  (after {', '.join(map(visible, todo.dependencies))})" if todo.dependencies else ""
    return f"[{visible(todo.id)}] {visible(todo.content)}{after}"


def in_order(todos: Sequence[TodoItem]) -> list[TodoItem]:
    """Each after those that it depends on, and otherwise as the plan has them."""
    places = {todo.id: place for place, todo in enumerate(todos)}
    missing = [len(set(todo.dependencies) & places.keys()) for todo in todos]
    followers: defaultdict[str, list[int]] = defaultdict(list)
    for place, todo in enumerate(todos):
        for needed in set(todo.dependencies):
            followers[needed].append(place)
    ready = [place for place, count in enumerate(missing) if not count]
    order: dict[int, None] = {}
    while ready:
        order[place := heapq.heappop(ready)] = None
        for follower in followers[todos[place].id]:
            missing[follower] -= 1
            if not missing[follower]:
                heapq.heappush(ready, follower)
    order |= dict.fromkeys(range(len(todos)))  # a circle has no order, and is not hidden either
    return [todos[place] for place in order]


def progress_of(todos: Sequence[TodoItem]) -> str:
    """How many of the todos are in which state, in words."""
    done = sum(todo.status == TodoStatus.TODO_STATUS_COMPLETED for todo in todos)
    moving = sum(todo.status == TodoStatus.TODO_STATUS_IN_PROGRESS for todo in todos)
    dropped = sum(todo.status == TodoStatus.TODO_STATUS_CANCELLED for todo in todos)
    more = [f"{count} {word}" for count, word in ((moving, "in progress"), (dropped, "cancelled")) if count]
    return ", ".join((f"{done} of {len(todos)} todos completed", *more))
