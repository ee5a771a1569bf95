"""Colour, where somebody looks at a terminal and wants it. Nothing is said by colour alone."""

from __future__ import annotations

import os
import sys
from enum import StrEnum
from functools import cache


class Style(StrEnum):
    """What a text is, as the terminal's own colours show it."""

    PLAIN = ""
    STRONG = "1"
    FAINT = "2"
    BAD = "31"
    GOOD = "32"
    WAITING = "33"
    MOVING = "36"


@cache
def has_colour() -> bool:
    wanted = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return wanted and sys.stdout.isatty()


def styled(text: str, style: Style) -> str:
    """The text in its colour, if there is any."""
    return f"\x1b[{style}m{text}\x1b[0m" if style and text and has_colour() else text
