"""What a person said with a decision, as words alone: for agents and IDEs that read nothing else."""

from __future__ import annotations

from collections.abc import Iterator

from plangate_proto.agent.v1.review_resource_pb2 import Comment, Review


def said_with(review: Review) -> str:
    """The last decision's feedback, as it is stored, and behind it the comments that went along."""
    feedback = review.decisions[-1].feedback_text if review.decisions else ""
    return "\n\n".join(filter(None, (feedback, comments_text(review))))


def comments_text(review: Review) -> str:
    """Each comment with its author, its place and the lines it is about; nothing if there is none.

    All but the lines that say whose a comment is are set in, so that no comment passes for two.
    """
    if not review.comments and not review.comments_left_out:
        return ""
    parts = ["Comments on the plan:", *("\n".join(_lines(each)) for each in review.comments)]
    if left_out := review.comments_left_out:
        parts.append(f"{left_out} more {'comment is' if left_out == 1 else 'comments are'} left out here.")
    return "\n\n".join(parts)


def _lines(comment: Comment) -> Iterator[str]:
    yield f"{comment.author}, on {_place(comment)}:"
    if comment.quoted_text:
        yield from (f"  > {line}" for line in comment.quoted_text.splitlines())
    yield from (f"  {line}" for line in comment.text.splitlines())


def _place(comment: Comment) -> str:
    if not comment.first_line:
        return "the plan as a whole"
    if comment.first_line == comment.last_line:
        return f"line {comment.first_line}"
    return f"lines {comment.first_line}-{comment.last_line}"
