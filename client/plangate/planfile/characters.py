"""From bytes to text, and what in a text nobody can see."""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import Final

from plangate.planfile.problems import PlanFileError, Warnings

MOST_BYTES: Final = 2 * 1024 * 1024
"""Twice what all texts of a plan may have together."""

BOM: Final = b"\xef\xbb\xbf"
OTHER_BOMS: Final = (b"\xff\xfe", b"\xfe\xff")

CONTROL: Final = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f]")
# Also what turns text around, has no width, or ends a line for some programs and not for others.
UNSEEN: Final = re.compile(
    "[\x01-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060\u2066-\u2069\ufeff"
    "\U000e0000-\U000e007f]|\r(?!\n)"
)


def decoded(data: bytes) -> str:
    """The text of a file without its byte order mark, or a PlanFileError that says where it has none."""
    if len(data) > MOST_BYTES:
        raise PlanFileError(1, f"the file has more than {MOST_BYTES // 1024**2} MiB: no plan is that large")
    if data.startswith(OTHER_BOMS):
        raise PlanFileError(1, "this is UTF-16: save the file as UTF-8")
    if (nul := data.find(0)) >= 0:
        raise PlanFileError(data.count(b"\n", 0, nul) + 1, "a NUL character is in the text: remove it")
    try:
        return data.removeprefix(BOM).decode()
    except UnicodeDecodeError as wrong:
        line = data.removeprefix(BOM).count(b"\n", 0, wrong.start) + 1
        raise PlanFileError(line, "this is not UTF-8: save the file as UTF-8") from None


def warn_of_unseen(text: str, warnings: Warnings) -> None:
    """Tell each line that has characters which act on what is shown, or hide in it."""
    found = list(UNSEEN.finditer(text))
    if not found:
        return
    ends = [match.start() for match in re.finditer("\n", text)]
    told = 0
    for match in found:
        line = bisect_left(ends, match.start()) + 1
        if line != told:
            warnings.add(line, f"{named(match[0])} is in the text, which nobody can see; it is kept")
            told = line


def named(character: str) -> str:
    return f"U+{ord(character):04X}"
