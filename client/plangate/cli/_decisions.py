"""What people said about a plan, in words."""

from __future__ import annotations

from collections.abc import Iterator

from plangate._common.text_safety import visible
from plangate.cli._text import quoted
from plangate.cli._words import CHOICES, age, counted
from plangate_proto.agent.v1.review_resource_pb2 import Comment, CommentState, Decision, Review


def decided(decision: Decision) -> str:
    """What was decided, and by whom."""
    chosen = visible(CHOICES.get(decision.selected_option, decision.selected_option))
    person = "" if decision.person in {"", decision.reviewer} else f", of {visible(decision.person)}"
    reason = decision.break_glass_reason
    glass = f"; the glass was broken: {visible(reason)}" if reason else ""
    return f"{chosen} by {visible(decision.reviewer)}{person}{glass}"


def told(decision: Decision) -> Iterator[str]:
    """The same, and below it the words."""
    yield decided(decision)
    if decision.feedback_text:
        yield from quoted(decision.feedback_text)


def sends(comments: int) -> str:
    """What goes along with a decision, for whoever is about to make it; nothing if there are no comments."""
    return f"sends {counted(comments, 'comment')}" if comments else ""


def is_last_approval(review: Review) -> bool:
    """Whether one more approval ends the review: what is said before goes along with the one that does."""
    return len(review.decisions) + 1 >= review.required_approvals


def sent(review: Review) -> str:
    """What went along with the decision that ended the review."""
    comments = len(review.comments) + review.comments_left_out
    return f"sent {counted(comments, 'comment')}" if comments else ""


def is_open(comment: Comment) -> bool:
    """Whether it goes along with a decision: nobody has resolved it."""
    return comment.state != CommentState.COMMENT_STATE_RESOLVED


def comment_lines(comment: Comment) -> Iterator[str]:
    """Its short id, its state, what it is about, by whom and since when; and below it the words."""
    who = f"by {visible(comment.author)}, {age(comment.create_time)} ago"
    yield f"{comment.comment_id[-8:]}  {_state(comment)}, {_about(comment)}, {who}"
    yield from quoted(comment.text)


def _state(comment: Comment) -> str:
    match comment.state:
        case CommentState.COMMENT_STATE_RESOLVED:
            return f"resolved by {visible(comment.resolved_by)}"
        case CommentState.COMMENT_STATE_CARRIED:
            return f"open since revision {comment.revision}"
        case _:
            return "open"


def _about(comment: Comment) -> str:
    if not comment.first_line:
        # Of a carried one, the lines may have changed: then it has none in this text.
        return "on the plan" if comment.state == CommentState.COMMENT_STATE_CARRIED else "on the whole plan"
    if comment.last_line in {0, comment.first_line}:
        return f"on line {comment.first_line}"
    return f"on lines {comment.first_line}-{comment.last_line}"
