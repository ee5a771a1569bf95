"""A table of a file, as someone reads it who knows what belongs there. The rest is noted, never guessed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeVar

from plangate_server.plainyaml.notes import Notes, instead_of, shown
from plangate_server.plainyaml.tree import Items, Node, Table, Text

EMPTY: Final = "is empty: fill it in, or remove it"

Value = TypeVar("Value")
Kind = TypeVar("Kind", Text, Items, Table)


class Section:
    """Hands out what stands under a name; None, or nothing, where it is left out or not sound."""

    def __init__(self, table: Table, path: str, notes: Notes, known: Sequence[str]) -> None:
        self._table = table
        self._path = path
        self._notes = notes
        self._known = known
        for name, entry in table.entries.items():
            if name not in known:
                notes.add(entry.line, path or "the file", f"has {shown(name)}: {instead_of(name, known)}")

    def __contains__(self, name: str) -> bool:
        assert name in self._known
        return name in self._table.entries

    def note(self, what: str, name: str = "") -> None:
        """Something is wrong with the section, or with one entry of it."""
        entry = self._table.entries.get(name)
        self._notes.add(entry.line if entry else self._table.line, self.path(name), what)

    def path(self, name: str = "") -> str:
        return ".".join(filter(None, (self._path, name)))

    def value(self, name: str, read: Callable[[str], Value]) -> Value | None:
        """A text, as ``read`` understands it."""
        node = self._entry(name, Text, "a text")
        return None if node is None else self._read(node, self.path(name), read)

    def values(self, name: str, read: Callable[[str], Value]) -> tuple[Value, ...]:
        """A list of texts, each as ``read`` understands it."""
        found = []
        for path, item in self._items(name, "a list, like [one, two]"):
            if isinstance(item, Text):
                found.append(self._read(item, path, read))
            else:
                self._notes.add(item.line, path, f"is {_named(item)}: write a text")
        return tuple(value for value in found if value is not None)

    def section(self, name: str, known: Sequence[str]) -> Section | None:
        """A table inside this one."""
        table = self._entry(name, Table, f"a table of {', '.join(known)}")
        if table is None:
            return None
        if not table.entries:
            self.note(EMPTY, name)
        return Section(table, self.path(name), self._notes, known)

    def sections(self, name: str, known: Sequence[str]) -> list[Section]:
        """A list of tables."""
        found = []
        for path, item in self._items(name, "a list, which has a - before each entry"):
            if isinstance(item, Table):
                found.append(Section(item, path, self._notes, known))
            else:
                wrong = f"is {_named(item)}: write a table of {', '.join(known)}"
                self._notes.add(item.line, path, wrong)
        return found

    def _items(self, name: str, expected: str) -> list[tuple[str, Node]]:
        node = self._entry(name, Items, expected)
        if node is None:
            return []
        if not node.items:
            self.note("is an empty list: fill it in, or remove it", name)
        return [(f"{self.path(name)}[{place}]", item) for place, item in enumerate(node.items)]

    def _entry(self, name: str, kind: type[Kind], expected: str) -> Kind | None:
        assert name in self._known
        entry = self._table.entries.get(name)
        if entry is None:
            return None
        if isinstance(entry.value, kind):
            return entry.value
        self.note(f"is {_named(entry.value)}: write {expected}", name)
        return None

    def _read(self, node: Text, path: str, read: Callable[[str], Value]) -> Value | None:
        try:
            if node.value.strip():
                return read(node.value)
            self._notes.add(node.line, path, EMPTY)
        except ValueError as wrong:
            self._notes.add(node.line, path, str(wrong))
        return None


def _named(node: Node) -> str:
    match node:
        case Items():
            return "a list"
        case Table():
            return "a table"
        case Text(value=value):
            return f"the text {shown(value)}" if value.strip() else "empty"
