"""Text from elsewhere on a terminal: nothing in it may act on the terminal or hide from the reader."""

from __future__ import annotations

from unicodedata import combining, east_asian_width

from plangate._common.text_safety import numbered_lines, visible_lines

CUT = "…"
"""What a text ends with that does not fit."""


def numbered(text: str) -> list[str]:
    """The same with a margin, which nothing in the text can imitate: what has none is not the text's."""
    return [f"{number:4} │ {line}" for number, line in numbered_lines(text)]


def quoted(text: str) -> list[str]:
    """Somebody's words, with a margin for the same reason."""
    return [f"  > {line}" for line in visible_lines(text)]


def counted_entries(entries: int, without_content: int, head: object) -> str:
    """What a log was found to be, ending with the head that is worth saving."""
    removed = f", {without_content} without content" if without_content else ""
    return f"{entries} {'entry' if entries == 1 else 'entries'}{removed}, head {head}"


def width_of(text: str) -> int:
    """How many columns a text takes on a terminal: wide characters take two, combining ones none."""
    return len(text) if text.isascii() else sum(map(_columns, text))


def cut(text: str, width: int) -> str:
    """The text, or as much of its beginning as fits in the width, with a mark that something is missing."""
    if width_of(text) <= width:
        return text
    kept, taken = 0, 1
    for character in text:
        taken += _columns(character)
        if taken > width:
            break
        kept += 1
    return f"{text[:kept]}{CUT}"


def _columns(character: str) -> int:
    if combining(character):
        return 0
    return 2 if east_asian_width(character) in {"W", "F"} else 1
