"""A plan from the table that front matter holds."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from plangate.planfile.fields import Fields
from plangate.planfile.model import Phase, PhaseTodo, PlanFile, Todo
from plangate.planfile.problems import PlanFileError, shown
from plangate.planfile.statuses import KNOWN, PENDING, SAME_AS
from plangate.planfile.yaml_subset import Entry, Node, Scalar, Table

PLAN_KEYS: Final = ("name", "overview", "todos", "isProject", "phases")
TODO_KEYS: Final = ("id", "content", "status", "dependencies")
PHASE_KEYS: Final = ("name", "todos")


@dataclass(frozen=True, slots=True)
class Needed:
    """That a todo depends on another, and where it says so."""

    line: int
    id: str


@dataclass(slots=True)
class PlanReading:
    fields: Fields
    needed: list[Needed] = field(default_factory=list)
    _known: dict[str, tuple[int, Todo]] = field(default_factory=dict)
    """The todos that have an id, each with its line."""

    def plan(self, body: str) -> PlanFile:
        fields, table = self.fields, self.fields.front.table
        return PlanFile(
            name=fields.text(table, "name", "name"),
            overview=fields.text(table, "overview", "overview"),
            todos=tuple(self._own(node) for node in fields.items(table, "todos", "todos")),
            is_project=fields.truth(table, "isProject"),
            phases=tuple(self._phase(node) for node in fields.items(table, "phases", "phases")),
            body=body,
            extras=fields.extras(table, PLAN_KEYS),
            comments=fields.all_comments(),
        )

    def _own(self, node: Node) -> Todo:
        todo = self._todo(node)
        if todo.id:
            first = self._known.setdefault(todo.id, (node.line, todo))
            if first[1] is not todo:
                where = f"first in the todo of line {first[0]}: change one"
                raise PlanFileError(node.line, f"the id {shown(todo.id)} stands here twice, {where}")
        return todo

    def _phase(self, node: Node) -> Phase:
        fields = self.fields
        if not isinstance(node, Table):
            return Phase(fields.text_of(node, "name of a phase"))
        todos = [self._phase_todo(each) for each in fields.items(node, "todos", "todos of a phase")]
        name = fields.text(node, "name", "name of a phase")
        return Phase(name, tuple(todos), fields.extras(node, PHASE_KEYS))

    def _phase_todo(self, node: Node) -> PhaseTodo:
        """A todo that is told again word for word is the one that was there before."""
        if isinstance(node, Scalar) and node.text in self._known:
            return self.fields.word_of(node, "id of a todo")
        id = self.fields.word(node, "id", "id of a todo") if isinstance(node, Table) else ""
        if id not in self._known:
            return self._own(node)
        if self._todo(node) != self._known[id][1]:
            first = self._known[id][0]
            raise PlanFileError(
                node.line,
                f"the todo {shown(id)} is another one in line {first}: change an id, or only name it",
            )
        return id

    def _todo(self, node: Node) -> Todo:
        if not isinstance(node, Table):
            return Todo("", _said(self.fields.text_of(node, "todo"), node.line))
        if len(node.entries) == 1 and (unquoted := self._colon_in_words(*node.entries.values())):
            return Todo("", unquoted)
        return Todo(
            id=self.fields.word(node, "id", "id of a todo"),
            content=_said(self.fields.text(node, "content", "content of a todo"), node.line),
            status=self._status(node),
            dependencies=self._dependencies(node),
            extras=self.fields.extras(node, TODO_KEYS),
        )

    def _colon_in_words(self, entry: Entry) -> str:
        """A todo without keys whose words have a colon, which YAML takes for a key."""
        if entry.key in TODO_KEYS or not isinstance(entry.value, Scalar):
            return ""
        self.fields.warnings.add(
            entry.line, "a colon needs quotes around this todo in YAML: it was read as if they were there"
        )
        return f"{entry.key}: {self.fields.text_of(entry.value, 'todo')}".strip()

    def _status(self, node: Table) -> str:
        word = self.fields.word(node, "status", "status of a todo")
        status = SAME_AS.get(word, word)
        if word and status != word:
            told = f"the status {shown(word)} is taken as {status}"
            self.fields.warnings.add(node.entries["status"].line, told)
        elif status not in KNOWN:
            told = f"the status {shown(status)} is kept in the file; a gate takes it as {PENDING}"
            self.fields.warnings.add(node.entries["status"].line, told)
        return status

    def _dependencies(self, node: Table) -> tuple[str, ...]:
        entry = node.entries.get("dependencies")
        if entry and isinstance(entry.value, Scalar) and not self.fields.is_null(entry.value):
            return (self._need(entry.value),)
        items = self.fields.items(node, "dependencies", "dependencies of a todo")
        return tuple(self._need(item) for item in items)

    def _need(self, node: Node) -> str:
        word = self.fields.word_of(node, "id that a todo depends on")
        if not word:
            raise PlanFileError(node.line, "an entry of the dependencies is empty: write the id of a todo")
        self.needed.append(Needed(node.line, word))
        return word


def _said(words: str, line: int) -> str:
    if not words.strip():
        raise PlanFileError(line, "this todo has no content: say what is to be done")
    return words
