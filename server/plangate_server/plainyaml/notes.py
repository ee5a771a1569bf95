"""What is wrong with a file, gathered while it is read, so that all of it can be told at once."""

from __future__ import annotations

import difflib
from collections.abc import Collection

from msgspec import Struct


class Note(Struct, frozen=True):
    line: int
    path: str
    """The place in the file, like deny[0].paths; empty for the file as a whole."""
    what: str

    def __str__(self) -> str:
        return f"{self.line}: {self.path} {self.what}" if self.path else f"{self.line}: {self.what}"


class Notes:
    """The problems so far."""

    def __init__(self) -> None:
        self.all: list[Note] = []

    def add(self, line: int, path: str, what: str) -> None:
        self.all.append(Note(line, path, what))


def shown(text: str) -> str:
    """A text of the file as part of a message: on one line, with what is unseen written out."""
    return repr(text if len(text) <= 60 else f"{text[:59]}…")


def instead_of(word: str, known: Collection[str]) -> str:
    """What to write instead of a word that is not known."""
    near = difflib.get_close_matches(word, known, n=1)
    return f"did you mean {near[0]}?" if near else f"known are {', '.join(known)}"
