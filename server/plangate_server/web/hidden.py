"""Characters that nobody sees: made visible, never dropped. The page's own ui/hidden.js has the same rule.

Before a text is parsed, each of them is covered by its number, and so is the sign that begins an entity: the
parser sees none of them, and finds nothing that it could turn into one. What covers them is private and so is
itself covered where it stands in a text: no text can pretend to have been covered.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

OPEN, CLOSE = "\ue000", "\ue001"
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
# Far more than anybody indents: it pushes what follows out of view.
_PADDING: Final = re.compile(r"[ \t]{40,}")
_COVERED: Final = re.compile(f"{OPEN}([0-9A-F]+){CLOSE}")


def is_hidden(character: str) -> bool:
    return character not in KEPT and (not character.isprintable() or character in NEVER_DRAWN)


def covered(text: str) -> str:
    """The text as a parser may see it; line ends become line feeds."""
    lines = text.replace("\r\n", "\n")
    covers = {ord(c): f"{OPEN}{ord(c):X}{CLOSE}" for c in set(lines) if c == "&" or is_hidden(c)}
    return lines.translate(covers) if covers else lines


def uncovered(text: str) -> str:
    """What was covered, as it was."""
    return _COVERED.sub(lambda found: chr(int(found[1], 16)), text)


def shown(html: str) -> str:
    """Rendered text, with marks that people see in place of hidden characters and of padding."""
    return _COVERED.sub(_mark, _PADDING.sub(_counted, html))


def _mark(found: re.Match[str]) -> str:
    code = int(found[1], 16)
    if code == ord("&"):
        return "&amp;"
    name = unicodedata.name(chr(code), "no character") if code > 0x1F else "control character"
    return f'<mark class="hidden" title="{name}">U+{code:04X}</mark>'


def _counted(found: re.Match[str]) -> str:
    return f'<mark class="hidden" title="padding">{len(found[0]):,} spaces</mark>'
