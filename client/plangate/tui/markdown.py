"""A plan's text as Markdown, in a terminal: every character of it is there, and looks like what it means.

Nothing is left out or put elsewhere. What a person reads is what they decide about: a link shows where it
leads, a comment in HTML shows what it says, and each line has its number, for remarks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

from rich.text import Text

from plangate._common.text_safety import numbered_lines
from plangate.tui.lines import Line

FENCE: Final = re.compile(r" {0,3}(`{3,}|~{3,})")
BARE_FENCE: Final = re.compile(r" *(?:`+|~+)(?:\\u\{(?:20|9)[*0-9]*\})*")
BLOCKS: Final = (
    (re.compile(r" {0,3}# .*"), "bold underline"),
    (re.compile(r" {0,3}#{2,6} .*"), "bold"),
    (re.compile(r" *>.*"), "italic"),
    (re.compile(r" *(?:[-*+]|\d{1,9}[.)])(?= )"), "bold cyan"),
    (re.compile(r" {0,3}(?:[-*_] *){3,}"), "dim"),
)
INLINE: Final = (
    (re.compile(r"\*\*(?=\S).{1,500}?\*\*|__(?=\S).{1,500}?__"), "bold"),
    (re.compile(r"(?<![\w*])\*(?=[^\s*])[^*]{1,500}\*(?![\w*])"), "italic"),
    (
        re.compile(r"!?\[[^\[\]]{0,500}\]\([^()]{0,500}\)|<[a-z]{1,20}://[^<>]{0,500}>|https?://[^\s)>\]]+"),
        "underline",
    ),
    (re.compile(r"<!--.*?(?:-->|$)|</?[A-Za-z][^<>]{0,500}>"), "yellow"),
    (re.compile(r"`[^`]{1,500}`"), "cyan"),
)
"""Each looks only so far ahead: no text may keep the screen busy."""
LONGEST_STYLED: Final = 2_000
"""Nobody writes longer lines for people; they are shown as they are."""
HIDDEN: Final = re.compile(r"(?:\\u\{[0-9a-f]+(?:\*\d+)?\})+")


@lru_cache(maxsize=4)
def text_lines(text: str) -> Sequence[Line]:
    """The same lines for the same text, so that what did not change is not made anew."""
    return tuple(_lines(text))


def _lines(text: str) -> Iterator[Line]:
    """Each line with its number; what would be invisible is written out."""
    fence = ""
    for number, line in numbered_lines(text):
        styled = Text(line, end="")
        mark = FENCE.match(line)
        if fence:
            styled.stylize("cyan")
            fence = "" if mark and mark[1].startswith(fence) and BARE_FENCE.fullmatch(line) else fence
        elif mark:
            styled.stylize("cyan")
            fence = mark[1]
        else:
            _style(styled)
        styled.highlight_regex(HIDDEN, "bold red")
        margin = Text(end="").append(f"{number:4} │ ", "dim")
        yield Line(margin.append_text(styled), "     │ ")


def _style(line: Text) -> None:
    for pattern, style in BLOCKS:
        if found := pattern.match(line.plain):
            line.stylize(style, found.start(), found.end())
            break
    for pattern, style in INLINE if len(line) <= LONGEST_STYLED else ():
        line.highlight_regex(pattern, style)
