"""What is read from Markdown: its headings, outside of code."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

NAME_CHARACTERS: Final = 100
_MARKS: Final = re.compile(r"^#{1,6}(?=[ \t]|$)|(?:^|(?<=[ \t]))#+[ \t]*$")
"""What opens and closes a heading."""
_FENCE: Final = re.compile(r" {0,3}(`{3,}|~{3,})")
_HEADING: Final = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*))?\Z")


def lines_outside_code(text: str) -> Iterator[tuple[int, str]]:
    """The lines that stand in no fenced code, each with its number from 1 on."""
    fence = ""
    for number, line in enumerate(text.split("\n"), start=1):
        found = _FENCE.match(line)
        if fence:
            # A fence is closed by one of the same kind, at least as long, with nothing after it.
            if found and found[1].startswith(fence) and not line[found.end() :].strip():
                fence = ""
        elif found:
            fence = found[1]
        else:
            yield number, line.removesuffix("\r")


def heading_of(line: str) -> tuple[int, str] | None:
    """The level and the words of a heading."""
    found = _HEADING.match(line)
    if found is None:
        return None
    words = (found[2] or "").strip()
    bare = words.rstrip("#")
    return len(found[1]), (bare.strip() if not bare or bare[-1] in " \t" else words)


def first_heading(text: str) -> str:
    """The words of the first heading that has any, as a name."""
    for _, line in lines_outside_code(text):
        found = heading_of(line)
        if found and found[1]:
            return found[1][:NAME_CHARACTERS].strip()
    return ""


def gate_name(text: str) -> str:
    """What a gate calls a plan that has no name: its first heading, or else its first line, with words."""
    lines = text.splitlines()
    headings = [line for line in lines if re.match(r"#{1,6}[ \t]", line)]
    words = (_MARKS.sub("", line).strip() for line in (*headings, *lines))
    return next(filter(None, words), "plan")[:NAME_CHARACTERS]
