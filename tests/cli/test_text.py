"""How text from elsewhere is shown: everything in it can be seen, and nothing acts."""

import re
import time

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from plangate._common.text_safety import is_hidden, is_seen, visible, visible_lines
from plangate.cli._text import numbered, quoted
from tests.helpers.conditions import PATIENCE
from tests.helpers.examples import repeatable

# What a terminal obeys, and what no reader sees: control, format and private characters, odd spaces, line
# and paragraph separators, unassigned code points.
HIDDEN = st.characters(categories=["Cc", "Cf", "Co", "Cn", "Zs", "Zl", "Zp"]).filter(lambda c: c != " ")
TEXTS = st.text() | st.text(HIDDEN | st.sampled_from("ab \\u{}"))

SEEN = st.characters(categories=["L", "N", "P", "S"], exclude_characters="\\").filter(
    lambda character: not is_hidden(character)
)


def read_back(shown: str) -> str:
    """The text that a reader takes it for."""
    escape = r"\\u\{([0-9a-f]+)(?:\*(\d+))?\}"
    return re.sub(escape, lambda written: chr(int(written[1], 16)) * int(written[2] or 1), shown)


@repeatable
@given(TEXTS)
def test_what_is_shown_is_printable(text: str) -> None:
    """Whatever the text, a terminal finds nothing in it to obey, and a person nothing that is not seen."""
    assert is_seen(visible(text))
    assert not re.search(r"[\x00-\x1f\x7f-\x9f]| {40}", visible(text))


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


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\u200b\u200b\u200bb", r"a\u{200b*3}b"),
        ("a\u200b\u202e\u202e\u200bb", r"a\u{200b}\u{202e*2}\u{200b}b"),
        ("tidy" + " " * 39 + "rm", "tidy" + " " * 39 + "rm"),
        ("tidy" + " " * 5000 + "rm", r"tidy\u{20*5000}rm"),
        ("tidy" + "\t" * 60 + "rm", r"tidy\u{9*60}rm"),
        ("tidy" + "\n" * 60 + "rm", r"tidy\u{a*60}rm"),
        ("e\u0301", "e\u0301"),
        ("a" + "\u0301" * 4 + "b", "a" + "\u0301" * 4 + "b"),
        ("a" + "\u0301" * 300 + "b", "a" + "\u0301" * 4 + r"\u{301*296}b"),
        ("a" + "\u0301\u0302" * 3, "a" + "\u0301\u0302" * 2 + r"\u{301}\u{302}"),
        ("\u0338a \u0338b", r"\u{338}a \u{338}b"),
        ("a\u200b\u0338b", r"a\u{200b}\u{338}b"),
        (r"a\u{200b*3}b", r"a\u{5c}u{200b*3}b"),
    ],
)
def test_padding_and_runs(text: str, shown: str) -> None:
    """What is many times in a row is written once, with how often; marks are on letters, and few."""
    assert visible(text) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\n\n\n\nb", ["   1 │ a", "   2 │ ", "   3 │ ", "   4 │ ", "   5 │ b"]),
        ("a\n\n\n\n\nb", ["   1 │ a", r"   2 │ \u{a*4}", "   6 │ b"]),
        ("\n \n\t\n\n" + "\n" * 5000 + "b", [r"   1 │ \u{a*5004}", "5005 │ b"]),
        ("a  \n  b\t", [r"   1 │ a\u{20*2}", r"   2 │   b\u{9}"]),
    ],
)
def test_lines_of_nothing(text: str, shown: list[str]) -> None:
    """Empty lines push nothing out of view: one counts them; blanks at an end are written out."""
    assert numbered(text) == shown
    assert [line.removeprefix("  > ") for line in quoted(text)] == [line.split("│ ", 1)[1] for line in shown]


LENGTH = 128 * 1024


@pytest.mark.parametrize(
    "shape",
    ["\x01", "\x01\x02", "\x01a", "\u200ba", "\U0001d159", "\U0001d159a", "a\u0301", " ", "\n", "\U0001f600"],
)
def test_a_plan_full_of_it_is_shown_soon_and_does_not_swell(shape: str) -> None:
    """It is at most five times as long, and an eighth of the longest plan takes an eighth of a moment."""
    text = (shape * LENGTH)[: LENGTH // len(shape.encode()) * len(shape)]
    begun = time.thread_time()
    shown = visible(text)
    assert time.thread_time() - begun < PATIENCE / 8
    assert len(shown) <= 5 * len(text.encode())


@repeatable
@given(st.lists(TEXTS.map(lambda text: f"{text.replace(chr(10), '')}.")).filter(bool))
def test_only_a_line_feed_ends_a_line(lines: list[str]) -> None:
    """Each line of a text is one line on the screen, whatever else it has that could end one."""
    assert visible_lines("\n".join(lines)) == [visible(line) for line in lines]


def test_a_margin_before_every_line() -> None:
    """Only a line feed ends a line, and what follows any other break stays behind the margin."""
    assert numbered("a\n\nb\rc\u2028d\n") == ["   1 │ a", "   2 │ ", "   3 │ b\\u{d}c\\u{2028}d", "   4 │ "]
    assert quoted("a\nb\vc") == ["  > a", "  > b\\u{b}c"]
