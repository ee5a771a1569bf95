"""The content of a plan: what a person reads, what the digest covers, what may be built."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta

from plangate_server.domain import limits
from plangate_server.domain.errors import InvalidField, MissingField
from plangate_server.domain.todos import Todo, TodoHint, check_todos, with_ids

DERIVED_NAME_CHARACTERS = 100


@dataclass(frozen=True, slots=True)
class Phase:
    name: str
    todo_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Content:
    """One revision's content. Two contents are the same exactly if their digests are."""

    name: str
    overview: str
    plan: str
    todos: tuple[Todo, ...]
    phases: tuple[Phase, ...] = ()
    is_project: bool = False
    is_spec: bool = False


@dataclass(frozen=True, slots=True)
class PhaseDraft:
    name: str
    todos: tuple[Todo, ...]


@dataclass(frozen=True, slots=True)
class Draft:
    """A plan as it was handed in, before it is known to be sound."""

    plan: str
    name: str = ""
    overview: str = ""
    todos: tuple[Todo, ...] = ()
    phases: tuple[PhaseDraft, ...] = ()
    is_project: bool = False
    is_spec: bool = False
    hints: Mapping[str, TodoHint] = field(default_factory=dict)


def compose(draft: Draft) -> Content:
    """The content that a draft stands for, or a refusal that names the field at fault."""
    if not draft.plan.strip():
        raise MissingField("plan", "write the plan as Markdown")
    limits.check_bytes("plan", draft.plan, "plan_bytes", limits.PLAN_BYTES)
    limits.check_count("name", len(draft.name), "name_characters", limits.NAME_CHARACTERS)
    limits.check_bytes("overview", draft.overview, "overview_bytes", limits.OVERVIEW_BYTES)
    todos, phases = _gather_todos(draft)
    _check_hints(draft.hints, todos)
    return Content(
        name=draft.name.strip() or _name_from(draft.plan),
        overview=draft.overview,
        plan=draft.plan,
        todos=todos,
        phases=phases,
        is_project=draft.is_project,
        is_spec=draft.is_spec,
    )


def _gather_todos(draft: Draft) -> tuple[tuple[Todo, ...], tuple[Phase, ...]]:
    """One list of todos, and phases that name them; a todo given in both places is one todo."""
    limits.check_count("phases", len(draft.phases), "phases", limits.PHASES)
    gathered = list(draft.todos)
    paths = [f"todos[{place}]" for place in range(len(gathered))]
    listed = {todo.id: todo for todo in draft.todos if todo.id}
    places: list[list[int | str]] = []
    for number, phase in enumerate(draft.phases):
        path = f"phases[{number}].name"
        limits.check_count(path, len(phase.name), "name_characters", limits.NAME_CHARACTERS)
        places.append([])
        for place, todo in enumerate(phase.todos):
            if todo.id and listed.get(todo.id) == todo:
                places[-1].append(todo.id)
                continue
            places[-1].append(len(gathered))
            gathered.append(todo)
            paths.append(f"phases[{number}].todos[{place}]")
    todos = with_ids(gathered)
    check_todos(todos, paths)
    phases = tuple(
        Phase(phase.name, tuple(p if isinstance(p, str) else todos[p].id for p in places[number]))
        for number, phase in enumerate(draft.phases)
    )
    return todos, phases


def _check_hints(hints: Mapping[str, TodoHint], todos: tuple[Todo, ...]) -> None:
    known = {todo.id for todo in todos}
    for todo_id, hint in hints.items():
        path = f"todo_hints[{todo_id[:200]!r}]"
        if todo_id not in known:
            raise InvalidField(path, "is about a todo that the plan does not have")
        limits.check_id(f"{path}.agent", hint.agent)
        if hint.estimated_time is not None and hint.estimated_time < timedelta():
            raise InvalidField(f"{path}.estimated_time", "is negative")


def _name_from(plan: str) -> str:
    """The first heading, or else the first line that says something."""
    heading = re.search(r"^#{1,6}[ \t]+(\S.*)$", plan, re.MULTILINE)
    line = heading.group(1) if heading else next(line for line in plan.splitlines() if line.strip())
    return line.strip().rstrip("#").strip()[:DERIVED_NAME_CHARACTERS]
