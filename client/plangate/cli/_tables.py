"""Rows under headings, for people."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

from plangate._common.text_safety import visible
from plangate.cli._style import Style, styled
from plangate.cli._text import cut, width_of

GAP = "  "
NARROWEST = 8
"""A column is never cut further than this."""


class Cell(NamedTuple):
    """A text with a style."""

    text: str
    style: Style = Style.PLAIN


Row: TypeAlias = Sequence[str | Cell]


def print_table(headings: Sequence[str], rows: Sequence[Row]) -> None:
    """On a terminal every row fits in one line; elsewhere nothing is cut."""
    room = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    print(*table(headings, rows, room), sep="\n")


def table(headings: Sequence[str], rows: Sequence[Row], room: int | None = None) -> list[str]:
    """Lines, with every column as wide as it must be, and no line wider than the room there is.

    What the cells say can come from anywhere: nothing in it acts on the terminal.
    """
    every = [
        [Cell(heading, Style.STRONG) for heading in headings],
        *([_cell(c) for c in row] for row in rows),
    ]
    widths = [max(width_of(row[column].text) for row in every) for column in range(len(headings))]
    if room is not None:
        _narrow(widths, room - len(GAP) * (len(widths) - 1))
    return [_line(row, widths) for row in every]


def _cell(cell: str | Cell) -> Cell:
    text, style = cell if isinstance(cell, Cell) else (cell, Style.PLAIN)
    return Cell(visible(text), style)


def _narrow(widths: list[int], room: int) -> None:
    """Take from the widest column until all of them fit, or none can give any more."""
    while sum(widths) > room and max(widths) > NARROWEST:
        widths[widths.index(max(widths))] -= 1


def _line(row: Sequence[Cell], widths: Sequence[int]) -> str:
    cells = [Cell(cut(cell.text, width), cell.style) for cell, width in zip(row, widths, strict=True)]
    padded = [
        styled(cell.text, cell.style) + " " * (width - width_of(cell.text))
        for cell, width in zip(cells, widths, strict=True)
    ]
    return GAP.join(padded).rstrip()
