"""Comments on lines of a revision, where they stand on a newer one, and which go along with a decision."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from enum import StrEnum
from itertools import accumulate, groupby, takewhile

from msgspec import Struct
from msgspec.structs import replace

from plangate_server.domain import limits
from plangate_server.domain.errors import InvalidField, MissingField
from plangate_server.domain.line_matching import Matching, match_lines

QUOTE_CHARACTERS = 1000
"""How much of the lines is quoted."""
FREE_BYTES = 512
"""About what is stored of each comment beside its words and quote; that is not counted."""
SENT_COMMENTS = 100
SENT_BYTES = 256 * limits.KIB
"""How many comments, and how much of their words and quotes, go along with a decision."""
CARRIED_REVISIONS = 20
"""From how many revisions open comments are carried line by line, the newest first; others, to the plan."""
CARRIED_LINES = 40_000
"""How many lines that differ are compared for all of them; those that are left are carried to the plan."""


class CommentState(StrEnum):
    OPEN = "open"
    RESOLVED = "resolved"
    CARRIED = "carried"


class Comment(Struct, frozen=True):
    comment_id: str
    plan_id: str
    revision: int
    first_line: int
    last_line: int
    text: str
    author: str
    create_time: datetime
    state: CommentState = CommentState.OPEN
    resolved_by: str = ""
    resolve_time: datetime | None = None
    quoted_text: str = ""


def check_comment(comment: Comment, plan_text: str) -> Comment:
    """The comment with its quote, or a refusal: lines count from 1, and 0 stands for the plan as a whole."""
    if not comment.text.strip():
        raise MissingField("text", "say what you think of it")
    limits.check_bytes("text", comment.text, "feedback_bytes", limits.FEEDBACK_BYTES)
    lines = lines_of(plan_text)
    last = comment.last_line or comment.first_line
    if not 0 <= comment.first_line <= len(lines):
        raise InvalidField("first_line", f"is not a line of the revision, which has {len(lines)}")
    if not comment.first_line <= last <= len(lines) or (last and not comment.first_line):
        raise InvalidField("last_line", f"is not a line from first_line to {len(lines)}")
    quoted = "\n".join(lines[comment.first_line - 1 : last]) if comment.first_line else ""
    return replace(comment, last_line=last, quoted_text=limits.shortened(quoted, QUOTE_CHARACTERS))


class Taken(Struct, frozen=True):
    """How much of the room for comments on a plan is taken."""

    comments: int = 0
    bytes: int = 0
    """Of all that is stored of them."""


def check_room(taken: Taken, comment: Comment) -> None:
    """Refuse a comment on a plan that has as many as can be looked through."""
    limits.check_count("plan_uri", taken.comments + 1, "comments", limits.COMMENTS)
    there = max(taken.bytes - taken.comments * FREE_BYTES, 0)
    size = there + len(comment.text.encode()) + len(comment.quoted_text.encode())
    limits.check_count("text", size, "comments_bytes", limits.COMMENTS_BYTES)


def resolve(comment: Comment, by: str, now: datetime) -> Comment:
    """Resolved; a second time changes nothing."""
    if comment.state is CommentState.RESOLVED:
        return comment
    return replace(comment, state=CommentState.RESOLVED, resolved_by=by, resolve_time=now)


def carry(comments: Iterable[Comment], shown: int, text_of: Callable[[int], str | None]) -> Sequence[Comment]:
    """The comments as they stand on a revision, oldest first.

    An open one that was made on an earlier revision stands on the same lines where they are still there, or
    else on the plan as a whole; so does one for which it would take too long to look. A resolved one, and one
    on the shown revision, stays as it is; one on a later revision is not there yet.
    """
    there = [each for each in comments if each.revision <= shown]
    known = sorted(there, key=lambda each: each.revision, reverse=True)
    found: list[Comment] = []
    revisions, lines = CARRIED_REVISIONS, CARRIED_LINES
    new: str | None = None
    for revision, group in groupby(known, key=lambda each: each.revision):
        made_there = list(group)
        if revision == shown or not any(each.state is CommentState.OPEN for each in made_there):
            found += made_there
            continue
        matching = None
        if revisions:
            new = _lines_text(text_of(shown)) if new is None else new
            matching = match_lines(_lines_text(text_of(revision)), new, lines)
            revisions, lines = revisions - 1, lines - matching.compared
        found += [_carried(each, matching) for each in made_there]
    return sorted(found, key=lambda each: each.comment_id)


def sent_along(comments: Sequence[Comment]) -> tuple[tuple[Comment, ...], int]:
    """Those of the open comments that go along with a decision, and how many more there are."""
    still_open = [each for each in comments if each.state is not CommentState.RESOLVED]
    sizes = accumulate(len(each.text.encode()) + len(each.quoted_text.encode()) for each in still_open)
    fitting = sum(1 for _ in takewhile(lambda size: size <= SENT_BYTES, sizes))
    sent = tuple(still_open[: min(fitting, SENT_COMMENTS)])
    return sent, len(still_open) - len(sent)


def lines_of(text: str) -> list[str]:
    """Lines as every viewer counts them: only a line feed ends one, and the last needs none."""
    return _lines_text(text).split("\n")


def _lines_text(text: str | None) -> str:
    """What is between the line feeds of a text."""
    return (text or "").removesuffix("\n")


def _carried(comment: Comment, matching: Matching | None) -> Comment:
    if comment.state is not CommentState.OPEN:
        return comment
    there = None
    if matching is not None and comment.first_line:
        there = matching.became(comment.first_line - 1, comment.last_line - 1)
    first, last = (there[0] + 1, there[1] + 1) if there else (0, 0)
    return replace(comment, state=CommentState.CARRIED, first_line=first, last_line=last)
