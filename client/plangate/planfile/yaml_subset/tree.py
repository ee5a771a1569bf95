"""What front matter consists of. Every part knows its line."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TypeAlias

from plangate.planfile.yaml_subset.emit import quoted, scalar


class Style(Enum):
    PLAIN = "plain"
    QUOTED = "quoted"
    BLOCK = "block"


@dataclass(frozen=True, slots=True)
class Scalar:
    line: int
    text: str
    style: Style = Style.PLAIN
    comment: str = ""
    """What stands after it on its line from ``#`` on, with the white space before that."""


@dataclass(frozen=True, slots=True)
class Items:
    line: int
    items: list[Node] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Entry:
    """A key with its value, and where both stand."""

    key: str
    line: int
    value: Node
    start: int = 0
    end: int = 0
    """Its lines, counted in the front matter; none if it stands in a table in ``{}``."""
    indent: int = 0


@dataclass(frozen=True, slots=True)
class Table:
    line: int
    entries: dict[str, Entry] = field(default_factory=dict)


Node: TypeAlias = Scalar | Items | Table


@dataclass(frozen=True, slots=True)
class FrontMatter:
    table: Table
    comments: list[tuple[int, str]]
    """Those that have a line of their own or follow what is not a text, each with its line."""
    lines: list[str]

    def source(self, entry: Entry) -> str:
        """The lines of an entry without the indentation that they share."""
        if entry.end == 0:
            return f"{scalar(entry.key)}: {_on_one_line(entry.value)}".rstrip(" ")
        first, *further = self.lines[entry.start : entry.end]
        return "\n".join([first[entry.indent :], *(_outdented(line, entry.indent) for line in further)])


def _on_one_line(node: Node) -> str:
    match node:
        case Scalar():
            return node.text if node.style is Style.PLAIN else quoted(node.text)
        case Items():
            return f"[{', '.join(map(_on_one_line, node.items))}]"
        case Table():
            entries = (f"{scalar(key)}: {_on_one_line(entry.value)}" for key, entry in node.entries.items())
            return f"{{{', '.join(entries)}}}"


def _outdented(line: str, indent: int) -> str:
    return line.lstrip(" ") if line[:indent].strip(" ") else line[indent:]
