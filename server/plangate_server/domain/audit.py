"""The hash chain over the event log: whoever alters, removes or moves an entry is found out.

What an entry says at length (its body) goes into the chain as a hash, so that retention can remove the
body and the chain still holds.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

import msgspec
from msgspec import Struct


class Entry(Struct, frozen=True):
    """What the chain covers of an event."""

    workspace: str
    sequence: int
    plan_id: str
    session_id: str
    revision: int
    digest: str
    type: str
    time: str
    actor: str
    body_hash: str


class Link(Struct, frozen=True):
    """An entry as it is stored, with the hash that ties it to the one before."""

    entry: Entry
    hash: str
    body: bytes | None
    """None once retention has removed it."""

    @property
    def sequence(self) -> int:
        return self.entry.sequence


class Verdict(Struct, frozen=True):
    checked: int
    head_sequence: int
    head_hash: str
    first_bad_sequence: int = 0
    problem: str = ""

    @property
    def valid(self) -> bool:
        return not self.problem


def hash_body(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()


def canonical(entry: Entry) -> bytes:
    """What is hashed of an entry: its fields in their order, as a JSON array."""
    return msgspec.json.encode(msgspec.structs.astuple(entry))


def chain(previous: str, entry: Entry) -> str:
    """The hash of an entry that follows another."""
    return hashlib.sha256(b"%s\n%s" % (previous.encode(), canonical(entry))).hexdigest()


@dataclass(slots=True)
class Verifier:
    """Follows a chain link by link and stops at the first that does not hold."""

    expected_head: tuple[int, str] | None = None
    forgotten: int | None = None
    """The newest entry whose content retention has removed; None if nobody knows."""
    checked: int = 0
    sequence: int = 0
    hash: str = ""
    bad: tuple[int, str] | None = None

    def follow(self, links: Iterable[Link]) -> None:
        for link in links:
            if self.bad is not None:
                return
            problem = self._problem(link)
            if problem:
                self.bad = (self.sequence + 1, problem)
                return
            self.checked += 1
            self.sequence, self.hash = link.entry.sequence, link.hash

    def _problem(self, link: Link) -> str:
        due = self.sequence + 1
        if link.entry.sequence != due:
            return f"entry {due} is missing: entry {link.entry.sequence} follows entry {self.sequence}"
        if problem := self._content_problem(link):
            return problem
        if chain(self.hash, link.entry) != link.hash:
            return f"entry {due} was altered, or is not the one that followed entry {self.sequence}"
        if self.expected_head and self.expected_head[0] == due and self.expected_head[1] != link.hash:
            return f"entry {due} is not the one whose hash was saved"
        return ""

    def _content_problem(self, link: Link) -> str:
        if link.body is not None:
            altered = hash_body(link.body) != link.entry.body_hash
            return f"the content of entry {link.sequence} was altered" if altered else ""
        removed = self.forgotten is None or link.sequence <= self.forgotten
        return "" if removed else f"the content of entry {link.sequence} is gone, and not by retention"

    def expect(self, last: int) -> None:
        """At the end of the log: its newest entry should be this one."""
        if self.bad is None and last > self.sequence:
            self._lose(f"entry {last} was its last")

    def verdict(self) -> Verdict:
        """What was found, once the whole chain was followed."""
        if self.bad is None and self.expected_head and self.expected_head[0] > self.sequence:
            self._lose(f"entry {self.expected_head[0]} was saved")
        number, problem = self.bad or (0, "")
        return Verdict(self.checked, self.sequence, self.hash, number, problem)

    def _lose(self, known: str) -> None:
        due = self.sequence + 1
        self.bad = (due, f"entry {due} is missing: the log ends at entry {self.sequence}, and {known}")
