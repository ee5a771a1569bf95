"""Which characters nobody sees: one table of Unicode's own properties, the same for whoever shows a text."""

from __future__ import annotations

import re
import subprocess
import sys
import unicodedata
from functools import cache
from pathlib import Path
from typing import Final

import pytest

from plangate._common import unicode_table
from plangate._common.text_safety import first_hidden, is_hidden, visible
from plangate_server.domain.commands import read_command
from plangate_server.web.hidden import CLOSE, OPEN, covered, uncovered
from plangate_server.web.markdown import render

EVERY: Final = range(0x110000)
WRITTEN: Final = re.compile(r"\\u\{([0-9a-f]+)\}")
ROOT: Final = Path(__file__).parents[2]
SCRIPT: Final = ROOT / "server/plangate_server/web/static/js/ui/unicode_table.js"
EXCERPT: Final = ROOT / f"tools/unicode/{unicode_table.UNICODE}.txt"
LAYOUT: Final = frozenset(map(ord, " \t\n"))
UNSEEN: Final = ("Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp", "Zs", "Default_Ignorable_Code_Point")
BLANK: Final = frozenset(
    {0x1107F, 0x133FC, 0x13440, 0x13441, 0x13442, 0x16FE4, 0x1D159, 0x2800, 0x2D7F, 0xFFFC}
)
OTHERS: Final = frozenset(
    {
        *BLANK,
        *(0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x3164, 0xFFA0),
        *range(0x180B, 0x1810),
        *range(0xFE00, 0xFE10),
        *range(0xE0100, 0xE01F0),
    }
)
"""Blank glyphs, and of Default_Ignorable_Code_Point in DerivedCoreProperties.txt the letters and marks."""
WORDS: Final = ["résumé", "नमस्ते", "สวัสดีครับ", "שָׁלוֹם", "e\u0301t\u00e9", "한국어", "漢字、かな", "😀 → ½"]


@cache
def properties() -> dict[str, set[int]]:
    """The excerpt of Unicode from which the table is made."""
    found: dict[str, set[int]] = {}
    for line in EXCERPT.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            span, _, name = line.partition(";")
            first, _, last = span.strip().partition("..")
            found.setdefault(name.strip(), set()).update(range(int(first, 16), int(last or first, 16) + 1))
    return found


def codes(table: str) -> frozenset[int]:
    spans = (span.partition("-") for span in table.split())
    return frozenset(code for a, _, b in spans for code in range(int(a, 16), int(b or a, 16) + 1))


HIDDEN: Final = codes(unicode_table.HIDDEN)
ABOVE: Final = codes(unicode_table.ABOVE)


@cache
def in_order() -> str:
    """Every character that is not drawn on another one, but for layout and what is written otherwise."""
    return "".join(map(chr, sorted({*EVERY} - ABOVE - set(map(ord, " \t\n&\\")))))


@cache
def seen() -> str:
    return "".join(each for each in in_order() if ord(each) not in HIDDEN)


def test_the_tables_are_those_that_the_script_writes() -> None:
    """For Python and for the page, from the same excerpt."""
    command = [sys.executable, "tools/generate_text_safety.py", "--check"]
    checked = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)
    assert checked.returncode == 0, checked.stderr


def test_the_page_has_the_same_table() -> None:
    """Code point by code point, limits included."""
    script = SCRIPT.read_text(encoding="utf-8")
    tables = dict(re.findall(r"export const (\w+) = `([^`]*)`;", script))
    assert codes(tables["HIDDEN"]) == HIDDEN
    assert codes(tables["ABOVE"]) == ABOVE
    limits = {name: int(number) for name, number in re.findall(r"export const (\w+) = (\d+);", script)}
    assert limits == {"MOST_BLANKS": 39, "MOST_EMPTY_LINES": 3, "MOST_ABOVE": 4}
    assert {name: getattr(unicode_table, name) for name in limits} == limits


def test_what_unicode_leaves_unseen_is_in_it() -> None:
    """Control, format, private and unassigned characters, surrogates, spaces and what programs may ignore; of
    others the blank glyphs that are named here."""
    unseen = set[int]().union(*(properties()[name] for name in UNSEEN))
    assert (unseen | BLANK) - LAYOUT == HIDDEN
    assert not unseen & BLANK
    assert not HIDDEN & ABOVE


def test_this_python_knows_the_same_characters() -> None:
    """What it knows as unseen is hidden, and nothing else that it knows, but for what no category tells."""
    differ = {
        f"U+{code:04X}"
        for code in EVERY
        if (category := unicodedata.category(chr(code))) != "Cn"
        and (code in HIDDEN) != (category in UNSEEN or code in OTHERS)
        and code not in LAYOUT | properties()["Cn"]
    }
    assert differ == set()


def test_a_terminal_writes_out_every_one_of_them() -> None:
    """And no other, but for what would end a line or move on in it."""
    written = WRITTEN.split(visible(in_order()))
    assert "".join(written[::2]) == seen()
    assert {int(code, 16) for code in written[1::2]} == HIDDEN
    assert (visible("\t"), visible("a\nb")) == (r"\u{9}", r"a\u{a}b")


def test_the_page_covers_every_one_of_them() -> None:
    """And no other; what was covered is known to the last character."""
    cover = covered(in_order())
    assert re.sub(f"{OPEN}[^{CLOSE}]+{CLOSE}", "", cover) == seen()
    assert uncovered(cover) == in_order()


def test_each_is_marked_where_a_plan_is_drawn() -> None:
    """With its number, whatever it is hidden for; of private ones and the like, the outermost."""
    many = properties()["Cn"] | properties()["Co"] | properties()["Cs"]
    ends = {code for code in many & HIDDEN if not {code - 1, code + 1} <= HIDDEN}
    some = sorted((HIDDEN - many | ends) - properties()["Cs"])
    assert len(some) > 1_500
    html = render("\n\n".join(f"a{chr(code)}b" for code in some))
    assert [int(code, 16) for code in re.findall(r">a<mark[^>]*>U\+([0-9A-F]{4,6})</mark>b<", html)] == some


@pytest.mark.parametrize(
    "character",
    [
        *("\U0001d159", "\U00016fe4", "\ufffc", "\u2800", "\u3164", "\uffa0", "\u115f", "\u1160"),
        *("\ufff9", "\ufffb", "\U000e0041", "\ufe0f", "\U000e01ef", "\u034f", "\ue000", "\U0010fffd"),
        *("\ufdd0", "\uffff", "\u200b", "\u202e", "\u2066", "\u2028", "\xad", "\x7f", "\x9b", "\u00a0"),
    ],
    ids=lambda each: f"U+{ord(each):04X}",
)
def test_one_that_hid_is_marked_everywhere(character: str) -> None:
    """Blank glyphs, fillers, annotations, tags, selectors, private ones and what turns text around."""
    assert is_hidden(character)
    assert first_hidden(f"a{character}b") == character
    assert visible(f"a{character}b") == f"a\\u{{{ord(character):x}}}b"
    assert f">U+{ord(character):04X}</mark>" in render(f"a{character}b")


@pytest.mark.parametrize("text", WORDS)
def test_words_of_any_language_stay(text: str) -> None:
    """Marks on letters are part of them."""
    assert visible(text) == text
    assert f">{text}</p>" in render(text)


def test_no_command_is_read_that_has_one() -> None:
    """A rule about commands never covers what its reader could not see."""
    letters = [chr(code) for code in HIDDEN | ABOVE if unicodedata.category(chr(code))[0] in "LN"]
    assert letters
    assert [each for each in letters if read_command(f"make {each}") is not None] == []
