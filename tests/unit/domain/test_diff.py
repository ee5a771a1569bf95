"""What changed between two revisions, for the eyes of a person."""

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from plangate_server.domain.content import Content, Phase
from plangate_server.domain.diff import SHOWN_LINES, RevisionDiff, compare
from plangate_server.domain.plan import Revision
from tests.helpers.domain import a_todo
from tests.helpers.examples import repeatable
from tests.helpers.lives import TODOS, proposed

HEAD = proposed().revision
MEASURE, MOVE, TIDY = TODOS


def revision(number: int, content: Content) -> Revision:
    return replace(HEAD, number=number, content=content)


def changes(**fields: Any) -> RevisionDiff:
    """The difference that these fields make."""
    return compare(revision(1, HEAD.content), revision(2, replace(HEAD.content, **fields)))


def test_the_same_content_has_no_difference() -> None:
    """Two revisions with one text differ in nothing but their numbers."""
    assert compare(HEAD, revision(7, HEAD.content)) == RevisionDiff(1, 7, "", (), ())


def test_the_text_is_compared_line_by_line() -> None:
    """The difference is a unified one between the two numbers, with the lines that moved out and in."""
    diff = changes(plan="# Move the cache\n\nFirst measure, then think.")
    assert diff.unified == (
        "--- revision 1\n"
        "+++ revision 2\n"
        "@@ -1,3 +1,3 @@\n"
        " # Move the cache\n"
        " \n"
        "-First measure, then move.\n"
        "+First measure, then think.\n"
    )
    assert (diff.todos, diff.fields) == ((), ())


def test_a_difference_has_a_direction() -> None:
    """Compared the other way round, what came in goes out."""
    newer = revision(2, replace(HEAD.content, plan="# Other"))
    there, back = compare(HEAD, newer), compare(newer, HEAD)
    assert (back.older, back.newer) == (2, 1)
    assert "+# Other\n" in there.unified
    assert "-# Other\n" in back.unified


@pytest.mark.parametrize(
    ("todos", "expected"),
    [
        ((MEASURE, MOVE, TIDY, a_todo("new")), [(None, a_todo("new"))]),
        ((MEASURE, MOVE), [(TIDY, None)]),
        ((replace(MEASURE, content="Weigh it"), MOVE, TIDY), [(MEASURE, a_todo("measure", "Weigh it"))]),
        ((MEASURE, replace(MOVE, dependencies=()), TIDY), [(MOVE, a_todo("move", "Move it"))]),
        ((), [(MEASURE, None), (MOVE, None), (TIDY, None)]),
    ],
    ids=["added", "removed", "other words", "other dependencies", "all removed"],
)
def test_each_todo_that_differs_is_shown(
    todos: tuple[object, ...], expected: list[tuple[object, object]]
) -> None:
    """Before and after stand side by side; a todo that stayed as it was is not shown."""
    diff = changes(todos=todos)
    assert list(diff.todos) == expected
    assert (diff.unified, diff.fields) == ("", ())


def test_removed_todos_come_last() -> None:
    """The order is the newer revision's, and then what it no longer has."""
    changed = replace(TIDY, content="Tidy all")
    assert changes(todos=(a_todo("new"), changed)).todos == (
        (None, a_todo("new")),
        (TIDY, changed),
        (MEASURE, None),
        (MOVE, None),
    )


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", "Another name"),
        ("overview", "Another overview"),
        ("phases", (Phase("One", ("measure",)),)),
        ("is_project", True),
        ("is_spec", True),
    ],
)
def test_every_other_field_that_differs_is_named(field: str, value: object) -> None:
    """No part of the content changes without being named."""
    assert changes(**{field: value}) == RevisionDiff(1, 2, "", (), (field,))


@repeatable
@given(*[st.lists(st.sampled_from("abcd"), max_size=6)] * 2)
def test_no_line_comes_or_goes_unseen(old: list[str], new: list[str]) -> None:
    """The old lines with those shown as added are the new ones with those shown as removed."""
    first, second = (
        revision(number, replace(HEAD.content, plan="\n".join(lines)))
        for number, lines in enumerate([old, new], start=1)
    )
    shown = compare(first, second).unified.splitlines()[2:]
    added, removed = ([line[1:] for line in shown if line[0] == sign] for sign in "+-")
    # A text without a line has one empty line.
    assert Counter(old or [""]) + Counter(added) == Counter(new or [""]) + Counter(removed)


def test_texts_that_differ_too_much_are_shown_as_a_whole() -> None:
    """What is not compared is said, and of what is not shown there is a count."""
    old, new = ("\n".join(f"{side} {number}" for number in range(SHOWN_LINES + 5)) for side in "ab")
    first, second = (
        revision(number, replace(HEAD.content, plan=f"same\n{text}\nend"))
        for number, text in enumerate([old, new], start=1)
    )
    diff = compare(first, second)
    assert (diff.is_coarse, diff.lines_left_out) == (True, 10)
    shown = diff.unified.splitlines()
    assert shown[2:4] == [f"@@ -1,{SHOWN_LINES + 7} +1,{SHOWN_LINES + 7} @@", " same"]
    assert shown.count("\\ and 5 more") == 2
    assert shown[-1] == " end"
    assert len(shown) == 2 + 1 + 2 + 2 * (SHOWN_LINES + 1)


def test_changes_far_apart_are_hunks_of_their_own() -> None:
    """Each with three lines around it, and the numbers of its first lines."""
    lines = [f"line {number}" for number in range(1, 31)]
    changed = [*lines[:4], "new", *lines[4:20], *lines[21:]]
    diff = compare(
        *(
            revision(number, replace(HEAD.content, plan="\n".join(text)))
            for number, text in enumerate([lines, changed], start=1)
        )
    )
    headers = [line for line in diff.unified.splitlines() if line.startswith("@@")]
    assert headers == ["@@ -2,6 +2,7 @@", "@@ -18,7 +19,6 @@"]
    assert not diff.is_coarse
