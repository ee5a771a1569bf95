"""YAML without surprises: texts, lists and tables, and nothing that has a meaning beyond what it shows.

It is read event by event, without recursion, by the parser that is written in Python: the one in C can
be made to crash. Anchors, aliases, merge keys and tags are refused, so that a small file stays small and
a text stays the text that it is.
"""

from __future__ import annotations

from typing import Final

import yaml
from yaml.events import (
    AliasEvent,
    CollectionEndEvent,
    CollectionStartEvent,
    DocumentStartEvent,
    Event,
    MappingStartEvent,
    ScalarEvent,
    SequenceStartEvent,
)

from plangate_server.plainyaml.characters import decoded, unreadable
from plangate_server.plainyaml.tree import Entry, Items, Node, Table, Text, YamlProblem, YamlProblems

DEEPEST: Final = 20
QUOTE_IT: Final = "if it is meant as text, put it in quotes"


def read_yaml(data: bytes) -> Node | None:
    """The one document of a file, None if it holds nothing, or YamlProblems."""
    text = decoded(data)
    building = _Building()
    try:
        for event in yaml.parse(text, Loader=yaml.SafeLoader):
            building.take(event)
    except yaml.YAMLError as wrong:
        building.refuse(*_place_and_words(wrong))
    except (ValueError, OverflowError):  # an escape for a character that there is not, or a huge version
        building.refuse(building.line, "near here stands a number that YAML cannot take")
    except _Refused:
        pass  # the problem is noted
    if building.problems:
        raise YamlProblems(building.problems)
    return building.root


class _Refused(Exception):
    """What follows cannot be read any more."""


class _Building:
    """The tree, as far as the events have told it."""

    def __init__(self) -> None:
        self.root: Node | None = None
        self.problems: list[YamlProblem] = []
        self.line = 1
        self._documents = 0
        self._open: list[Items | Table] = []
        self._keys: list[Text | None] = []
        """For each open table the name whose value comes next."""

    def refuse(self, line: int, what: str) -> None:
        self.problems.append(YamlProblem(line, what))

    def take(self, event: Event) -> None:
        self.line = event.start_mark.line + 1 if event.start_mark else self.line
        match event:
            case DocumentStartEvent():
                self._begin_document(event)
            case AliasEvent():
                self.refuse(self.line, f"*{event.anchor} is an alias, which is not taken: {QUOTE_IT}")
                self._place(Text(self.line, ""))
            case ScalarEvent():
                self._check(event)
                self._place(self._text(event))
            case SequenceStartEvent():
                self._check(event)
                self._begin(Items(self.line, []))
            case MappingStartEvent():
                self._check(event)
                self._begin(Table(self.line, {}))
            case CollectionEndEvent():
                self._open.pop()
                self._keys.pop()

    def _begin_document(self, event: DocumentStartEvent) -> None:
        self._documents += 1
        if self._documents > 1:
            self._stop("a second document begins: write one file for each")
        if event.version or event.tags:
            self._stop("a directive is not taken: remove the line that begins with %")

    def _check(self, event: ScalarEvent | CollectionStartEvent) -> None:
        if event.anchor is not None:
            self.refuse(self.line, f"&{event.anchor} is an anchor, which is not taken: {QUOTE_IT}")
        if event.tag is not None:
            self.refuse(self.line, f"a tag (!…) is not taken: {QUOTE_IT}")

    def _text(self, event: ScalarEvent) -> Text:
        hidden = unreadable(event.value)
        if hidden:
            self.refuse(self.line, f"{hidden} is written as an escape: remove it")
        if event.value == "<<" and not event.style and self._expects_key():
            self.refuse(self.line, "<< would merge another table, which is not taken: write its entries here")
        return Text(self.line, event.value)

    def _begin(self, node: Items | Table) -> None:
        self._place(node)
        self._open.append(node)
        self._keys.append(None)
        if len(self._open) > DEEPEST:
            self._stop(f"this is nested more than {DEEPEST} levels deep: make it flatter")

    def _expects_key(self) -> bool:
        return bool(self._open) and isinstance(self._open[-1], Table) and self._keys[-1] is None

    def _place(self, node: Node) -> None:
        """Put a node where it belongs: it is the root, an item, a name or the value of a name."""
        if not self._open:
            self.root = node
            return
        around, key = self._open[-1], self._keys[-1]
        if isinstance(around, Items):
            around.items.append(node)
        elif key is not None:
            around.entries.setdefault(key.value, Entry(key.line, node))
            self._keys[-1] = None
        elif isinstance(node, Text):
            self._take_key(around, node)
        else:
            self._stop("a name must be a text, and here stands a list or a table")

    def _take_key(self, table: Table, key: Text) -> None:
        self._keys[-1] = key
        if key.value in table.entries:
            first = table.entries[key.value].line
            self.refuse(key.line, f"{key.value[:60]!r} stands here twice, first in line {first}: keep one")

    def _stop(self, what: str) -> None:
        self.refuse(self.line, what)
        raise _Refused


def _place_and_words(wrong: yaml.YAMLError) -> tuple[int, str]:
    """The parser's own words, in one line."""
    mark = getattr(wrong, "problem_mark", None) or getattr(wrong, "context_mark", None)
    said = [str(part) for name in ("context", "problem") if (part := getattr(wrong, name, None))]
    words = ", ".join(said) or type(wrong).__name__
    return (mark.line + 1 if mark else 1), f"this is not YAML ({words}): {QUOTE_IT}"
