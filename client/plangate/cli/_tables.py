"""Rows under headings, for people."""

from __future__ import annotations

from collections.abc import Sequence


def table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Lines, with every column as wide as it must be."""
    every = [headings, *rows]
    widths = [max(len(row[column]) for row in every) for column in range(len(headings))]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in every
    ]
