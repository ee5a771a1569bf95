"""How text from elsewhere is shown: everything in it can be seen, and nothing acts."""

import re

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from plangate._common.text_safety import visible, visible_lines
from plangate.cli._text import numbered, quoted
from tests.helpers.examples import repeatable

# What a terminal obeys, and what no reader sees: control, format and private characters, odd spaces, line
# and paragraph separators, unassigned code points.
HIDDEN = st.characters(categories=["Cc", "Cf", "Co", "Cn", "Zs", "Zl", "Zp"]).filter(lambda c: c != " ")
TEXTS = st.text() | st.text(HIDDEN | st.sampled_from("ab \\u{}"))

# Default_Ignorable_Code_Point (Unicode, DerivedCoreProperties.txt) that are letters or marks by category.
IGNORABLE = [
    *("\u034f", "\u115f", "\u1160", "\u17b4", "\u17b5", "\u180b", "\u180c", "\u180d", "\u180f"),
    *("\u3164", "\ufe00", "\ufe0e", "\ufe0f", "\uffa0", "\U000e0100", "\U000e01ef"),
]

SEEN = st.characters(
    categories=["L", "N", "P", "S"], exclude_characters=["\\", "\u2800", *IGNORABLE]
) | st.just(" ")


def read_back(shown: str) -> str:
    """The text that a reader takes it for."""
    return re.sub(r"\\u\{([0-9a-f]+)\}", lambda written: chr(int(written[1], 16)), shown)


@repeatable
@given(TEXTS)
def test_what_is_shown_is_printable(text: str) -> None:
    """Whatever the text, a terminal finds nothing in it to obey."""
    assert visible(text).isprintable()


@repeatable
@given(st.text(SEEN))
def test_what_can_be_seen_stays(text: str) -> None:
    """Text without anything hidden is shown as it is."""
    assert visible(text) == text


@repeatable
@given(TEXTS)
def test_what_is_shown_can_be_read_back(text: str) -> None:
    """Nothing is lost: a reader can tell which text it was, if it has no escapes of its own."""
    assume("\\u{" not in text)
    assert read_back(visible(text)) == text


@repeatable
@given(TEXTS, HIDDEN, TEXTS)
def test_a_hidden_character_makes_a_difference(before: str, hidden: str, after: str) -> None:
    """Texts that differ in one hidden character look different, and the character is gone."""
    assert visible(before + hidden + after) != visible(before + after)
    assert hidden not in visible(before + hidden + after)


@pytest.mark.parametrize("character", IGNORABLE, ids=lambda character: f"U+{ord(character):04X}")
def test_a_character_that_is_never_drawn_is_written_out(character: str) -> None:
    """Variation selectors, fillers and the like hide text from the reader as zero-width spaces do."""
    assert visible(f"a{character}b") == f"a\\u{{{ord(character):x}}}b"


@repeatable
@given(st.lists(TEXTS.map(lambda text: text.replace("\n", ""))).filter(bool))
def test_only_a_line_feed_ends_a_line(lines: list[str]) -> None:
    """Each line of a text is one line on the screen, whatever else it has that could end one."""
    assert visible_lines("\n".join(lines)) == [visible(line) for line in lines]


def test_a_margin_before_every_line() -> None:
    """Only a line feed ends a line, and what follows any other break stays behind the margin."""
    assert numbered("a\n\nb\rc\u2028d\n") == ["   1 │ a", "   2 │ ", "   3 │ b\\u{d}c\\u{2028}d", "   4 │ "]
    assert quoted("a\nb\vc") == ["  > a", "  > b\\u{b}c"]
