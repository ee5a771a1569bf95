"""Texts that begin on the line below ``|`` or ``>``."""

from __future__ import annotations

import re
from typing import Final

from plangate.planfile.yaml_subset.lines import Lines
from plangate.planfile.yaml_subset.tree import Scalar, Style

HEADER: Final = re.compile(r"([|>])(?:([+-])([1-9])?|([1-9])([+-])?)?([ \t]+#.*|[ \t]*)\Z")
NO_TEXT: Final = 1 << 30
"""More than any line is indented: only empty lines belong to the text."""


def read_block_scalar(lines: Lines, header: re.Match[str], indent: int) -> Scalar:
    """The text of the indented lines below; an end of a line stays one, or (``>``) is a space."""
    start = lines.at
    lines.take()
    given = header[3] or header[4]
    width = indent + int(given) if given else _width(lines, indent)
    found = _lines_of(lines, width)
    body = found[: _without_blank_end(found)]
    chomping = header[2] or header[5] or ""
    # Empty lines at the end that are not kept are a gap before what comes next.
    lines.end = lines.at if chomping == "+" else lines.at - (len(found) - len(body))
    text = _folded(body) if header[1] == ">" else "\n".join(body)
    text += _end(body, len(found) - len(body), chomping)
    return Scalar(lines.line_of(start), text, Style.BLOCK, header[6].rstrip(" \t"))


def _width(lines: Lines, indent: int) -> int:
    """How far the text is indented: as far as the first line of it that says something."""
    for place in range(lines.at, len(lines.all)):
        line = lines.all[place]
        if line.strip(" "):
            width = len(line) - len(line.lstrip(" "))
            return width if width > indent else NO_TEXT
    return NO_TEXT


def _lines_of(lines: Lines, width: int) -> list[str]:
    found = []
    while lines.at < len(lines.all):
        line = lines.current
        if line[:width].strip(" "):
            break
        found.append(line[width:])
        lines.at += 1
    return found


def _without_blank_end(found: list[str]) -> int:
    end = len(found)
    while end and not found[end - 1]:
        end -= 1
    return end


def _end(body: list[str], blank: int, chomping: str) -> str:
    if chomping == "-":
        return ""
    if chomping == "+":
        return "\n" * (blank + bool(body))
    return "\n" if body else ""


def _folded(body: list[str]) -> str:
    """An end of a line is a space, unless a line beside it is empty or indented further."""
    parts: list[str] = []
    blank = 0
    before = ""
    for line in body:
        if not line:
            blank += 1
            continue
        if parts:
            indented = before[0] in " \t" or line[0] in " \t"
            parts.append("\n" * (blank + 1) if indented else "\n" * blank or " ")
        else:
            parts.append("\n" * blank)
        parts.append(line)
        blank, before = 0, line
    return "".join(parts)
