"""Lines for a screen of any width: what does not fit goes on below, and can never pass for another line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from rich.cells import cell_len, get_character_cell_size
from rich.text import Text

WIDEST: Final = 120
"""Longer lines are hard to read, however wide the screen is."""
NARROWEST: Final = 8
MARGIN: Final = re.compile(r" *(?:\d+ │ |> |[-+](?![-+])|\d+\. )?")
GOES_ON: Final = "  ↳ "


class Line(NamedTuple):
    """A text, and what stands before each part of it that does not fit in the row above."""

    text: Text
    below: str = GOES_ON
    part: str = ""
    """Of what people should see before they decide, the part that it belongs to; empty for all else."""


@lru_cache(maxsize=8_192)
def line_of(printed: str) -> Line:
    """A line as the commands print it, with their colours."""
    text = Text.from_ansi(printed, end="")
    margin = MARGIN.match(text.plain)
    found = margin[0] if margin else ""
    if not found.strip():
        return Line(text)
    return Line(text, re.sub(r"\d+\. ", lambda it: " " * len(it[0]), re.sub(r"\d+(?= │)", _blank, found)))


def lines_of(printed: Iterable[str]) -> Iterator[Line]:
    return map(line_of, printed)


def folded(line: Line, width: int) -> list[Text]:
    """The rows of a line, none wider than the width."""
    room = max(min(width, WIDEST), NARROWEST)
    text, below, _ = line
    if cell_len(text.plain) <= room:
        return [text]
    ends = _ends(text.plain, room, max(room - len(below), 1))
    first, *others = text.divide(ends)
    return [first, *(Text(end="").append(below, "dim").append_text(each) for each in others)]


def _ends(plain: str, room: int, room_below: int) -> list[int]:
    """Where each row but the last one ends: behind a blank, if there is one in its second half."""
    ends: list[int] = []
    start = taken = 0
    after_blank = 0
    for place, character in enumerate(plain):
        size = get_character_cell_size(character)
        if taken + size > (room_below if ends else room):
            end = after_blank if after_blank > start + (place - start) // 2 else place
            ends.append(end)
            taken = sum(map(get_character_cell_size, plain[end:place]))
            start = end
        taken += size
        if character == " ":
            after_blank = place + 1
    return ends


def _blank(found: re.Match[str]) -> str:
    return " " * len(found[0])
