"""Lines of a text, as people write them."""

from __future__ import annotations

import re
from argparse import ArgumentTypeError
from typing import Final

_RANGE: Final = re.compile(r"([1-9][0-9]{0,8})(?:-([1-9][0-9]{0,8}))?")


def line_range(text: str) -> tuple[int, int]:
    """3 or 3-5, counted from 1."""
    found = _RANGE.fullmatch(text.strip())
    if found is None:
        raise ArgumentTypeError(f"{text!r} is neither a line nor lines: write 3, or 3-5")
    return int(found[1]), int(found[2] or found[1])
