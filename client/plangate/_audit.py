"""The hash chain over a gate's event log, checked without the gate.

Each entry's hash is the SHA-256 of the hash before it, a line feed, and the entry itself; the entry has the
SHA-256 of its content. So content can be removed and the chain still holds, and nothing else can be done
to the log that the next hash does not give away.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass

WORKSPACE, SEQUENCE, CONTENT_HASH = 0, 1, 9
"""Where these stand in an entry."""
FIELDS = 10

_HEAD = re.compile(r"0:|([1-9][0-9]{0,17}):([0-9a-f]{64})")


class BrokenChain(Exception):
    """Says what is wrong with the first entry that does not hold; ``sequence`` is its number."""

    def __init__(self, sequence: int, problem: str) -> None:
        super().__init__(problem)
        self.sequence = sequence


@dataclass(frozen=True, slots=True)
class Head:
    """The newest entry of a log. Whoever saved it finds out if the log is cut off or exchanged later."""

    sequence: int = 0
    hash: str = ""

    @classmethod
    def parse(cls, text: str) -> Head:
        """A head as it is printed; a ValueError if this is none."""
        found = _HEAD.fullmatch(text.strip().lower())
        if not found:
            raise ValueError(f"{text!r} is not SEQUENCE:HASH, with 64 hexadecimal digits")
        return cls(int(found[1] or 0), found[2] or "")

    def __str__(self) -> str:
        return f"{self.sequence}:{self.hash}"


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry as an auditor gets it."""

    sequence: int
    said: str
    """What the hash covers: a JSON array, exactly as it was hashed."""
    hash: str
    content: bytes | None
    """None once retention has removed it."""


class Chain:
    """Follows the log of a workspace entry by entry; the first that does not hold is a BrokenChain."""

    def __init__(self, workspace: str, saved: Head | None = None) -> None:
        self.head = Head()
        self.without_content = 0
        self._workspace = workspace
        self._saved = saved or Head()

    def follow(self, entry: Entry) -> None:
        """Go on to the entry that should be next."""
        due = self.head.sequence + 1
        problem = (
            self._misplaced(entry.sequence)
            or self._altered(entry)
            or self._other_content(entry)
            or self._not_the_saved(entry)
        )
        if problem:
            raise BrokenChain(due, problem)
        self.head = Head(due, entry.hash)
        self.without_content += entry.content is None

    def end(self) -> None:
        """Nothing follows any more."""
        last = self.head.sequence
        if self._saved.sequence > last:
            lost = f"the log ends at entry {last}, and entry {self._saved.sequence} was saved"
            raise BrokenChain(last + 1, f"entry {last + 1} is missing: {lost}")

    def _misplaced(self, sequence: int) -> str:
        last = self.head.sequence
        if sequence == last + 1:
            return ""
        if 0 < sequence <= last:
            return f"entry {last + 1} is missing: entry {sequence} comes again after entry {last}"
        return f"entry {last + 1} is missing: entry {sequence} follows entry {last}"

    def _altered(self, entry: Entry) -> str:
        chained = hashlib.sha256(f"{self.head.hash}\n{entry.said}".encode()).hexdigest()
        if chained != entry.hash:
            before = self.head.sequence
            return f"entry {entry.sequence} was altered, or is not the one that followed entry {before}"
        said = _fields_of(entry.said)
        if (said[WORKSPACE], said[SEQUENCE]) != (self._workspace, entry.sequence):
            place = f"entry {said[SEQUENCE]} of workspace {said[WORKSPACE]!r}"
            return f"entry {entry.sequence} of workspace {self._workspace!r} says that it is {place}"
        return ""

    def _other_content(self, entry: Entry) -> str:
        if entry.content is None:
            # Content is removed from the oldest entry on: what is gone has nothing before it that is there.
            is_oldest = self.without_content == self.head.sequence
            return "" if is_oldest else f"the content of entry {entry.sequence} is gone, and not by retention"
        hashed = hashlib.sha256(entry.content).hexdigest()
        same = hashed == _fields_of(entry.said)[CONTENT_HASH]
        return "" if same else f"the content of entry {entry.sequence} was altered"

    def _not_the_saved(self, entry: Entry) -> str:
        is_other = self._saved.sequence == entry.sequence and self._saved.hash != entry.hash
        return f"entry {entry.sequence} is not the one whose hash was saved" if is_other else ""


def workspace_of(said: str) -> str:
    """The workspace whose log an entry belongs to; empty if the entry is none."""
    found = _fields_of(said)[WORKSPACE]
    return found if isinstance(found, str) else ""


def _fields_of(said: str) -> list[object]:
    """The fields of an entry; those of none if it has not as many as an entry has."""
    try:
        fields = json.loads(said)
    except (ValueError, RecursionError):
        fields = None
    return fields if isinstance(fields, list) and len(fields) == FIELDS else [None] * FIELDS
