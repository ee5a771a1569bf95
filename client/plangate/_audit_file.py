"""An export of the event log: one JSON object on each line, ASCII only, always written the same way.

The first line says what the file is, the last one where the log ended and what the lines before hash to;
in between is one entry on each line, from the first of the log on.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from itertools import chain
from typing import BinaryIO

from plangate._audit import BrokenChain, Chain, Entry, Head, workspace_of

FORMAT = "plangate-audit"
VERSION = 1
LINE_BYTES = 256 * 1024 * 1024
"""More than any line has; a file without line feeds must not fill the memory."""

HEADER_KEYS = ["format", "version", "workspace", "time"]
ENTRY_KEYS = ["sequence", "entry", "hash"]


class BadExport(Exception):
    """Says on which line an export does not hold, and why."""


@dataclass(slots=True)
class Export:
    """Writes an export; afterwards it knows what it wrote."""

    head: Head = field(default_factory=Head)
    without_content: int = 0
    removed_meanwhile: int = 0
    """The first entry whose content was removed after that of an older one was written; 0 if none was."""

    def lines(self, entries: Iterable[Entry], now: datetime) -> Iterator[bytes]:
        """The lines of the file. Whatever the entries are, they are written: judging them is for others."""
        checksum = hashlib.sha256()
        for line in self._before_the_last(iter(entries), now):
            checksum.update(line)
            yield line
        yield _last_line(self.head, checksum.hexdigest())

    def _before_the_last(self, entries: Iterator[Entry], now: datetime) -> Iterator[bytes]:
        first = next(entries, None)
        workspace = workspace_of(first.said) if first else ""
        time = now.isoformat(timespec="seconds")
        yield _line({"format": FORMAT, "version": VERSION, "workspace": workspace, "time": time})
        for entry in chain([first] if first else [], entries):
            self._note(entry)
            yield _line({"sequence": entry.sequence, "entry": entry.said, "hash": entry.hash} | _said(entry))

    def _note(self, entry: Entry) -> None:
        if entry.content is None:
            if self.without_content < self.head.sequence and not self.removed_meanwhile:
                self.removed_meanwhile = entry.sequence
            self.without_content += 1
        self.head = Head(entry.sequence, entry.hash)


def verify_export(file: BinaryIO, saved: Head | None = None) -> Chain:
    """Follow an export from its first line to its last; gives the chain that was found to hold."""
    lines = _Lines(file)
    first = lines.next()
    if first is None:
        raise BadExport("the file is empty: it is no export")
    followed = Chain(_workspace(first), saved)
    while (said := lines.next()) is not None:
        if "head" in said:
            _check_last(said, followed.head, lines)
            _end(followed)
            return followed
        _follow(followed, said, lines.number)
    last = followed.head.sequence
    raise BadExport(f"the export was cut off: line {lines.number}, entry {last}, is the last there is")


class _Lines:
    """The lines of a file, one by one, each as what it says."""

    def __init__(self, file: BinaryIO) -> None:
        self.number = 0
        self.checksum = hashlib.sha256()
        """Over the lines before this one."""
        self._file = file
        self._line = b""

    def next(self) -> dict[str, object] | None:
        """What the next line says; None at the end of the file."""
        self.checksum.update(self._line)
        self._line = self._file.readline(LINE_BYTES)
        if not self._line:
            return None
        self.number += 1
        if not self._line.endswith(b"\n"):
            raise BadExport(f"line {self.number}{_due_on(self.number)} has no end: the export was cut off")
        return self._said()

    def _said(self) -> dict[str, object]:
        try:
            said = json.loads(self._line)
        except (ValueError, RecursionError):
            raise _altered(self.number) from None
        # What means the same and is written otherwise was altered, too.
        if not isinstance(said, dict) or _line(said) != self._line:
            raise _altered(self.number)
        return said


def _line(said: Mapping[str, object]) -> bytes:
    return json.dumps(said, separators=(",", ":")).encode() + b"\n"


def _last_line(head: Head, checksum: str) -> bytes:
    return _line({"head": {"sequence": head.sequence, "hash": head.hash}, "sha256": checksum})


def _said(entry: Entry) -> dict[str, object]:
    """The content: text, or in base64 what somebody must have made of it."""
    if entry.content is None:
        return {"content": None}
    try:
        return {"content": entry.content.decode()}
    except UnicodeDecodeError:
        return {"content_base64": base64.b64encode(entry.content).decode()}


def _workspace(said: Mapping[str, object]) -> str:
    workspace, version = said.get("workspace"), said.get("version")
    if list(said) != HEADER_KEYS or said["format"] != FORMAT or not isinstance(workspace, str):
        raise BadExport("line 1 does not say that this is an export: see 'plangate audit export'")
    if version != VERSION:
        raise BadExport(f"line 1 says version {version!r}, and this plangate reads version {VERSION}")
    return workspace


def _follow(followed: Chain, said: Mapping[str, object], number: int) -> None:
    try:
        followed.follow(_entry(said, number))
    except BrokenChain as broken:
        raise BadExport(f"line {number}: {broken}") from None


def _entry(said: Mapping[str, object], number: int) -> Entry:
    keys = list(said)
    if keys[:-1] != ENTRY_KEYS or keys[-1] not in {"content", "content_base64"}:
        raise _altered(number)
    sequence, entry, hash, content = said.values()
    if not (type(sequence) is int and isinstance(entry, str) and isinstance(hash, str)):
        raise _altered(number)
    try:
        entry.encode()
        return Entry(sequence, entry, hash, _content(content, is_text=keys[-1] == "content"))
    except ValueError:
        raise _altered(number) from None


def _content(content: object, *, is_text: bool) -> bytes | None:
    """The bytes that were hashed; a ValueError if there are none."""
    if content is None and is_text:
        return None
    if not isinstance(content, str):
        raise ValueError("neither text nor removed")  # noqa: TRY004 - told like any other bad value
    return content.encode() if is_text else base64.b64decode(content, validate=True)


def _check_last(said: Mapping[str, object], head: Head, lines: _Lines) -> None:
    number = lines.number
    if said["head"] != {"sequence": head.sequence, "hash": head.hash}:
        raise BadExport(
            f"line {number}: the log did not end with entry {head.sequence}: "
            f"entry {head.sequence + 1} is missing, or this line was altered"
        )
    if _line(said) != _last_line(head, lines.checksum.hexdigest()):
        raise BadExport(f"line {number}: the checksum is not that of the lines before: one was altered")
    if lines.next() is not None:
        raise BadExport(f"line {lines.number} comes after the last line of the export")


def _end(followed: Chain) -> None:
    try:
        followed.end()
    except BrokenChain as broken:
        raise BadExport(str(broken)) from None


def _altered(number: int) -> BadExport:
    return BadExport(f"line {number}{_due_on(number)} was altered: it is not as an export writes it")


def _due_on(number: int) -> str:
    """What should stand on a line, of which nothing can be read."""
    return f" (entry {number - 1} or the end of the log)" if number > 1 else ""
