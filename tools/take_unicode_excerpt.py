"""Takes from Unicode what the marking of hidden characters follows from, as ranges of its properties.

uv run --no-project --with unicodedata2==17.0.0 --with regex python tools/take_unicode_excerpt.py

writes tools/unicode/17.0.0.txt. Run it when the gate moves to another version of Unicode, and then
tools/generate_text_safety.py, which reads nothing but the excerpt and so makes the same of it everywhere.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from importlib import import_module
from itertools import groupby
from pathlib import Path
from typing import Final

CATEGORIES: Final = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp", "Zs", "Mn", "Me"})
IGNORABLE: Final = "Default_Ignorable_Code_Point"
HEAD: Final = """\
# An excerpt of the Unicode Character Database, version {version}: of DerivedGeneralCategory.txt what is no
# letter, number, sign or spacing mark, and of DerivedCoreProperties.txt {ignorable}.
# Written by tools/take_unicode_excerpt.py.
# (c) Unicode, Inc. For terms of use see https://www.unicode.org/terms_of_use.html
"""


def main() -> int:
    characters, patterns = import_module("unicodedata2"), import_module("regex")
    version = characters.unidata_version
    ignorable = patterns.compile(rf"\p{{{IGNORABLE}}}")
    everything = list(map(chr, range(sys.maxunicode + 1)))
    categories = [characters.category(each) for each in everything]
    kept = [each if each in CATEGORIES else "" for each in categories]
    lines = [HEAD.format(version=version, ignorable=IGNORABLE), *_ranges(kept)]
    lines += _ranges([IGNORABLE if ignorable.match(each) else "" for each in everything])
    file = Path(__file__).parent / "unicode" / f"{version}.txt"
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return 0


def _ranges(values: Sequence[str]) -> Iterator[str]:
    """As the database writes them, by value; what has none is left out."""
    found = []
    for value, group in groupby(range(len(values)), key=values.__getitem__):
        codes = list(group)
        found.append((value, codes[0], codes[-1]))
    for value, first, last in sorted(found):
        if value:
            span = f"{first:04X}" if first == last else f"{first:04X}..{last:04X}"
            yield f"{span:<14} ; {value}"


if __name__ == "__main__":
    sys.exit(main())
