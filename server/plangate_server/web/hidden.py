"""Characters that nobody sees: made visible, never dropped."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

OPEN, CLOSE = "\ue000", "\ue001"
"""Stand around a character's number while a text is rendered. As private ones they are hidden, too."""
KEPT: Final = frozenset("\n\t ")
# Printable by their class, and drawn by no browser: fillers, joiners, variation selectors.
NEVER_DRAWN: Final = frozenset(
    map(
        chr,
        (
            *(0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0),
            *(
                code
                for a, b in ((0x180B, 0x180F), (0xFE00, 0xFE0F), (0xE0100, 0xE01EF))
                for code in range(a, b + 1)
            ),
        ),
    )
)
# Padding: so many spaces in a line push what comes after them out of view. Those at its begin or end do not.
_PADDING: Final = re.compile(r"(?<=[^ \t\n])[ \t]{40,}(?=[^ \t\n])")
_MARKED: Final = re.compile(f"{OPEN}([0-9a-f]+){CLOSE}")
_PADDED: Final = re.compile(f"{OPEN}s([0-9]+){CLOSE}")


def is_hidden(character: str) -> bool:
    return character not in KEPT and (not character.isprintable() or character in NEVER_DRAWN)


def marked(text: str) -> str:
    """The text with marks in place of hidden characters and of padding; line ends become line feeds."""
    lines = text.replace("\r\n", "\n")
    seen = "".join(f"{OPEN}{ord(c):x}{CLOSE}" if is_hidden(c) else c for c in lines)
    return _PADDING.sub(lambda found: f"{OPEN}s{len(found[0])}{CLOSE}", seen)


def shown(html: str) -> str:
    """Rendered text with the marks as people see them."""
    return _PADDED.sub(_counted, _MARKED.sub(_mark, html))


def _mark(found: re.Match[str]) -> str:
    code = int(found[1], 16)
    name = unicodedata.name(chr(code), "no character") if code > 0x1F else "control character"
    return f'<mark class="hidden" title="{name}">U+{code:04X}</mark>'


def _counted(found: re.Match[str]) -> str:
    return f'<mark class="hidden" title="padding">{int(found[1]):,} spaces</mark>'
