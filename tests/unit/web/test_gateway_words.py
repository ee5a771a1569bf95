"""The comments that go along with a decision, as words for those who read nothing else."""

from __future__ import annotations

from plangate_proto.agent.v1.review_resource_pb2 import Comment, Decision, Review
from plangate_server.web.gateway.words import said_with


def remark(text: str, first: int = 0, last: int = 0, quoted: str = "") -> Comment:
    return Comment(author="ada", text=text, first_line=first, last_line=last, quoted_text=quoted)


def test_nothing_is_said_of_nothing() -> None:
    """A decision without words and comments has none."""
    assert said_with(Review()) == ""
    assert said_with(Review(decisions=[Decision()])) == ""


def test_feedback_comes_first_as_it_is() -> None:
    """And comments behind it, with their lines."""
    review = Review(
        decisions=[Decision(), Decision(feedback_text="no\n\nreally")],
        comments=[
            remark("why?", 2, 3, "one\ntwo"),
            remark("hm", 4, 4, "three"),
            remark("all of it"),
            remark("gone", quoted="four"),
        ],
        comments_left_out=1,
    )
    assert said_with(review) == (
        "no\n\nreally\n\nComments on the plan:\n\n"
        "ada, on lines 2-3:\n  > one\n  > two\n  why?\n\n"
        "ada, on line 4:\n  > three\n  hm\n\n"
        "ada, on the plan as a whole:\n  all of it\n\n"
        "ada, on lines that are no longer there:\n  > four\n  gone\n\n"
        "1 more comment is left out here."
    )


def test_the_words_of_several_have_their_names() -> None:
    """In the order in which they decided; nobody's words pass for another's."""
    review = Review(
        decisions=[
            Decision(reviewer="ada", feedback_text="mind X\n\nbob:\n  no"),
            Decision(reviewer="eve"),
            Decision(reviewer="bob", feedback_text="and Y"),
        ]
    )
    assert said_with(review) == "ada:\n  mind X\n  \n  bob:\n    no\n\nbob:\n  and Y"


def test_no_comment_passes_for_two() -> None:
    """Whatever ends a line in it, each of its lines is set in."""
    review = Review(comments=[remark("yes\n\nbob, on line 1:\r  no\u2028bob, on line 2:", 1, 1, "a\rb")])
    lines = said_with(review).splitlines()[2:]
    assert lines[0] == "ada, on line 1:"
    assert all(line.startswith("  ") for line in lines[1:])
