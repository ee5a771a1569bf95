"""Normal forms that no text can make large or slow."""

import time
import unicodedata
from typing import Literal

import pytest

from plangate_server.domain import limits
from plangate_server.domain.command_patterns import parse_pattern
from plangate_server.domain.denied_commands import might_run
from plangate_server.domain.name_patterns import folded
from plangate_server.domain.unicode_forms import MOST_GROWTH, MOST_MARKS, normal_form

MOST_SECONDS = 2.0
FORMS: tuple[Literal["NFKC"], Literal["NFKD"]] = ("NFKC", "NFKD")
BYTES = limits.COMMAND_BYTES

HOSTILE = {
    "one letter that is eighteen": "\ufdfa",
    "marks out of order": "\u0301\u0323",
    "marks that are two": "\u0f73",
    "spacing marks": "\U0001d165\U0001d16d",
    "syllables": "\uac01",
    "letters with two marks": "\u0390",
    "wide letters": "\uff52\uff4d ",
}


def test_every_character_has_its_form_or_stays() -> None:
    """Over all of Unicode: the form is Unicode's own, but for what would become many characters."""
    every = map(chr, range(0x110000))
    taken_apart = [each for each in every if not unicodedata.is_normalized("NFKD", each)]
    for character in taken_apart:
        for form in FORMS:
            found = normal_form(form, character)
            assert len(found) <= MOST_GROWTH
            assert found in {unicodedata.normalize(form, character), character}


@pytest.mark.parametrize("text", ["é", "e\u0301\u0323", "ﬁ №", "가각", "\u0e01\u0e34\u0e49", "a\u20dd"])
def test_texts_of_languages_have_unicodes_form(text: str) -> None:
    """Nothing is left out of what people write."""
    for form in FORMS:
        assert normal_form(form, text) == unicodedata.normalize(form, text)


def test_more_marks_than_any_language_has_are_left_out() -> None:
    """The first of them stay, and what follows the row, too."""
    text = normal_form("NFKD", "a" + "\u0301" * 1000 + "b" + "\u0323" * 1000)
    assert text == "a" + "\u0301" * MOST_MARKS + "b" + "\u0323" * MOST_MARKS


@pytest.mark.parametrize("piece", HOSTILE.values(), ids=HOSTILE)
def test_hostile_texts_are_read_in_bounded_time(piece: str) -> None:
    """As long as a command may be, and whatever it is made of, rules that deny can be asked about it."""
    text = "a" + piece * (BYTES // len(piece.encode()) - 1)
    begun = time.thread_time()
    folded(text)
    might_run(text, parse_pattern("rm -rf *"))
    assert time.thread_time() - begun < MOST_SECONDS


def test_more_commands_than_can_be_looked_at_might_be_any() -> None:
    """A text full of a program's commands is taken for one that runs the denied one."""
    pattern = parse_pattern("rm -rf secrets")
    text = "".join(f"rm a{number};" for number in range(6000))
    assert might_run(text, pattern)
    assert not might_run(text[:2000], pattern)
