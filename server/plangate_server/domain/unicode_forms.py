"""Normal forms of texts that anybody may have written: they grow a little at most, and take no longer for it.

Unicode's own forms let one character become eighteen, and put marks in order in a time that grows with the
square of how many of them follow each other.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final, Literal

MOST_MARKS: Final = 30
"""In a row, as in Unicode's Stream-Safe Text Format (UAX 15); no language needs more."""
MOST_GROWTH: Final = 4
"""Characters that one may become. What becomes more, words and units of other scripts, stays as it is."""

_WIDE: Final = "".join(
    character
    for character in map(chr, (*range(0x3200, 0x3400), *range(0xFDF0, 0xFE00)))
    if len(unicodedata.normalize("NFKD", character)) > MOST_GROWTH
)
_WIDE_ONES: Final = re.compile(f"([{_WIDE}]+)")
_MAY_BE_MARKS: Final = re.compile(rf"[^\x00-\x7f]{{{MOST_MARKS + 1}}}")


def normal_form(form: Literal["NFKC", "NFKD"], text: str) -> str:
    """The text in one of the forms that make the same of what looks the same."""
    if text.isascii():
        return text
    if _MAY_BE_MARKS.search(text):
        text = _with_few_marks(text)
    parts = _WIDE_ONES.split(text)
    parts[::2] = [unicodedata.normalize(form, part) for part in parts[::2]]
    return "".join(parts)


def _with_few_marks(text: str) -> str:
    kept: list[str] = []
    row = 0
    for character in text:
        starts, marks = _marks(character)
        row = marks if starts else row + marks
        if starts or row <= MOST_MARKS:
            kept.append(character)
    return "".join(kept)


@lru_cache(maxsize=4096)
def _marks(character: str) -> tuple[bool, int]:
    """Taken apart: whether anything in it is no mark, and how many marks follow after that."""
    parts = [unicodedata.combining(part) > 0 for part in unicodedata.normalize("NFKD", character)]
    starts = not all(parts)
    return starts, parts[::-1].index(False) if starts else len(parts)
