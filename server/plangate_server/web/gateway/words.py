"""What people said with their decisions, as words alone: for agents and IDEs that read nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from plangate_proto.agent.v1.review_resource_pb2 import Comment, Decision, Review


def said_with(review: Review) -> str:
    """The feedback of all decisions, and behind it the comments that went along."""
    return "\n\n".join(filter(None, (feedback_of(review.decisions), comments_text(review))))


def feedback_of(decisions: Iterable[Decision]) -> str:
    """What one person said, as it is stored; of several, each one's words set in below their name."""
    said = [each for each in decisions if each.feedback_text]
    if len(said) == 1:
        return said[0].feedback_text
    return "\n\n".join("\n".join(_under_name(each)) for each in said)


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


def _under_name(decision: Decision) -> Iterator[str]:
    yield f"{' '.join(decision.reviewer.split())}:"
    yield from (f"  {line}" for line in decision.feedback_text.splitlines())


def _lines(comment: Comment) -> Iterator[str]:
    yield f"{comment.author}, on {_place(comment)}:"
    if comment.quoted_text:
        yield from (f"  > {line}" for line in comment.quoted_text.splitlines())
    yield from (f"  {line}" for line in comment.text.splitlines())


def _place(comment: Comment) -> str:
    if not comment.first_line:
        return "lines that are no longer there" if comment.quoted_text else "the plan as a whole"
    if comment.first_line == comment.last_line:
        return f"line {comment.first_line}"
    return f"lines {comment.first_line}-{comment.last_line}"
