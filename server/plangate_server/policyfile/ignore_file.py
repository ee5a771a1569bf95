"""A file like .gitignore that a deny rule names. Whoever can write it may be an agent: it can add to what the
rule denies, takes nothing from any other rule or pattern, and costs little to match whatever it says. Nor
does it keep the rest of a policy from being read: if it cannot be read, its rule denies every path.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Final

from msgspec import Struct

from plangate_server.domain.name_patterns import folded

MOST_BYTES: Final = 64 * 1024
MOST_PATTERNS: Final = 200
LONGEST_PATTERN: Final = 100
MOST_LOOKS: Final = 2_000_000
"""How many characters may be compared for one call at worst, so that nobody waits for it."""
LOOKS_PER_NAME: Final = 6
"""What a name in a path costs beside its characters."""

SEVERAL: Final = "**"
LEADING: Final = r"(?:[^/]+/)*?"
END: Final = r"(?=/|\Z)"


class BadIgnoreFile(ValueError):
    """The words say which file, what is wrong with it, and what to do."""


class Line(Struct, frozen=True):
    """A pattern of the file."""

    is_exception: bool
    only_folders: bool
    whole: re.Pattern[str]
    """Means a path as git reads the pattern; of what is denied, in every folder."""
    broad: str
    """Of what is denied: means a path, what is in it, and the folder whose content is meant."""
    cost: int
    """With how many characters of it each character of a path is compared at worst."""

    def means_folder(self, path: str) -> bool:
        return self.whole.match(path) is not None

    def means(self, path: str) -> bool:
        """Nobody knows whether the path is a folder: what is denied counts then, an exception does not."""
        if self.is_exception:
            return not self.only_folders and self.whole.match(path) is not None
        return re.match(rf"{self.broad}\Z", path) is not None


class IgnoredPaths(Struct, frozen=True):
    """Whether the file means any of some paths: the last line that means a path decides.

    What it denies is read broadly: in every folder, and a path may be a folder. Exceptions are read narrowly:
    from the root, and not for what is in a folder that is denied.
    """

    lines: tuple[Line, ...]
    any_denied: re.Pattern[str]
    has_exceptions: bool
    cost: int

    def __call__(self, paths: Collection[str]) -> bool:
        """Of folded paths. What would take too long to look at is denied."""
        looks = 0
        for path in paths:
            names = path.count("/") + 1
            once = (len(path) + names * LOOKS_PER_NAME) * self.cost
            looks += once
            if looks > MOST_LOOKS:
                return True
            if self.any_denied.match(path) is None:
                continue
            looks += once * names
            if looks > MOST_LOOKS or not self.has_exceptions or self._denies(path):
                return True
        return False

    def _denies(self, path: str) -> bool:
        parts = path.split("/")
        latest_first = self.lines[::-1]
        for folder in ("/".join(parts[:length]) for length in range(1, len(parts))):
            if _last(line for line in latest_first if line.means_folder(folder)):
                return True
        return _last(line for line in latest_first if line.means(path))


class Unread(Struct, frozen=True):
    """In place of what a file denies that cannot be read."""

    why: str

    def __call__(self, paths: Collection[str]) -> bool:
        return bool(paths)


def _last(meaning: Iterable[Line]) -> bool:
    """Whether the last line that means a path denies it; those that mean it come latest first."""
    found = next(iter(meaning), None)
    return found is not None and not found.is_exception


def ignored_by(path: Path) -> IgnoredPaths | Unread:
    """What the file denies: every path, if nobody can tell."""
    try:
        return read_ignore_file(path)
    except BadIgnoreFile as bad:
        return Unread(str(bad))


def read_ignore_file(path: Path) -> IgnoredPaths:
    """What the file denies, or BadIgnoreFile."""
    try:
        text = _bytes_of(path).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise BadIgnoreFile(f"names {path}, which is not text in UTF-8: write it anew") from None
    lines: list[Line] = []
    for number, raw in enumerate(text.split("\n"), start=1):
        try:
            lines += read_line(raw.removesuffix("\r"))
        except ValueError as wrong:
            raise BadIgnoreFile(f"names {path}, whose line {number} {wrong}") from None
    if len(lines) > MOST_PATTERNS:
        raise BadIgnoreFile(
            f"names {path}, which has {len(lines)} patterns: at most {MOST_PATTERNS} are taken"
        )
    denied = "|".join(line.broad for line in lines if not line.is_exception)
    any_denied = re.compile(rf"(?:{denied}){END}" if denied else r"(?!)")
    has_exceptions = any(line.is_exception for line in lines)
    return IgnoredPaths(tuple(lines), any_denied, has_exceptions, sum(line.cost for line in lines))


def read_line(text: str) -> list[Line]:
    """The pattern on a line, if there is one, or ValueError."""
    text = _without_trailing_blanks(text)
    is_exception, pattern = text.startswith("!"), text.removeprefix("!")
    only_folders, bare = pattern.endswith("/"), pattern.removesuffix("/")
    if text.startswith("#") or not bare.removeprefix("/"):
        return []
    if len(bare) > LONGEST_PATTERN:
        raise ValueError(f"has {len(bare)} characters: at most {LONGEST_PATTERN} are taken")
    parts = _parts(folded(bare))
    if not is_exception and parts[0] != SEVERAL:
        parts = [SEVERAL, *parts]
    whole, around = _expression(parts), _expression(_around(parts))
    exactly = re.compile(rf"(?:{whole})\Z")
    broad = f"(?:{whole}|{around})" if around != whole else whole
    cost = max(len(piece) + 1 if "*" in part else 1 for part in parts for piece in part.split("*"))
    return [Line(is_exception, only_folders, exactly, broad, cost)]


def _without_trailing_blanks(text: str) -> str:
    """Blanks at the end do not count, but for one that has a backslash before it."""
    bare = text.rstrip(" ")
    backslashes = len(bare) - len(bare.rstrip("\\"))
    return bare + " " if backslashes % 2 and len(bare) < len(text) else bare


def _parts(pattern: str) -> list[str]:
    """The names of the pattern. One without a slash is looked for in every folder."""
    if "/" not in pattern:
        return [SEVERAL, re.sub(r"\*+", "*", pattern)]
    parts: list[str] = []
    for part in pattern.removeprefix("/").split("/"):
        if part != SEVERAL or parts[-1:] != [SEVERAL]:
            parts.append(part)
    return parts


def _around(parts: list[str]) -> list[str]:
    """The folder of whose content all is meant."""
    around = parts[:]
    while around[-1] in {"*", SEVERAL} and len(around) > 2:
        around.pop()
    return around


def _expression(parts: list[str]) -> str:
    """What means such a path, from its beginning; what comes after it is looked at by whoever asks.

    Nothing is tried twice: the first place where what stands between two ** fits is as good as any later one,
    and so it is with the letters between two *. So the time does not grow with the number of stars.
    """
    first, *others = _runs(parts)
    if not others:
        return "/".join(map(_name, first))
    found = "".join(f"{_name(each)}/" for each in first)
    *middle, last = others
    for run in middle:
        found += rf"(?>{LEADING}{''.join(f'{_name(each)}/' for each in run)})"
    return found + (rf"{LEADING}{'/'.join(map(_name, last))}" if last else ".+")


def _runs(parts: list[str]) -> list[list[str]]:
    """What stands before, between and after **."""
    runs: list[list[str]] = [[]]
    for part in parts:
        if part == SEVERAL:
            runs.append([])
        else:
            runs[-1].append(part)
    return runs


def _name(pattern: str) -> str:
    """What means one name."""
    pieces: list[str] = [""]
    rest = pattern
    while rest:
        if rest[0] == "*":
            pieces.append("")
            rest = rest.lstrip("*")
            continue
        one, rest = _character(rest)
        pieces[-1] += one
    first, *others = pieces
    if not others:
        return first
    *middle, last = others
    skipped = "".join(rf"(?>[^/]*?{piece})" for piece in middle)
    return rf"(?>{first}{skipped}[^/]*{last}{END})" if last else rf"(?>{first}{skipped}[^/]*)"


def _character(pattern: str) -> tuple[str, str]:
    """What means the first character of the pattern, and the rest of that."""
    match pattern[0]:
        case "?":
            return "[^/]", pattern[1:]
        case "\\":
            if len(pattern) == 1:
                raise ValueError("ends with a backslash: write two, or the character that it is for")
            return re.escape(pattern[1]), pattern[2:]
        case "[":
            return _class(pattern)
        case other:
            return re.escape(other), pattern[1:]


def _class(pattern: str) -> tuple[str, str]:
    """A class of characters, as in [a-z] and [!0-9], none of which is a slash."""
    found = re.match(r"\[([!^]?)((?:\]|[^\]\\\[])[^\]\\\[]*)\]", pattern)
    if found is None:
        raise ValueError(
            "has a [ that cannot be read: write a class like [a-z] without \\ and [ in it, or \\["
        )
    body = re.sub(r"([\^\]&~|])", r"\\\1", found[2])
    negated = "^" if found[1] else ""
    try:
        re.compile(f"[{negated}{body}]")
    except re.error:
        raise ValueError(
            "has a class whose range ends before it begins: write it the other way round"
        ) from None
    return f"(?!/)[{negated}{body}]", pattern[found.end() :]


def _bytes_of(path: Path) -> bytes:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)  # a pipe would be waited for
        with os.fdopen(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise BadIgnoreFile(f"names {path}, which is not a file: give the file itself")
            data = file.read(MOST_BYTES + 1)
    except (OSError, ValueError) as problem:  # ValueError: a name that cannot be one
        if isinstance(problem, BadIgnoreFile):
            raise
        why = getattr(problem, "strerror", None) or str(problem)
        raise BadIgnoreFile(f"names {path}, which cannot be read: {why}") from None
    if len(data) > MOST_BYTES:
        raise BadIgnoreFile(f"names {path}, which has more than {MOST_BYTES // 1024} KiB: shorten it")
    return data
