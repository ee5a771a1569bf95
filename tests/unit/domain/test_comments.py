"""Comments on lines of a revision, and where they stand on the next one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from plangate_server.domain import limits
from plangate_server.domain.comments import (
    CARRIED_REVISIONS,
    Comment,
    CommentState,
    carry,
    check_comment,
    resolve,
)
from plangate_server.domain.errors import InvalidField, LimitExceeded, MissingField
from plangate_server.domain.plan import Revision
from tests.helpers.domain import NOW
from tests.helpers.examples import repeatable
from tests.helpers.lives import after, proposed

OLD = ["# Cache", "", "Measure it.", "Move it.", "Tidy up."]
A_REVISION = proposed().revision


def revision(number: int, lines: list[str]) -> Revision:
    return replace(
        A_REVISION, number=number, content=replace(A_REVISION.content, plan="".join(f"{x}\n" for x in lines))
    )


def comment(first: int = 3, last: int = 0, text: str = "How?") -> Comment:
    return Comment("comment-1", "1" * 32, 1, first, last, text, "ada", NOW)


def checked(first: int, last: int = 0, text: str = "How?") -> Comment:
    return check_comment(comment(first, last, text), "".join(f"{line}\n" for line in OLD))


def carried(comment: Comment, made_on: Revision, shown: Revision) -> Comment:
    texts = {made_on.number: made_on.content.plan, shown.number: shown.content.plan}
    (found,) = carry([comment], shown.number, texts.get)
    return found


def lines_after(first: int, last: int, new: list[str]) -> tuple[int, int]:
    """Where a comment on these lines of the old text stands in the new one."""
    there = carried(checked(first, last), revision(1, OLD), revision(2, new))
    return there.first_line, there.last_line


@pytest.mark.parametrize(
    ("given_lines", "kept"),
    [((1, 1), (1, 1)), ((3, 4), (3, 4)), ((1, 5), (1, 5)), ((5, 0), (5, 5)), ((0, 0), (0, 0))],
)
def test_a_comment_is_on_lines_or_on_the_whole(given_lines: tuple[int, int], kept: tuple[int, int]) -> None:
    """Lines are counted from 1; one line alone is its own last; 0 stands for the plan as a whole."""
    there = checked(*given_lines)
    assert (there.first_line, there.last_line) == kept
    assert there.state is CommentState.OPEN


@pytest.mark.parametrize(
    ("first", "last", "field"),
    [
        (-1, 0, "first_line"),
        (6, 6, "first_line"),
        (2**31 - 1, 0, "first_line"),
        (3, 2, "last_line"),
        (3, 6, "last_line"),
        (3, -1, "last_line"),
        (0, 3, "last_line"),
    ],
)
def test_lines_that_the_revision_does_not_have_are_refused(first: int, last: int, field: str) -> None:
    """The refusal names the number at fault and how many lines there are."""
    with pytest.raises(InvalidField) as refused:
        checked(first, last)
    assert refused.value.field == field
    assert "5" in refused.value.words


@pytest.mark.parametrize("text", ["", " \n\t"])
def test_a_comment_says_something(text: str) -> None:
    """Words are required, and an empty comment is refused."""
    with pytest.raises(MissingField) as refused:
        checked(3, text=text)
    assert refused.value.field == "text"


def test_a_comment_is_bounded() -> None:
    """A comment is as long as feedback may be, and no longer."""
    checked(3, text="x" * limits.FEEDBACK_BYTES)
    with pytest.raises(LimitExceeded):
        checked(3, text="x" * (limits.FEEDBACK_BYTES + 1))


@pytest.mark.parametrize(
    ("new", "expected"),
    [
        (OLD, (3, 4)),
        (["Before", *OLD], (4, 5)),
        (OLD[1:], (2, 3)),
        ([*OLD, "After"], (3, 4)),
        ([*OLD[:3], "Between", *OLD[3:]], (3, 5)),
        ([*OLD[:3], "Changed", *OLD[4:]], (3, 3)),
        ([*OLD[:2], *OLD[3:]], (3, 3)),
        ([*OLD[:2], "Changed", "Too", *OLD[4:]], (0, 0)),
        ([*OLD[:2], *OLD[4:]], (0, 0)),
        ([], (0, 0)),
    ],
    ids=[
        "the same",
        "a line before",
        "a line less before",
        "a line after",
        "a line between",
        "one changed",
        "one gone",
        "both changed",
        "both gone",
        "all gone",
    ],
)
def test_a_comment_follows_its_lines(new: list[str], expected: tuple[int, int]) -> None:
    """On the next revision it stands on what is left of its lines, or else on the plan as a whole."""
    assert lines_after(3, 4, new) == expected


def test_a_comment_on_the_whole_stays_on_the_whole() -> None:
    """It has no lines to follow."""
    assert lines_after(0, 0, OLD) == (0, 0)


def test_a_carried_comment_says_so() -> None:
    """What was open on an older revision is shown as carried, with the same words and author."""
    old = checked(3, 4)
    there = carried(old, revision(1, OLD), revision(2, ["New", *OLD]))
    assert there == replace(old, state=CommentState.CARRIED, first_line=4, last_line=5)


def test_a_comment_is_open_on_its_own_revision() -> None:
    """Nothing is carried to the revision it was made on, and on an older one it is not there."""
    old = replace(checked(3), revision=2)
    assert carry([old], 2, {2: "\n".join(OLD)}.get) == [old]
    assert carry([old], 1, {1: "Older", 2: "\n".join(OLD)}.get) == []


def test_a_comment_is_resolved_once() -> None:
    """It keeps who resolved it first, and when."""
    done = resolve(checked(3), "bob", after(1))
    assert (done.state, done.resolved_by, done.resolve_time) == (CommentState.RESOLVED, "bob", after(1))
    assert resolve(done, "eve", after(2)) is done


def test_what_is_resolved_stays_resolved() -> None:
    """A later revision does not open it again, nor move it."""
    done = resolve(checked(3), "bob", after(1))
    assert carried(done, revision(1, OLD), revision(2, ["New", *OLD])) is done


@st.composite
def texts_and_survivors(draw: st.DrawFn) -> tuple[list[str], list[str]]:
    """A text of different lines, and one in which some are gone and others were put between."""
    old = [f"line {n}" for n in range(draw(st.integers(1, 5)))]
    new: list[str] = []
    for line in [*old, ""]:
        new += [f"new {len(new) + n}" for n in range(draw(st.integers(0, 2)))]
        if line and draw(st.booleans()):
            new.append(line)
    return old, new


@repeatable
@given(texts_and_survivors())
def test_a_line_that_survives_keeps_its_comment(texts: tuple[list[str], list[str]]) -> None:
    """Each line that is still there has its comment on the same text; each that is gone, on the whole."""
    old, new = texts
    for number, line in enumerate(old, start=1):
        there = carried(comment(number, number), revision(1, old), revision(2, new))
        expected = new.index(line) + 1 if line in new else 0
        assert (there.first_line, there.last_line) == (expected, expected)


@repeatable
@given(*[st.lists(st.sampled_from("abc"), min_size=1, max_size=6)] * 2)
def test_a_comment_never_moves_to_other_words(old: list[str], new: list[str]) -> None:
    """Whatever became of the text, a comment on one line stands on that very text or on the whole."""
    for number, line in enumerate(old, start=1):
        there = carried(comment(number, number), revision(1, old), revision(2, new))
        assert there.first_line == there.last_line
        assert not there.first_line or new[there.first_line - 1] == line


def test_comments_of_very_many_revisions_are_carried_as_far_as_there_is_time() -> None:
    """Those of the newest revisions line by line; those of older ones stand on the plan as a whole."""
    shown = CARRIED_REVISIONS + 3
    texts = {number: "\n".join([f"new {number}", *OLD]) for number in range(1, shown + 1)}
    every = [
        replace(comment(4, 4), comment_id=f"c{number:03d}", revision=number) for number in range(1, shown)
    ]
    asked: list[int] = []

    def text_of(number: int) -> str:
        asked.append(number)
        return texts[number]

    found = carry(every, shown, text_of)
    assert [each.first_line for each in found] == [0] * 2 + [4] * CARRIED_REVISIONS
    assert {each.state for each in found} == {CommentState.CARRIED}
    assert len(asked) == CARRIED_REVISIONS + 1
