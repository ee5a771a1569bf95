"""Patterns of paths, written as in a .gitignore file."""

from __future__ import annotations

import re
from typing import Final

from msgspec import Struct
from pathspec import GitIgnoreSpec

from plangate_server.domain.name_patterns import folded
from plangate_server.plainyaml.notes import shown
from plangate_server.plainyaml.values import plain

MOST_STARS: Final = 4
MOST_STARS_IN_NAME: Final = 2


class Paths(Struct, frozen=True):
    """Whether any of the patterns means a path."""

    expressions: tuple[re.Pattern[str], ...]

    def __call__(self, path: str) -> bool:
        return any(expression.search(path) for expression in self.expressions)


def path_pattern(text: str) -> str:
    """A pattern that can be read in one way only, or ValueError."""
    plain(text)
    for found, advice in (
        (text.startswith("!"), "begins with !: write rules of the other kind for what is to be left out"),
        (text.startswith("#"), "begins with #, which would make it a comment: write [#]"),
        (text.startswith("~"), "begins with ~: leave that out, a deny rule holds in every folder"),
        ("\\" in text, "has a backslash: put / between folders"),
        (".." in text.split("/"), "has .. in it: write the path that it leads to"),
        ("." in text.split("/"), "has . as a folder: leave that out"),
        ("//" in text, "has // in it: write one"),
        (not text.strip("/"), "names nothing: write ** for everything"),
        (
            re.search(r"[^/]\*\*|\*\*[^/]", text),
            "has ** in a name: write *, or ** as a folder of its own",
        ),
        (re.search(r"\[[!^]", text), "has a class of what is not meant: write a class of what is"),
        (_is_costly(text), "has too many *: write several patterns instead"),
        (_compiled(text) is None, "cannot be read: look at its [ and ]"),
    ):
        if found:
            raise ValueError(f"is {shown(text)}, which {advice}")
    return text


def paths_exactly(patterns: tuple[str, ...]) -> Paths:
    """For rules that allow: what the patterns mean, seen from the root."""
    return _paths(patterns)


def paths_anywhere(patterns: tuple[str, ...]) -> Paths:
    """For rules that deny: in every folder, in every spelling, and the folder along with what is in it."""
    return _paths(tuple(_broadened(folded(pattern)) for pattern in patterns))


def _is_costly(pattern: str) -> bool:
    """Whether an agent could find a path that takes long to match: each * multiplies the ways to read it."""
    return pattern.count("*") - pattern.count("**") > MOST_STARS or any(
        part.count("*") > MOST_STARS_IN_NAME for part in pattern.split("/")
    )


def _broadened(pattern: str) -> str:
    around = re.sub(r"(/\*{0,2})+$", "", pattern.strip("/"))
    return around if around in {"", "*", "**"} else f"**/{around.removeprefix('**/')}"


def _paths(patterns: tuple[str, ...]) -> Paths:
    compiled = (_compiled(pattern) for pattern in patterns)
    return Paths(tuple(expression for expression in compiled if expression is not None))


def _compiled(pattern: str) -> re.Pattern[str] | None:
    """None if there is nothing that it could mean."""
    try:
        (found,) = GitIgnoreSpec.from_lines([pattern]).patterns
    except (ValueError, re.error):
        return None
    expression = found.regex if isinstance(found.regex, re.Pattern) else None
    return expression if found.include and pattern.count("[") == pattern.count("]") else None
