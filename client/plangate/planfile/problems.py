"""What is wrong with a plan file: refused with a line and a reason, or read all the same and told."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

MOST_WARNINGS: Final = 100


class PlanFileError(Exception):
    """The file cannot be read without guessing or losing something: ``line`` says where, ``words`` why."""

    def __init__(self, line: int, words: str) -> None:
        super().__init__(f"line {line}: {words}")
        self.line = line
        self.words = words


@dataclass(frozen=True, slots=True, order=True)
class PlanFileWarning:
    """Something that was read otherwise than it stands, or that a reader cannot see."""

    line: int
    words: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.words}"


@dataclass(slots=True)
class Warnings:
    """The warnings so far, as many as someone would read."""

    kept: list[PlanFileWarning] = field(default_factory=list)
    more: int = 0

    def add(self, line: int, words: str) -> None:
        if len(self.kept) < MOST_WARNINGS:
            self.kept.append(PlanFileWarning(line, words))
        else:
            self.more += 1

    def all(self) -> tuple[PlanFileWarning, ...]:
        """In the order of the file."""
        ordered = sorted(self.kept)
        if self.more:
            ordered.append(PlanFileWarning(ordered[-1].line, f"and {self.more} more"))
        return tuple(ordered)


def shown(text: str) -> str:
    """A text of the file as part of a message: on one line, with what is unseen written out."""
    return repr(text if len(text) <= 60 else f"{text[:59]}…")
