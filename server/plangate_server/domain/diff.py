"""What changed between two revisions."""

from __future__ import annotations

import difflib

from msgspec import Struct

from plangate_server.domain.content import Content
from plangate_server.domain.plan import Revision
from plangate_server.domain.todos import Todo

OTHER_FIELDS = ("name", "overview", "phases", "is_project", "is_spec")


class RevisionDiff(Struct, frozen=True):
    older: int
    newer: int
    unified: str
    todos: tuple[tuple[Todo | None, Todo | None], ...]
    """Before and after of each todo that differs; in the newer order, removed ones last."""
    fields: tuple[str, ...]


def compare(older: Revision, newer: Revision) -> RevisionDiff:
    before, after = older.content, newer.content
    return RevisionDiff(
        older.number,
        newer.number,
        _unified(older, newer),
        _todo_changes(before, after),
        _changed_fields(before, after),
    )


def _changed_fields(before: Content, after: Content) -> tuple[str, ...]:
    """The other fields that differ; "todos" if the same ones stand in another order."""
    changed = [name for name in OTHER_FIELDS if getattr(before, name) != getattr(after, name)]
    moved = set(before.todos) == set(after.todos) and before.todos != after.todos
    return (*changed, "todos") if moved else tuple(changed)


def _unified(older: Revision, newer: Revision) -> str:
    names = (f"revision {older.number}", f"revision {newer.number}")
    lines = difflib.unified_diff(
        older.content.plan.split("\n"), newer.content.plan.split("\n"), *names, lineterm=""
    )
    return "".join(f"{line}\n" for line in lines)


def _todo_changes(before: Content, after: Content) -> tuple[tuple[Todo | None, Todo | None], ...]:
    old = {todo.id: todo for todo in before.todos}
    new = {todo.id: todo for todo in after.todos}
    changed = [(old.get(id), todo) for id, todo in new.items() if old.get(id) != todo]
    removed = [(todo, None) for id, todo in old.items() if id not in new]
    return (*changed, *removed)
