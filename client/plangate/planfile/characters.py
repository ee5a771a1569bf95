"""From bytes to text, and what in a text nobody can see."""

from __future__ import annotations

import re
from typing import Final

from plangate._common.text_safety import first_hidden
from plangate.planfile.problems import PlanFileError, Warnings

MOST_BYTES: Final = 2 * 1024 * 1024
"""Twice what all texts of a plan may have together."""

BOM: Final = b"\xef\xbb\xbf"
OTHER_BOMS: Final = (b"\xff\xfe", b"\xfe\xff")

ORDINARY: Final = dict.fromkeys(map(ord, "\xa0\xad\u200c\u200d\u202f\u3000\ufe0e\ufe0f"))
"""Spaces, joiners and selectors of scripts and emoji. Who shows a text marks them, too; told of a file, they
would drown the rest."""
CONTROL: Final = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f]")


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


def unseen(text: str) -> str:
    """The first character that nobody sees and ordinary writing has no use for; empty if there is none."""
    return first_hidden(text if text.isascii() else text.translate(ORDINARY))


def warn_of_unseen(text: str, warnings: Warnings) -> None:
    """Tell which characters act on what is shown, or hide in it: each at its first line."""
    lines: dict[str, list[int]] = {}
    text = text.replace("\r\n", "\n")
    for number, line in enumerate(text.split("\n") if unseen(text) else (), start=1):
        if hidden := unseen(line):
            lines.setdefault(hidden, []).append(number)
    for hidden, found in lines.items():
        more = f", as in {len(found) - 1} more of its lines" if len(found) > 1 else ""
        warnings.add(found[0], f"{named(hidden)} is in the text, which nobody can see{more}; it is kept")


def named(character: str) -> str:
    return f"U+{ord(character):04X}"
