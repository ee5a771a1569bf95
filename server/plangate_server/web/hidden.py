"""What nobody sees in a plan's text is made visible in what is drawn of it, never dropped.

Before a text is parsed, each run of hidden characters is covered by its numbers, and so is the sign that
begins an entity: the parser sees none of them, and finds nothing that it could turn into one. What covers
them is private and so is itself covered where it stands in a text: no text can pretend to have been covered.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from html import escape
from typing import Final

from plangate._common.text_safety import (
    BASELESS,
    TooManyHidden,
    blanks_marked,
    hidden_marked,
    lines_counted,
    runs,
)
from plangate._common.unicode_table import MOST_EMPTY_LINES

OPEN, CLOSE = "\ue000", "\ue001"
NEXT, TIMES = "Y", "X"
MARK: Final = "<mark"
MOST_IN_A_ROW: Final = 32
"""Different ones. Of more, the number is said."""
_COVERED: Final = re.compile(f"{OPEN}([0-9A-F{NEXT}{TIMES}]+){CLOSE}")
_BREAKS: Final = re.compile(rf"(?:<br>\n?){{{MOST_EMPTY_LINES + 2},}}")
_EMPTY_BLOCK: Final = re.compile(r"<(h[1-6]|blockquote)( [^>]*)?>\n?</\1>")
_BASELESS: Final = BASELESS | {">"}
"""In HTML, a mark at the beginning of an element is on nothing, too."""


def covered(text: str, most: int = sys.maxsize) -> str:
    """The text as a parser may see it; line ends become line feeds. TooManyHidden beyond ``most`` covers."""
    if text.count("&") > most:
        raise TooManyHidden
    return hidden_marked(text.replace("\r\n", "\n"), _cover, most=most).replace("&", f"{OPEN}26{CLOSE}")


def uncovered(text: str) -> str:
    """What was covered, as it was."""
    return _COVERED.sub(lambda found: "".join(each * times for each, times in _under(found[1])), text)


def shown(html: str) -> str:
    """Rendered text, with marks that people see in place of hidden characters and of padding."""
    drawn = _EMPTY_BLOCK.sub(_with_words, _BREAKS.sub(_counted_breaks, _with_counted_lines(html)))
    seen = blanks_marked(drawn, lambda blanks: _said(f"{len(blanks):,} spaces"))
    marks = _Marks()
    marked = _COVERED.sub(lambda found: "&amp;" if found[1] == "26" else marks.of(_under(found[1])), seen)
    return hidden_marked(marked, lambda run: marks.of(list(runs(run))), _BASELESS)


def written(text: str) -> str:
    """A text as written, in HTML, with the same marks. Nothing of it is parsed, so nothing is covered."""
    lines = _with_counted_lines(escape(text, quote=False))
    seen = blanks_marked(lines, lambda blanks: _said(f"{len(blanks):,} spaces"))
    marks = _Marks()
    return hidden_marked(seen, lambda run: marks.of(list(runs(run))), _BASELESS)


def _cover(run: str) -> str:
    return f"{OPEN}{NEXT.join(_number(*each) for each in runs(run))}{CLOSE}"


def _number(character: str, times: int) -> str:
    return f"{ord(character):X}" + (f"{TIMES}{times}" if times > 1 else "")


def _under(cover: str) -> list[tuple[str, int]]:
    """What a cover covers: each character, and how often it comes in a row."""
    parts = (number.partition(TIMES) for number in cover.split(NEXT))
    return [(chr(int(number, 16)), int(times or 1)) for number, _, times in parts]


class _Marks:
    """The marks of one text. Each character's name is in its first one alone: it is longer than the mark."""

    def __init__(self) -> None:
        self._named: set[str] = set()

    def of(self, hidden: list[tuple[str, int]]) -> str:
        marks = [self._mark(*each) for each in hidden[:MOST_IN_A_ROW]]
        if more := sum(times for _, times in hidden[MOST_IN_A_ROW:]):
            marks.append(_said(f"{more:,} more that are hidden"))
        return "".join(marks)

    def _mark(self, character: str, times: int) -> str:
        words = f"U+{ord(character):04X}" + (f" \N{MULTIPLICATION SIGN} {times:,}" if times > 1 else "")
        if character in self._named:
            return _said(words)
        self._named.add(character)
        name = unicodedata.name(character, "no character" if ord(character) > 0x1F else "control character")
        return f'{MARK} title="{escape(name)}">{words}</mark>'


def _said(words: str) -> str:
    return f"{MARK}>{words}</mark>"


def _with_counted_lines(html: str) -> str:
    """Only code has empty lines in what is rendered."""
    lines = lines_counted(html)
    return "\n".join(line if times == 1 else _said(f"{times:,} empty lines") for line, times in lines)


def _counted_breaks(found: re.Match[str]) -> str:
    lines = found[0].count("<br>") - 1
    return f"<br>{_said(f'{lines:,} empty lines')}<br>"


def _with_words(found: re.Match[str]) -> str:
    what = "quote" if found[1] == "blockquote" else "heading"
    return f"<{found[1]}{found[2] or ''}>{_said(f'empty {what}')}</{found[1]}>"
