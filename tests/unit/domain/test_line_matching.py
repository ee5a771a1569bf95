"""Which lines of a text became which of another: right for every text, in bounded work for hostile ones."""

import random
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plangate_server.domain.limits import MIB
from plangate_server.domain.line_matching import CHANGED_LINES, match_lines
from tests.helpers.examples import repeatable

MOST_SECONDS = 1.0
"""Many times what it takes."""

TEXTS = st.lists(st.sampled_from("abc"), max_size=9).map("\n".join) | st.text("ab\n", max_size=9)


def random_lines(kinds: int, seed: int, count: int) -> str:
    numbers = random.Random(seed)
    return "\n".join(str(numbers.randrange(kinds)) for _ in range(count))


@repeatable
@given(TEXTS, TEXTS)
def test_what_is_matched_is_the_same_line(old: str, new: str) -> None:
    """Every block is of equal lines, and the blocks follow each other on both sides."""
    matching = match_lines(old, new)
    left, right = old.split("\n"), new.split("\n")
    assert (matching.old_lines, matching.new_lines, matching.is_whole) == (len(left), len(right), True)
    at = (0, 0)
    for block in matching.blocks:
        assert block.lines > 0
        assert (block.old, block.new) >= at
        assert min(block.old - at[0], block.new - at[1]) >= 0
        at = (block.old + block.lines, block.new + block.lines)
        assert left[block.old : at[0]] == right[block.new : at[1]]


@repeatable
@given(TEXTS, TEXTS, st.data())
def test_lines_are_followed_as_far_as_they_are_matched(old: str, new: str, data: st.DataObject) -> None:
    """A range becomes the lines from its first to its last one that is still there."""
    matching = match_lines(old, new)
    first = data.draw(st.integers(0, matching.old_lines - 1))
    last = data.draw(st.integers(first, matching.old_lines - 1))
    became = {block.old + line: block.new + line for block in matching.blocks for line in range(block.lines)}
    kept = [became[line] for line in range(first, last + 1) if line in became]
    assert matching.became(first, last) == ((min(kept), max(kept)) if kept else None)


def test_few_changes_in_a_long_text_are_found() -> None:
    """What is far apart is found as well as what is close together."""
    lines = [f"line {number}" for number in range(9000)]
    changed = [*lines[:100], "new", *lines[100:5000], "other", *lines[5001:]]
    matching = match_lines("\n".join(lines), "\n".join(changed))
    assert (matching.is_whole, sum(block.lines for block in matching.blocks)) == (True, 8999)
    assert matching.became(5001, 5001) == (5002, 5002)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("#" + "\n" * MIB, "$" + "\n" * MIB + "x"),
        (random_lines(150, 1, 290_000), random_lines(150, 2, 290_000)),
        (random_lines(2, 1, CHANGED_LINES // 2), random_lines(2, 2, CHANGED_LINES // 2)),
        (random_lines(150, 1, CHANGED_LINES // 2), random_lines(150, 2, CHANGED_LINES // 2)),
        ("a\n" * 9000 + "x", "b\n" + "a\n" * 10_000),
        ("\n".join(map(str, range(9900))), "\n".join(map(str, range(9900, 0, -1)))),
        ("x" * MIB, "x" * (MIB - 1) + "y"),
    ],
    ids=["a million lines", "many", "two kinds", "150 kinds", "equal", "reversed", "one long line"],
)
def test_hostile_texts_take_bounded_work(old: str, new: str) -> None:
    """Whatever two texts of a plan's size are, they are compared as far as there is time."""
    begun = time.thread_time()
    match_lines(old, new)
    assert time.thread_time() - begun < MOST_SECONDS


def test_what_was_not_compared_is_told() -> None:
    """Too many lines that differ are not looked at, and those around them are matched all the same."""
    old, new = ("\n".join(["same", *(f"{side} {n}" for n in range(CHANGED_LINES)), "end"]) for side in "ab")
    matching = match_lines(old, new)
    assert (matching.is_whole, matching.compared) == (False, 0)
    assert [(block.old, block.new, block.lines) for block in matching.blocks] == [
        (0, 0, 1),
        (CHANGED_LINES + 1, CHANGED_LINES + 1, 1),
    ]
