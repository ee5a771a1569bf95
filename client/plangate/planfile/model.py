"""A plan file as a value: the plan, and what is needed to write it as it was."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias

from plangate.planfile.problems import PlanFileWarning


class Form(StrEnum):
    """How a file was written."""

    FRONT_MATTER = "front matter"
    MARKDOWN = "plain Markdown"
    OLDER = "older form"


@dataclass(frozen=True, slots=True)
class Extra:
    """A key that is not ours, with its value: kept as it was written, whatever it means."""

    key: str
    text: str
    """All its lines, the key included, without the indentation that they share."""


@dataclass(frozen=True, slots=True)
class Todo:
    id: str
    content: str
    status: str = "pending"
    """One of ``statuses.KNOWN``, or another word as it was written."""
    dependencies: tuple[str, ...] = ()
    extras: tuple[Extra, ...] = ()


PhaseTodo: TypeAlias = Todo | str
"""A todo of its own, or the id of one that is given elsewhere in the file."""


@dataclass(frozen=True, slots=True)
class Phase:
    name: str
    todos: tuple[PhaseTodo, ...] = ()
    extras: tuple[Extra, ...] = ()


@dataclass(frozen=True, slots=True)
class PlanFile:
    """Two are equal if they hold the same plan, however each of them was written down."""

    name: str
    overview: str = ""
    todos: tuple[Todo, ...] = ()
    is_project: bool = False
    phases: tuple[Phase, ...] = ()
    body: str = ""
    """Markdown. Its lines end with a line feed if all lines of the file end alike; else as they did."""
    extras: tuple[Extra, ...] = ()
    comments: tuple[str, ...] = ()
    """Comments of the front matter, each with its ``#``."""
    newline: str = "\n"
    bom: bool = False
    form: Form = field(default=Form.FRONT_MATTER, compare=False)
    source: bytes = field(default=b"", compare=False, repr=False)
    """The file as it was read; empty if it was not."""
    warnings: tuple[PlanFileWarning, ...] = field(default=(), compare=False)

    def all_todos(self) -> tuple[Todo, ...]:
        """Those of the plan, then those that only phases have."""
        in_phases = (todo for phase in self.phases for todo in phase.todos if isinstance(todo, Todo))
        return (*self.todos, *in_phases)
