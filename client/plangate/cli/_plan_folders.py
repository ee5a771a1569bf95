"""Which files are meant by a folder: the plan files in it, and those of a format that was named."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from plangate.cli._gate import CommandError
from plangate.planfile.importers import IN_MARKDOWN
from plangate.planfile.names import ENDING

MARKDOWN: Final = (".md", ".markdown")
JSON: Final = (".json",)
DEEPEST: Final = 32
"""So many folders within each other are looked into."""
MOST_ENTRIES: Final = 100_000
"""A folder with more is not one of plans: a disk, perhaps."""
NEVER_ENTERED: Final = frozenset({".git", ".hg", ".svn", ".plangate", ".venv", "node_modules", "__pycache__"})
"""Folders that programs keep, without plans that a person means. ``.cursor/plans`` is no such one."""
NAMED: Final = 5
"""So many of the files that were left out are told by name."""

NOT_PLANS: Final = "not named *.plan.md: name such a file, or its --format, to take it"
NO_FILES: Final = "not a regular file"
LINKS: Final = "links, which are not followed"
OF_PROGRAMS: Final = "kept by programs"
TOO_DEEP: Final = f"more than {DEEPEST} folders deep"


@dataclass(slots=True)
class Found:
    """What a folder holds, at any depth."""

    files: list[str] = field(default_factory=list)
    left_out: dict[str, list[str]] = field(default_factory=dict)
    """What may have been meant and was not taken, by the reason."""
    unreadable: list[str] = field(default_factory=list)
    """Folders that could not be looked into, each with the reason."""

    def leave_out(self, path: str, why: str) -> None:
        self.left_out.setdefault(why, []).append(path)

    def left_out_lines(self) -> Iterator[str]:
        for why, paths in sorted(self.left_out.items()):
            more = f" and {len(paths) - NAMED} more" if len(paths) > NAMED else ""
            yield f"left out: {', '.join(sorted(paths)[:NAMED])}{more} ({why})"


def plan_files_in(folder: Path, format: str | None) -> Found:
    """Those at any depth. No link is followed: it could lead out of the folder, or back into it."""
    found = Found()
    entries = 0
    waiting = [(folder, 0)]
    while waiting:
        place, depth = waiting.pop()
        try:
            listed = _listed(place, MOST_ENTRIES - entries + 1)
        except OSError as error:
            found.unreadable.append(f"{place} cannot be read: {error.strerror or error}")
            continue
        entries += len(listed)
        if entries > MOST_ENTRIES:
            raise CommandError(f"{folder} has more than {MOST_ENTRIES} entries: name a folder of plans in it")
        for entry in listed:
            if not entry.is_dir(follow_symlinks=False):
                _sort(entry, format, found)
            elif entry.name in NEVER_ENTERED:
                found.leave_out(entry.path, OF_PROGRAMS)
            elif depth == DEEPEST:
                found.leave_out(entry.path, TOO_DEEP)
            else:
                waiting.append((Path(entry.path), depth + 1))
    found.files.sort()
    return found


def _listed(place: Path, most: int) -> list[os.DirEntry[str]]:
    with os.scandir(place) as entries:
        return [entry for _, entry in zip(range(most), entries, strict=False)]


def _sort(entry: os.DirEntry[str], format: str | None, found: Found) -> None:
    """Take the file, or leave it out; what nobody could take for a plan is not worth a word."""
    if entry.is_symlink():
        if entry.is_dir() or _can_be_plan(entry.name):
            found.leave_out(entry.path, LINKS)
    elif _can_be_plan(entry.name):
        if not entry.is_file():
            found.leave_out(entry.path, NO_FILES)
        elif entry.name.lower().endswith(_endings(format)):
            found.files.append(entry.path)
        else:
            found.leave_out(entry.path, NOT_PLANS if format is None else f"no files of {format}")


def _can_be_plan(name: str) -> bool:
    return name.lower().endswith((*MARKDOWN, *JSON))


def _endings(format: str | None) -> tuple[str, ...]:
    if format is None:
        return (ENDING,)
    return MARKDOWN if format in IN_MARKDOWN else JSON
