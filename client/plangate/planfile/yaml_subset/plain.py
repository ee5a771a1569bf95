"""Texts without quotes; also those that should have them."""

from __future__ import annotations

import re
from typing import Final

from plangate.planfile.yaml_subset.emit import quoted
from plangate.planfile.yaml_subset.lines import Lines
from plangate.planfile.yaml_subset.quoted import folded
from plangate.planfile.yaml_subset.tree import Scalar

COLON: Final = re.compile(r":(?=[ \t]|$)")
COMMENT: Final = re.compile(r"(?<![ \t])[ \t]+#.*\Z")
# A key of ours that is indented by mistake must not become part of the text before it.
OUR_KEY: Final = re.compile(
    r"(?:- +)?(?:name|overview|todos|isProject|phases|id|content|status|dependencies):(?: |$)"
)


def read_plain(lines: Lines, rest: str, indent: int, wrong: str = "") -> Scalar:
    """The text that begins with ``rest``; ``wrong`` says why YAML would not take it, if that is known."""
    start = lines.at
    parts = [rest.strip(" \t"), *_further(lines, indent)]
    comment = COMMENT.search(parts[-1])
    last = parts[-1][: comment.start()] if comment else parts[-1]
    inside = parts[:-1]
    if not wrong and any(map(COLON.search, (*inside, last))):
        wrong = "a colon"
    if not wrong and any(map(COMMENT.search, inside)):
        wrong = "a # after a space"
    if not wrong:
        text = folded([*inside, last])
        return Scalar(lines.line_of(start), text, comment=comment[0] if comment else "")
    text = folded(parts)
    lines.replace(start, rest, quoted(text))
    lines.warn(start, f"{wrong} needs quotes around this text in YAML: it was read as if they were there")
    return Scalar(lines.line_of(start), text)


def _further(lines: Lines, indent: int) -> list[str]:
    """The lines by which a text goes on: those that are indented more than its key."""
    found: list[str] = []
    lines.take()
    blank = 0
    for place in range(lines.at, len(lines.all)):
        line = lines.all[place]
        content = line.strip(" \t")
        if not content:
            blank += 1
            continue
        if len(line) - len(line.lstrip(" ")) <= indent or content.startswith("#"):
            break
        if OUR_KEY.match(content):
            lines.refuse(
                "this line is indented more than the keys around it: give it the same indentation", place
            )
        found += [""] * blank + [content]
        blank = 0
        lines.at = lines.end = place + 1
    return found
