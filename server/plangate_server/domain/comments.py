"""Comments on lines of a revision, and where they stand on a newer one."""

from __future__ import annotations

import difflib
from datetime import datetime
from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace

from plangate_server.domain import limits
from plangate_server.domain.errors import InvalidField, MissingField
from plangate_server.domain.plan import Revision


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


def check_comment(comment: Comment, revision: Revision) -> Comment:
    """The comment, or a refusal: lines are counted from 1, and 0 stands for the plan as a whole."""
    if not comment.text.strip():
        raise MissingField("text", "say what you think of it")
    limits.check_bytes("text", comment.text, "feedback_bytes", limits.FEEDBACK_BYTES)
    lines = len(_lines(revision.content.plan))
    last = comment.last_line or comment.first_line
    if not 0 <= comment.first_line <= lines:
        raise InvalidField("first_line", f"is not a line of the revision, which has {lines}")
    if not comment.first_line <= last <= lines or (last and not comment.first_line):
        raise InvalidField("last_line", f"is not a line from first_line to {lines}")
    return replace(comment, last_line=last)


def resolve(comment: Comment, by: str, now: datetime) -> Comment:
    """Resolved; a second time changes nothing."""
    if comment.state is CommentState.RESOLVED:
        return comment
    return replace(comment, state=CommentState.RESOLVED, resolved_by=by, resolve_time=now)


def carried(comment: Comment, made_on: Revision, shown: Revision) -> Comment:
    """An open comment as it stands on a newer revision: on the same lines where they are still there,
    or else on the plan as a whole. A resolved one, or one on its own revision, stays as it is.
    """
    if comment.state is not CommentState.OPEN or made_on.number >= shown.number:
        return comment
    first, last = _find_lines(comment, made_on.content.plan, shown.content.plan)
    return replace(comment, state=CommentState.CARRIED, first_line=first, last_line=last)


def _find_lines(comment: Comment, old: str, new: str) -> tuple[int, int]:
    matcher = difflib.SequenceMatcher(None, _lines(old), _lines(new), autojunk=False)
    kept = [
        new_start + line - old_start + 1
        for old_start, new_start, size in matcher.get_matching_blocks()
        for line in range(old_start, old_start + size)
        if comment.first_line <= line + 1 <= comment.last_line
    ]
    return (min(kept), max(kept)) if kept else (0, 0)


def _lines(text: str) -> list[str]:
    """Lines as every viewer counts them: only a line feed ends one, and the last needs none."""
    return text.removesuffix("\n").split("\n")
