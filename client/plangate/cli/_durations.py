"""How long something may take, as people write it."""

from __future__ import annotations

import re
from argparse import ArgumentTypeError
from datetime import timedelta
from typing import Final

UNITS: Final = {"s": "seconds", "min": "minutes", "h": "hours", "d": "days"}
_DURATION: Final = re.compile(rf"([1-9][0-9]{{0,6}}) ?({'|'.join(UNITS)})")


def duration(text: str) -> timedelta:
    """30s, 10min, 2h or 3d."""
    found = _DURATION.fullmatch(text.strip())
    if found is None:
        raise ArgumentTypeError(f"{text!r} is no duration: write a number and s, min, h or d, like 2h")
    return timedelta(**{UNITS[found[2]]: int(found[1])})
