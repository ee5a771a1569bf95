"""The lines of front matter, with a place in them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, NoReturn

from plangate.planfile.problems import PlanFileError, Warnings

MOST_LINES_OF_VALUE: Final = 1000
"""Of one text in quotes, or one list in brackets: what was not closed must not be looked for for long."""


@dataclass(slots=True)
class Lines:
    all: list[str]
    first: int
    """The line of the file that they begin on."""
    warnings: Warnings
    at: int = 0
    end: int = 0
    """Behind the last line that was taken and is no comment."""
    comments: list[tuple[int, str]] = field(default_factory=list)
    opened: tuple[int, str] = (-1, "")
    """A place, and its line without the dash of a list, which is behind us."""

    @property
    def line(self) -> int:
        return self.line_of(self.at)

    @property
    def current(self) -> str:
        return self.opened[1] if self.opened[0] == self.at else self.all[self.at]

    def line_of(self, place: int) -> int:
        return self.first + place

    def take(self) -> None:
        """Go on to the next line."""
        self.at += 1
        self.end = self.at

    def next(self) -> tuple[int, str] | None:
        """The indentation and the rest of the next line that says something; comments are noted."""
        while self.at < len(self.all):
            content = self.current.lstrip(" ")
            if content.startswith("#"):
                self.comments.append((self.line, content.rstrip()))
            elif content.strip(" \t"):
                if content.startswith("\t"):
                    self.refuse("this line is indented with a tab: use spaces")
                return len(self.current) - len(content), content
            self.at += 1
        return None

    def go_on(self, start: int, words: str) -> None:
        """Go on to the next line of a value that began at ``start``; ``words`` if it should have ended."""
        self.at += 1
        if self.at == len(self.all) or self.at - start > MOST_LINES_OF_VALUE:
            self.refuse(words, start)

    def replace(self, start: int, rest: str, quoted: str) -> None:
        """Write a text of the lines from ``start`` on as one that YAML takes."""
        line = self.all[start]
        self.all[start] = line[: len(line) - len(rest)] + quoted
        for place in range(start + 1, self.at):
            self.all[place] = ""
        self.end = start + 1

    def warn(self, place: int, words: str) -> None:
        self.warnings.add(self.line_of(place), words)

    def refuse(self, words: str, place: int | None = None) -> NoReturn:
        raise PlanFileError(self.line_of(self.at if place is None else place), words)
