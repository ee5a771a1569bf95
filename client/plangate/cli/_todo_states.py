"""Todos as people look at them: in the order in which they can be done, each with a shape and a word."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from graphlib import TopologicalSorter
from typing import NamedTuple

from plangate.cli._style import Style
from plangate.cli._tables import Cell
from plangate_proto.agent.v1.todo_tools_pb2 import TodoItem, TodoStatus


class Look(NamedTuple):
    shape: str
    plain: str
    """The shape where only ASCII can be shown."""
    word: str
    style: Style


class State(Enum):
    WAITS = Look("◌", "[.]", "waits", Style.FAINT)
    READY = Look("○", "[ ]", "ready", Style.WAITING)
    IN_PROGRESS = Look("◐", "[>]", "in progress", Style.MOVING)
    DONE = Look("●", "[x]", "completed", Style.GOOD)
    CANCELLED = Look("✕", "[-]", "cancelled", Style.FAINT)

    @property
    def cell(self) -> Cell:
        look = self.value
        return Cell(f"{look.shape if can_show(look.shape) else look.plain} {look.word}", look.style)


OF_STATUS = {
    TodoStatus.TODO_STATUS_IN_PROGRESS: State.IN_PROGRESS,
    TodoStatus.TODO_STATUS_COMPLETED: State.DONE,
    TodoStatus.TODO_STATUS_CANCELLED: State.CANCELLED,
}
FINISHED = frozenset({State.DONE, State.CANCELLED})


class Placed(NamedTuple):
    """A todo, and what it still waits for."""

    todo: TodoItem
    state: State
    waits_for: Sequence[str]


def in_order(todos: Sequence[TodoItem]) -> Iterator[Placed]:
    """Every todo after all that it needs; those that can be done side by side as the plan has them."""
    known = {todo.id: todo for todo in todos}
    place = {todo.id: number for number, todo in enumerate(todos)}
    sorter = TopologicalSorter({todo.id: _needed(todo, known) for todo in todos})
    sorter.prepare()
    while sorter.is_active():
        wave = sorted(sorter.get_ready(), key=place.__getitem__)
        sorter.done(*wave)
        for todo_id in wave:
            todo = known[todo_id]
            open_ones = [each for each in _needed(todo, known) if _by_status(known[each]) not in FINISHED]
            state = _by_status(todo)
            waits = state is State.READY and bool(open_ones)
            yield Placed(todo, State.WAITS if waits else state, open_ones if waits else ())


def progress_line(placed: Iterable[Placed]) -> str:
    """How far it all is, in words."""
    states = [each.state for each in placed]
    parts = [f"{states.count(State.DONE)} of {len(states)} todos completed"]
    named = (State.IN_PROGRESS, State.CANCELLED, State.READY)
    parts += [f"{states.count(state)} {state.value.word}" for state in named if state in states]
    return ", ".join(parts)


def can_show(text: str) -> bool:
    """Whether whatever reads the output has these characters."""
    # The first one: a full-screen program puts another in its place, which is no terminal.
    output = sys.__stdout__ or sys.stdout
    try:
        text.encode(output.encoding or "ascii")
    except UnicodeEncodeError:
        return False
    return True


def _needed(todo: TodoItem, known: Iterable[str]) -> list[str]:
    return [each for each in todo.dependencies if each in known]


def _by_status(todo: TodoItem) -> State:
    return OF_STATUS.get(todo.status, State.READY)
