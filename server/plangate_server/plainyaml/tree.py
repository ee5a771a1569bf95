"""What a plain YAML file holds: texts, lists and tables, each with the line it stands on."""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Struct


class Text(Struct, eq=False):
    """A text. Whoever expects a number or a yes reads it as one: here nothing changes its type."""

    line: int
    value: str


class Items(Struct, eq=False):
    """A list."""

    line: int
    items: list[Node]


class Table(Struct, eq=False):
    """Names and what they stand for, in the order of the file."""

    line: int
    entries: dict[str, Entry]


class Entry(Struct, eq=False):
    line: int
    value: Node


Node: TypeAlias = Text | Items | Table


class YamlProblem(Struct, frozen=True):
    line: int
    what: str
    """What is wrong there, and what to do."""


class YamlProblems(ValueError):
    """A file that is not plain YAML."""

    def __init__(self, problems: list[YamlProblem]) -> None:
        super().__init__("; ".join(f"line {problem.line}: {problem.what}" for problem in problems))
        self.problems = problems
