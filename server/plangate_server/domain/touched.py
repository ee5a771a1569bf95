"""The files that a call may touch, guessed broadly: for what is forbidden, one too many is better than one
too few. What only a shell or a program can work out, like a variable, stays hidden.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final
from urllib.parse import unquote

from plangate_server.domain.name_patterns import folded

LONGEST_PATH: Final = 4096
LONGEST_NAME: Final = 255
DEEPEST: Final = 64
"""What is longer no system opens, and what is deeper nobody has; so that patterns are matched in no time."""

MOST_ENCODINGS: Final = 3

_HEADERS: Final = re.compile(
    r"""^[^\S\n]*(?:
      (?:---|\+\+\+|(?:rename|copy)\ (?:from|to)|Index:|diff\ --(?:cc|combined))[ \t]+
      |diff\ --git[ \t]+(?P<both>)
      |\*\*\*[ \t]+(?![ \t]*(?:Begin\ Patch|End\ Patch|End\ of\ File))
       (?:(?:[a-z]+\ )?(?:file|from|to)[ ]?:[ \t]*)?
    )(?P<name>[^\t\n]+)""",
    re.MULTILINE | re.VERBOSE | re.IGNORECASE,
)
_OCTAL: Final = re.compile(r"\\([0-3][0-7]{2})")
_ESCAPED: Final = re.compile(r"\\u([0-9a-fA-F]{4})")
_BLANKS_AND_QUOTES: Final = re.compile(r"[\s'\"]+")
_BETWEEN: Final = re.compile(r"[\s;|&<>()$`{}\[\]=:,@]+")
_UNSEEN_IN_SHELL: Final = re.compile(r"""['"\\]""")
_FLAG: Final = re.compile(r"^-+[A-Za-z]")
_PATH_LIKE: Final = re.compile(r"\S*[/\\.~]\S*")
_ONE_NAME: Final = re.compile(r"[A-Za-z0-9_.-]*[A-Za-z0-9_-]")


def patched_files(patch: str) -> list[str]:
    """The names in the header lines of a patch, as they stand there; none if it is no patch that we know."""
    names: list[str] = []
    for found in _HEADERS.finditer("\n".join(patch.splitlines())):
        name = found["name"].strip()
        names += [name] if found["both"] is None else _both_sides(name)
    return [name for name in names if name != "/dev/null"]


def _both_sides(names: str) -> list[str]:
    """The names after ``diff --git``: one in two halves, or else, where none has a blank, two words."""
    half = len(names) // 2
    old, new = names[:half], names[half + 1 :]
    return [old] if old[:2] == "a/" and new == f"b/{old[2:]}" else names.split()


def words(command: str) -> set[str]:
    """What in a command line, or in arguments as JSON, may be a path."""
    found: set[str] = set()
    for form in {command, _ESCAPED.sub(lambda escape: chr(int(escape[1], 16)), command)}:
        found.update(_BLANKS_AND_QUOTES.split(form), _BETWEEN.split(form))
        bare = _UNSEEN_IN_SHELL.sub("", form)
        found.update(bare.split(), _BETWEEN.split(bare))
    found.update([_FLAG.sub("", word) for word in found if word.startswith("-")])
    return found


def spellings(texts: Iterable[str]) -> Iterator[str]:
    """Every way to read texts as paths: folded, resolved, and without a slash in front."""
    for text in texts:
        if _ONE_NAME.fullmatch(text):
            yield text.lower()
            continue
        for form in {text, *_decoded(text), _unquoted(text)}:
            parts = _parts(folded(form))
            short = _resolved(parts)
            trimmed = [part.rstrip(" .") or part for part in short]  # as some systems do
            yield from {"/".join(names[-DEEPEST:]) for names in (parts, short, trimmed)}


def _decoded(text: str) -> Iterator[str]:
    """What it stands for if it is percent-encoded, also more than once."""
    for _ in range(MOST_ENCODINGS):
        plain = unquote(text)
        if plain == text:
            return
        yield plain
        text = plain


def may_be_path(text: str) -> bool:
    """Whether a text could be meant as a path, though it stands where none is expected."""
    return len(text) <= LONGEST_PATH and _PATH_LIKE.fullmatch(text) is not None


def is_possible(path: str) -> bool:
    """Whether there could be such a path."""
    parts = _parts(path)
    return len(path) <= LONGEST_PATH and len(parts) <= DEEPEST and all(len(p) <= LONGEST_NAME for p in parts)


def _parts(path: str) -> list[str]:
    return [part for part in re.split(r"[/\\]", path) if part not in {"", "."}]


def _resolved(parts: list[str]) -> list[str]:
    kept: list[str] = []
    for part in parts:
        if part != "..":
            kept.append(part)
        elif kept:
            kept.pop()
    return kept


def _unquoted(name: str) -> str:
    """A name that git has quoted in a patch, read."""
    if not name.startswith('"'):
        return name
    octets = _OCTAL.sub(lambda found: chr(int(found[1], 8)), name.strip('"'))
    return octets.encode("latin-1", "replace").decode(errors="replace")
