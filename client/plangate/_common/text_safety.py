"""What people do not see in a text, and what pushes the rest out of view: one rule for all who show one.

The page has the same in JavaScript (ui/hidden.js), from the same table.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import groupby
from typing import Final

from plangate._common.unicode_table import ABOVE, HIDDEN, MOST_ABOVE, MOST_BLANKS, MOST_EMPTY_LINES

BLANK: Final = " \t"
LAYOUT: Final = frozenset("\t\n")
BASELESS: Final = frozenset(" \t\n")
"""What a mark cannot be drawn on."""
_MANY_BLANKS: Final = re.compile(rf"[ \t]{{{MOST_BLANKS + 1},}}")
_RUN: Final = re.compile(r"(.)\1*", re.DOTALL)
_MANY_SPACES: Final = " " * (MOST_BLANKS + 1)
_LAST_ASTRAL: Final = "\U0010ffff"


def is_hidden(character: str) -> bool:
    """Whether nobody sees it, wherever it stands."""
    return _unseen().fullmatch(character) is not None


def is_seen(text: str) -> bool:
    """Whether a text is one line, of which people see every character."""
    return not (LAYOUT & set(text) or first_hidden(text))


def first_hidden(text: str) -> str:
    """The first character of a text that is not seen; spaces, tabs and line feeds are none."""
    candidates, hidden = _patterns("")
    for found in candidates.finditer(text):
        base = _base(found, BASELESS)
        if run := hidden.search(base + found[0]):
            return run[0][0]
    return ""


class TooManyHidden(ValueError):
    """More runs of hidden characters than whoever marks them wants to mark."""


def hidden_marked(
    text: str,
    mark: Callable[[str], str],
    baseless: frozenset[str] = BASELESS,
    most: int = sys.maxsize,
) -> str:
    """The text with a mark in the place of each run of characters that nobody sees. TooManyHidden, as soon as
    there are more places with them than ``most``.
    """
    return _marked("", text, mark, baseless, most)


def blanks_marked(text: str, mark: Callable[[str], str]) -> str:
    """The text with a mark in the place of each run of blanks that is longer than anybody needs."""
    return _MANY_BLANKS.sub(lambda found: mark(found[0]), text)


def runs(text: str) -> Iterator[tuple[str, int]]:
    """Each character with how often it comes in a row."""
    return ((found[1], found.end() - found.start()) for found in _RUN.finditer(text))


def lines_counted(text: str) -> Iterator[tuple[str, int]]:
    """Each line with a 1, and as many empty ones as nobody needs as one, with their number."""
    for is_empty, group in groupby(text.split("\n"), key=_is_empty):
        lines = list(group)
        if is_empty and len(lines) > MOST_EMPTY_LINES:
            yield "", len(lines)
        else:
            yield from ((line, 1) for line in lines)


def visible(text: str) -> str:
    r"""The text as one line of a terminal: what is not seen there is written out, as \u{200b}, or \u{200b*9}
    for nine in a row. Tabs and ends of lines are, too."""
    shown = written_out(text)
    return blanks_marked(shown, _spelled) if _MANY_SPACES in shown else shown


def written_out(text: str) -> str:
    """The same with all blanks as they are, for readers whom nothing is pushed out of view of: programs."""
    # A text that spells an escape itself must not look like one of ours.
    return r"\u{5c}u{".join(map(_written_out, text.split(r"\u{")))


def visible_lines(text: str) -> list[str]:
    """The same for a text of several lines, with the blanks at the end of each; only a line feed ends one.

    Of too many empty ones in a row, one is there, which counts them.
    """
    return [line for _, line in numbered_lines(text)]


def numbered_lines(text: str) -> Iterator[tuple[int, str]]:
    """The same with their numbers, from 1."""
    number = 1
    for line, lines in lines_counted(text):
        yield number, _visible_line(line) if lines == 1 else _written("\n", lines)
        number += lines


def _written_out(text: str) -> str:
    return text if text.isascii() and text.isprintable() else _marked(r"\t\n", text, _spelled)


def _visible_line(line: str) -> str:
    kept = line.rstrip(BLANK)
    return visible(kept) + _spelled(line[len(kept) :])


def _spelled(run: str) -> str:
    return "".join(_written(*each) for each in runs(run))


def _written(character: str, times: int) -> str:
    return f"\\u{{{ord(character):x}}}" if times == 1 else f"\\u{{{ord(character):x}*{times}}}"


def _is_empty(line: str) -> bool:
    return not line.strip(BLANK)


def _marked(
    layout: str,
    text: str,
    mark: Callable[[str], str],
    baseless: frozenset[str] = BASELESS,
    most: int = sys.maxsize,
) -> str:
    """With what is layout elsewhere taken for hidden, too."""
    candidates, hidden = _patterns(layout)
    made: dict[tuple[str, str], str] = {}
    places = 0

    def seen(found: re.Match[str]) -> str:
        nonlocal places
        base = _base(found, baseless)
        key = (base, found[0])
        if key not in made:
            made[key] = hidden.sub(lambda run: mark(run[0]), base + found[0])[len(base) :]
        if made[key] != found[0]:
            places += 1
            if places > most:
                raise TooManyHidden
        return made[key]

    return candidates.sub(seen, text)


def _base(found: re.Match[str], baseless: frozenset[str]) -> str:
    """Some letter, if there is one before what was found that marks can be drawn on."""
    start = found.start()
    return "x" if start and found.string[start - 1] not in baseless else ""


# Made when first needed: most texts have nothing but ASCII in them, and commands must start at once.


@lru_cache
def _patterns(layout: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """What to look at more closely, found quickly; and in that, what is not seen.

    That is what is not drawn, with the marks on it; marks on nothing; and more than a character bears.
    """
    hidden, above = _class(HIDDEN), _class(ABOVE)
    near = re.sub(r"\\U000[1-9].{15}|\\U0010.{15}", "", hidden + above)
    return re.compile(f"[{near}{layout}\U00010000-{_LAST_ASTRAL}]+"), re.compile(
        rf"[{hidden}{layout}][{hidden}{layout}{above}]*|^[{above}]+|(?<=[{above}]{{{MOST_ABOVE}}})[{above}]+"
    )


@lru_cache
def _unseen() -> re.Pattern[str]:
    return re.compile(f"[{_class(HIDDEN)}]")


def _class(spans: str) -> str:
    """The spans of the table as a class of a pattern, each as two escapes."""
    ends = (span.partition("-") for span in spans.split())
    return "".join(rf"\U{first:0>8}-\U{last or first:0>8}" for first, _, last in ends)
