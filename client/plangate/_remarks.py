"""What people said about a plan as one text, for agents that only read words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from plangate_proto.agent.v1.review_resource_pb2 import Comment, Review

INDENT: Final = "   "


def all_words(review: Review) -> str:
    """What was said with the decisions, in their order.

    Where several people said something, each one's words stand indented below their name: nobody's can look
    like those of another.
    """
    said = [each for each in review.decisions if each.feedback_text]
    if len(said) == 1:
        return said[0].feedback_text
    return "\n\n".join(
        "\n".join((f"{_one_line(each.reviewer)}:", *_indented(each.feedback_text.splitlines())))
        for each in said
    )


def with_comments(words: str, review: Review) -> str:
    """The words, and behind them the comments that went along with the decision.

    Each comment is a numbered line, and below it, indented, the quoted lines and what was said: no text in a
    comment can look like another comment.
    """
    listed = "\n\n".join(_told(number, comment) for number, comment in enumerate(review.comments, start=1))
    left_out = _left_out(review.comments_left_out, beside=len(review.comments))
    return "\n\n".join(part for part in (words, listed, left_out) if part)


def _told(number: int, comment: Comment) -> str:
    lines = [f"> {line}" for line in comment.quoted_text.splitlines()]
    lines += comment.text.splitlines()
    return "\n".join(
        (f"{number}. Comment of {_one_line(comment.author)} {_place(comment)}:", *_indented(lines))
    )


def _place(comment: Comment) -> str:
    first, last = comment.first_line, comment.last_line
    if not first:
        return "on lines that are no longer there" if comment.quoted_text else "on the plan as a whole"
    return f"on line {first}" if last == first else f"on lines {first} to {last}"


def _one_line(name: str) -> str:
    return " ".join(name.split())


def _indented(lines: list[str]) -> Iterator[str]:
    return (f"{INDENT}{line}".rstrip() for line in lines)


def _left_out(number: int, *, beside: int) -> str:
    if not number:
        return ""
    more = "more " if beside else ""
    return f"{number} {more}comment{'s are' if number > 1 else ' is'} not shown here."
