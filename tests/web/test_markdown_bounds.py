"""However a text is made, drawing it takes bounded time and memory, and gives a bounded answer."""

from __future__ import annotations

import re
import time
import tracemalloc

import pytest

from plangate_server.domain.limits import DEFAULTS
from plangate_server.web import markdown
from plangate_server.web.effort import DEEPEST, MOST_TOKENS
from plangate_server.web.markdown import MOST_CHARACTERS, render
from tests.helpers.hostile_markdown import hostile_texts

MIB = 1024 * 1024
ROOM = 400
"""What stands around a text that is shown as it is written."""
QUICK = ("headings", "hidden beside wide ones", "a long address, often", "a wide table")
TEXTS = dict(hostile_texts())


@pytest.mark.parametrize("name", QUICK)
def test_a_hostile_text_is_drawn_in_bounds(name: str) -> None:
    """In two seconds of a processor, and as no more HTML than fits."""
    begun = time.thread_time()
    html = render(TEXTS[name])
    assert time.thread_time() - begun < 2
    assert len(html) <= MOST_CHARACTERS + ROOM


@pytest.mark.parametrize("name", ["headings", "hidden beside wide ones"])
def test_a_hostile_text_takes_bounded_memory(name: str) -> None:
    """64 MB, its own size and that of the answer included."""
    tracemalloc.start()
    try:
        render(TEXTS[name])
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 64 * MIB


def test_what_does_not_fit_is_counted() -> None:
    """A megabyte of what nobody sees is not sixty of marks: the last of it is left out, and said how much."""
    text = "\x01a" * (DEFAULTS.plan_bytes // 2)
    html = render(text)
    found = re.search(r"The last ([0-9,]+) of its ([0-9,]+) characters are left out\.", html)
    assert found
    left_out, all_of_them = (int(number.replace(",", "")) for number in found.groups())
    assert all_of_them == len(text)
    assert html.count("U+0001") == (len(text) - left_out) // 2


def test_all_that_can_be_seen_is_shown() -> None:
    """As it is written, of whatever signs a plan as long as one may be is made."""
    for sign, shown in {"&": "&amp;", "<": "&lt;", '"': '"', "\u0439": "&#1081;"}.items():
        text = (sign * 100 + "\n\n") * (DEFAULTS.plan_bytes // (100 * len(sign.encode()) + 2))
        assert render(text, seconds=0).count(shown * 100) == text.count(sign) // 100


@pytest.mark.parametrize("piece", ["> ", "- ", "1. "])
def test_nothing_is_swallowed_by_depth(piece: str) -> None:
    """What is deeper than is drawn is shown as it is written, and nothing of it is missing."""
    for depth in (5, DEEPEST // 2 - 2, DEEPEST, 200):
        assert "the last words" in render(piece * depth + "the last words\n")


def test_a_text_of_many_tokens_is_shown_as_it_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the number of them, not only by the time that they take."""
    many = "a *b*\n\n" * MOST_TOKENS
    assert "too intricate" in render(many, seconds=60)
    monkeypatch.setattr(markdown, "MOST_COVERED", 2)
    assert "too intricate" in render("a & b & c & d")
    assert "too intricate" not in render("a & b & c")


def test_a_plan_of_an_ordinary_size_is_drawn() -> None:
    """Larger than any that was seen, and of ordinary words."""
    words = "Some **words** of a plan with `code` and [a link](https://example.com).\n\n"
    words += "- one\n- two\n\n## Head\n\n"
    html = render(words * (200_000 // len(words)))
    assert "too intricate" not in html
    assert html.count("<h2") == 200_000 // len(words)
