"""A file of an operator, read whole and at once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeVar

from plangate_server.plainyaml.characters import MOST_BYTES
from plangate_server.plainyaml.notes import Note, Notes
from plangate_server.plainyaml.plain_yaml import read_yaml
from plangate_server.plainyaml.tree import Node, YamlProblems

MOST_SHOWN: Final = 100

Value = TypeVar("Value")


class FileProblems(Exception):
    """Everything that is wrong with a file, each with its place and with what to do."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


def load_file(path: Path, read: Callable[[Node | None, Notes], Value]) -> Value:
    """What ``read`` makes of the file if it notes nothing, or FileProblems."""
    return parse_file(_bytes_of(path), str(path), read)


def parse_file(data: bytes, shown_as: str, read: Callable[[Node | None, Notes], Value]) -> Value:
    """What ``read`` makes of these bytes, or FileProblems that name the file as it is shown."""
    notes = Notes()
    try:
        value = read(read_yaml(data), notes)
    except YamlProblems as found:
        notes.all += [Note(problem.line, "", problem.what) for problem in found.problems]
    else:
        if not notes.all:
            return value
    raise FileProblems(_told(notes, shown_as))


def _told(notes: Notes, shown_as: str) -> list[str]:
    """The problems in the order of the file, as many as someone would read."""
    ordered = sorted(notes.all, key=lambda note: note.line)
    told = [f"{shown_as}:{note}" for note in ordered[:MOST_SHOWN]]
    more = len(ordered) - len(told)
    return [*told, f"{shown_as}: and {more} more"] if more else told


def _bytes_of(path: Path) -> bytes:
    try:
        if not path.is_file() and path.exists():  # a pipe, say, would be waited for
            raise FileProblems([f"{path}: this is not a file: give the file itself"])
        with path.open("rb") as file:
            return file.read(MOST_BYTES + 1)
    except (OSError, ValueError) as problem:  # ValueError: a name that cannot be one
        why = getattr(problem, "strerror", None) or str(problem)
        raise FileProblems([f"{path}: cannot be read: {why}"]) from None
