"""Texts in quotes, on one line or on several."""

from __future__ import annotations

import re
from typing import Final

from plangate.planfile.characters import named, unseen
from plangate.planfile.yaml_subset.lines import Lines

CLOSED: Final = {
    '"': re.compile(r'[^"\\]*(?:\\.[^"\\]*)*(")?'),
    "'": re.compile(r"[^']*(?:''[^']*)*(')?"),
}
"""The text up to the closing quote, or up to the end of the line."""

SHORT: Final = {
    **dict(zip("abtnvfre", "\a\b\t\n\v\f\r\x1b", strict=True)),
    **{character: character for character in ' "/\\\t'},
    **dict(zip("N_LP", "\x85\xa0\u2028\u2029", strict=True)),
}
NOT_CLOSED: Final = "a text begins with a quote and does not end: close it"
_ESCAPE: Final = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))")
_PAIR: Final = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_HALF: Final = re.compile("[\ud800-\udfff]")


def read_quoted(lines: Lines, rest: str, indent: int) -> tuple[str, str]:
    """The text that begins with ``rest``, and what follows its closing quote on the same line.

    The last line of it is the current one afterwards.
    """
    mark, start = rest[0], lines.at
    parts: list[str] = []
    found = _until_closed(mark, rest[1:])
    while not found[1]:
        parts.append(found[0])
        lines.go_on(start, NOT_CLOSED)
        if not _goes_on(lines.current, indent):
            lines.refuse(NOT_CLOSED, start)
        found = _until_closed(mark, lines.current.lstrip(" \t"))
    parts.append(found[0])
    text = folded(parts, escapes=mark == '"')
    return (unescaped(lines, text, start) if mark == '"' else text.replace("''", "'")), found[2]


def _goes_on(line: str, indent: int) -> bool:
    content = line.strip(" \t")
    return not content or len(line) - len(line.lstrip(" ")) > indent


def _until_closed(mark: str, text: str) -> tuple[str, bool, str]:
    """The text before the closing quote, whether there is one, and what follows it."""
    found = CLOSED[mark].match(text)
    assert found is not None  # both patterns match nothing, too
    if found[1]:
        return text[: found.end() - 1], True, text[found.end() :]
    return text, False, ""


def folded(parts: list[str], *, escapes: bool = False) -> str:
    """Lines as one text: an end of a line is a space, an empty line an end of a line."""
    found = [parts[0]]
    breaks = 0
    for place, part in enumerate(parts[1:], start=2):
        content = part.strip(" \t") if place < len(parts) else part.lstrip(" \t")
        if not content and place < len(parts):
            breaks += 1
            continue
        before = found[-1]
        if escapes and not breaks and _ends_escaped(before):
            found[-1] = before[:-1]
        else:
            found[-1] = before.rstrip(" \t")
            found.append("\n" * breaks or " ")
        found.append(content)
        breaks = 0
    return "".join(found)


def _ends_escaped(text: str) -> bool:
    return (len(text) - len(text.rstrip("\\"))) % 2 == 1


def unescaped(lines: Lines, text: str, place: int) -> str:
    """What the escapes of a text in double quotes stand for."""
    if "\\" not in text:
        return text
    plain = _ESCAPE.sub(lambda found: _character(lines, found, place), text)
    # Two escapes for one character are how JSON writes what has no short code.
    whole = _PAIR.sub(lambda pair: pair[0].encode("utf-16", "surrogatepass").decode("utf-16"), plain)
    if _HALF.search(whole):
        lines.refuse("an escape stands for half a character: write the character itself", place)
    if hidden := unseen(whole):
        lines.warn(place, f"{named(hidden)} is written as an escape, and nobody can see it; it is kept")
    return whole


def _character(lines: Lines, found: re.Match[str], place: int) -> str:
    code = found[1] or found[2] or found[3]
    if code is None:
        if found[4] in SHORT:
            return SHORT[found[4]]
        if found[4] != "0":
            lines.refuse(f"\\{found[4]} means nothing in double quotes: write \\\\ for a backslash", place)
        code = "0"
    number = int(code, 16)
    if number == 0 or number > 0x10FFFF:
        lines.refuse(f"{found[0]} stands for no character that a text can have: remove it", place)
    return chr(number)
