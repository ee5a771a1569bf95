"""Writes the table of characters that nobody sees, for Python and for the page, from an excerpt of Unicode.

python tools/generate_text_safety.py           write both
python tools/generate_text_safety.py --check   say which are out of date, exit 1
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from textwrap import wrap
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
VERSION: Final = "17.0.0"
EXCERPT: Final = ROOT / "tools/unicode" / f"{VERSION}.txt"
PYTHON: Final = ROOT / "client/plangate/_common/unicode_table.py"
SCRIPT: Final = ROOT / "server/plangate_server/web/static/js/ui/unicode_table.js"

UNSEEN: Final = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp", "Zs", "Default_Ignorable_Code_Point"})
"""Control and format characters, private ones, halves of pairs, unassigned ones, spaces of any kind, and what
programs may leave out: joiners, fillers, variation selectors and tags."""
ABOVE: Final = frozenset({"Mn", "Me"})
"""What is drawn on the character before it and takes no place of its own."""
LAYOUT: Final = frozenset(map(ord, " \t\n"))
"""Unseen, too, and in every text: marked where they are so many that they push something out of view."""

BLANK: Final = {
    0x133FC: "a hieroglyph that common fonts leave empty",
    0x13440: "EGYPTIAN HIEROGLYPH MIRROR HORIZONTALLY, which acts on another one",
    0x13441: "EGYPTIAN HIEROGLYPH FULL BLANK",
    0x13442: "EGYPTIAN HIEROGLYPH HALF BLANK",
    0x16FE4: "KHITAN SMALL SCRIPT FILLER",
    0x1107F: "BRAHMI NUMBER JOINER",
    0x1D159: "MUSICAL SYMBOL NULL NOTEHEAD",
    0x2800: "BRAILLE PATTERN BLANK",
    0x2D7F: "TIFINAGH CONSONANT JOINER",
    0xFFFC: "OBJECT REPLACEMENT CHARACTER, which stands for something that is not there",
}
"""Signs, letters and marks by their category that are drawn as nothing. No property of Unicode says so."""


LIMITS: Final = {"MOST_BLANKS": 39, "MOST_EMPTY_LINES": 3, "MOST_ABOVE": 4}
"""In a row without being marked: far more than anybody indents; than anybody leaves between two parts; and as
many as UTS #39 takes for harmless on one character."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing")
    check = parser.parse_args().check
    hidden, above = classes(EXCERPT.read_text(encoding="utf-8"))
    made = {PYTHON: python_table(hidden, above), SCRIPT: script_table(hidden, above)}
    outdated = [path for path, text in made.items() if not path.exists() or path.read_text() != text]
    if check and outdated:
        names = (str(path.relative_to(ROOT)) for path in outdated)
        print("out of date, run tools/generate_text_safety.py:", *names, file=sys.stderr)
        return 1
    for path in outdated:
        path.write_text(made[path])
    return 0


def classes(excerpt: str) -> tuple[set[int], set[int]]:
    """The characters that nobody sees, and those that are drawn on the one before them."""
    found: dict[str, set[int]] = {}
    for first, last, name in re.findall(r"(?m)^([0-9A-F]+)(?:\.\.([0-9A-F]+))? *; (\w+)$", excerpt):
        found.setdefault(name, set()).update(range(int(first, 16), int(last or first, 16) + 1))
    hidden = set(BLANK).union(*(found[name] for name in UNSEEN)) - LAYOUT
    return hidden, set[int]().union(*(found[name] for name in ABOVE)) - hidden


def spans(codes: Iterable[int]) -> str:
    """As words like ``200b-200f`` and ``feff``, in lines."""
    found: list[tuple[int, int]] = []
    for code in sorted(codes):
        if found and found[-1][1] == code - 1:
            found[-1] = (found[-1][0], code)
        else:
            found.append((code, code))
    words = (f"{first:x}" if first == last else f"{first:x}-{last:x}" for first, last in found)
    return "\n".join(wrap(" ".join(words), 110, break_on_hyphens=False))


def _limits(line: str) -> str:
    return "\n".join(line.format(*limit) for limit in LIMITS.items())


def python_table(hidden: set[int], above: set[int]) -> str:
    return f'''\
"""Written by tools/generate_text_safety.py, which says what is in it. Spans of code points, in hex."""

from typing import Final

UNICODE: Final = "{VERSION}"

{_limits("{}: Final = {}")}

HIDDEN: Final = """
{spans(hidden)}
"""

ABOVE: Final = """
{spans(above)}
"""
'''


def script_table(hidden: set[int], above: set[int]) -> str:
    return f"""\
/** Written by tools/generate_text_safety.py, which says what is in it. Spans of code points, in hex. */

{_limits("export const {} = {};")}

export const HIDDEN = `
{spans(hidden)}
`;

export const ABOVE = `
{spans(above)}
`;
"""


if __name__ == "__main__":
    sys.exit(main())
