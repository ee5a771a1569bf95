"""The policy file of an operator, read whole and at once."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from plangate_server.domain.policy import Policy
from plangate_server.policyfile.characters import MOST_BYTES
from plangate_server.policyfile.notes import Note, Notes
from plangate_server.policyfile.plain_yaml import read_yaml
from plangate_server.policyfile.reader import read_policy
from plangate_server.policyfile.tree import YamlProblems

MOST_SHOWN: Final = 100


class PolicyProblems(Exception):
    """Everything that is wrong with a policy file, each with its place and with what to do."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


def load_policy(path: Path) -> Policy:
    """The policy in a file, or PolicyProblems."""
    return parse_policy(_bytes_of(path), str(path))


def parse_policy(data: bytes, shown_as: str) -> Policy:
    """The policy in these bytes, or PolicyProblems that name the file as it is shown."""
    notes = Notes()
    try:
        policy = read_policy(read_yaml(data), notes)
    except YamlProblems as found:
        notes.all += [Note(problem.line, "", problem.what) for problem in found.problems]
    else:
        if not notes.all:
            return policy
    raise PolicyProblems(_told(notes, shown_as))


def _told(notes: Notes, shown_as: str) -> list[str]:
    """The problems in the order of the file, as many as someone would read."""
    ordered = sorted(notes.all, key=lambda note: note.line)
    told = [f"{shown_as}:{note}" for note in ordered[:MOST_SHOWN]]
    more = len(ordered) - len(told)
    return [*told, f"{shown_as}: and {more} more"] if more else told


def _bytes_of(path: Path) -> bytes:
    try:
        if not path.is_file() and path.exists():  # a pipe, say, would be waited for
            raise PolicyProblems([f"{path}: this is not a file: give the file with the policy"])
        with path.open("rb") as file:
            return file.read(MOST_BYTES + 1)
    except (OSError, ValueError) as problem:  # ValueError: a name that cannot be one
        why = getattr(problem, "strerror", None) or str(problem)
        raise PolicyProblems([f"{path}: cannot be read: {why}"]) from None
