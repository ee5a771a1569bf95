"""Markdown tables that also read well in a terminal."""

from __future__ import annotations

from collections.abc import Sequence


def aligned(rows: Sequence[Sequence[str]]) -> str:
    """A table whose first row is its heading."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    cells = [[cell.rjust(width) for cell, width in zip(row, widths, strict=True)] for row in rows]
    rule = ["-" * (width - 1) + ":" for width in widths]
    return "\n".join(f"| {' | '.join(line)} |" for line in [cells[0], rule, *cells[1:]])
