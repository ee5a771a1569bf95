"""Lists in ``[]`` and tables in ``{}``."""

from __future__ import annotations

import re
from typing import Final

from plangate.planfile.yaml_subset.lines import Lines
from plangate.planfile.yaml_subset.quoted import CLOSED, unescaped
from plangate.planfile.yaml_subset.tree import Entry, Items, Node, Scalar, Style, Table

DEEPEST: Final = 20
_BLANK: Final = re.compile(r"[ \t]*((?:(?<=[ \t])|^)#.*)?")
_PLAIN: Final = re.compile(r"(?:[^,\[\]{}:#]|:(?=[^\s,\[\]{}])|(?<=\S)#)+")
_NOT_TAKEN: Final = {"&": "an anchor", "*": "an alias", "!": "a tag", "?": "a complex key"}


def read_flow(lines: Lines, rest: str) -> tuple[Node, str]:
    """The list or table that begins with ``rest``, and what follows it on its last line.

    That line is the current one afterwards.
    """
    reading = _Flow(lines, len(lines.current) - len(rest))
    node = reading.collection(1)
    return node, lines.current[reading.column :]


class _Flow:
    def __init__(self, lines: Lines, column: int) -> None:
        self._lines = lines
        self._start = lines.at
        self.column = column

    def collection(self, depth: int) -> Items | Table:
        if depth > DEEPEST:
            self._lines.refuse(f"this is nested more than {DEEPEST} levels deep: make it flatter")
        opened = self._peek()
        self.column += 1
        return self._items(depth) if opened == "[" else self._table(depth)

    def _items(self, depth: int) -> Items:
        found = Items(self._lines.line)
        while self._peek() != "]":
            found.items.append(self._node(depth))
            self._separator("]")
        self.column += 1
        return found

    def _table(self, depth: int) -> Table:
        found = Table(self._lines.line)
        while self._peek() != "}":
            line = self._lines.line
            key = self._node(depth)
            if not isinstance(key, Scalar) or (key.text == "<<" and key.style is Style.PLAIN):
                self._lines.refuse("only a text can be a key, and << is none")
            if key.text in found.entries:
                self._lines.refuse(f"{key.text[:60]!r} stands here twice: keep one")
            value: Node = Scalar(line, "")
            if self._peek() == ":":
                self.column += 1
                value = Scalar(line, "") if self._peek() in ",}" else self._node(depth)
            found.entries[key.text] = Entry(key.text, line, value)
            self._separator("}")
        self.column += 1
        return found

    def _node(self, depth: int) -> Node:
        first = self._peek()
        if first in "[{":
            return self.collection(depth + 1)
        if first in "\"'":
            return self._quoted(first)
        found = _PLAIN.match(self._lines.current, self.column)
        if first in _NOT_TAKEN or found is None:
            what = _NOT_TAKEN.get(first, f"{first} in this place")
            self._lines.refuse(f"{what} is not taken: if it is meant as text, put it in quotes")
        self.column = found.end()
        return Scalar(self._lines.line, found[0].strip(" \t"))

    def _quoted(self, mark: str) -> Scalar:
        found = CLOSED[mark].match(self._lines.current, self.column + 1)
        if found is None or not found[1]:
            self._lines.refuse(f"a text begins with {mark} and does not end on this line: close it")
        text = self._lines.current[self.column + 1 : found.end() - 1]
        self.column = found.end()
        read = unescaped(self._lines, text, self._lines.at) if mark == '"' else text.replace("''", "'")
        return Scalar(self._lines.line, read, Style.QUOTED)

    def _separator(self, closing: str) -> None:
        found = self._peek()
        if found == ",":
            self.column += 1
        elif found != closing:
            self._lines.refuse(f"between two entries belongs a comma, and at the end {closing}")

    def _peek(self) -> str:
        """The next character that says something, on this line or a later one."""
        lines = self._lines
        while True:
            blank = _BLANK.match(lines.current, self.column)
            assert blank is not None  # it matches nothing, too
            self.column = blank.end()
            if blank[1]:
                lines.comments.append((lines.line, blank[1]))
            if self.column < len(lines.current):
                return lines.current[self.column]
            lines.go_on(self._start, "a list or a table is opened and not closed: close it")
            self.column = 0
