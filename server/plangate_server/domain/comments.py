"""Comments on lines of a revision, where they stand on a newer one, and which go along with a decision."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from enum import StrEnum
from itertools import accumulate, groupby, pairwise, takewhile

from msgspec import Struct
from msgspec.structs import replace

from plangate_server.domain import limits
from plangate_server.domain.errors import InvalidField, MissingField

QUOTE_CHARACTERS = 1000
"""How much of the lines is quoted."""
SENT_COMMENTS = 100
SENT_BYTES = 256 * limits.KIB
"""How many comments, and how much of their words and quotes, go along with a decision."""
CHANGED_LINES = 20_000
"""Between what is the same at the beginning and at the end: of more, no line is looked for."""
CARRIED_LINES = 2_000_000
"""How many lines are compared to carry all comments of a plan; the rest is carried to the plan as a whole."""


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


def check_room(there: Sequence[Comment], comment: Comment) -> None:
    """Refuse a comment on a plan that has as many as can be looked through."""
    limits.check_count("plan_uri", len(there) + 1, "comments", limits.COMMENTS)
    size = sum(len(each.text.encode()) + len(each.quoted_text.encode()) for each in (*there, comment))
    limits.check_count("text", size, "comments_bytes", limits.COMMENTS_BYTES)


def resolve(comment: Comment, by: str, now: datetime) -> Comment:
    """Resolved; a second time changes nothing."""
    if comment.state is CommentState.RESOLVED:
        return comment
    return replace(comment, state=CommentState.RESOLVED, resolved_by=by, resolve_time=now)


def carry(comments: Iterable[Comment], shown: int, text_of: Callable[[int], str | None]) -> Sequence[Comment]:
    """The comments as they stand on a revision, oldest first.

    An open one that was made on an earlier revision stands on the same lines where they are still there, or
    else on the plan as a whole. A resolved one, and one on the shown revision, stays as it is; one on a later
    revision is not there yet.
    """
    there = [each for each in comments if each.revision <= shown]
    known = sorted(there, key=lambda each: (each.revision, each.comment_id))
    found: list[Comment] = []
    budget = CARRIED_LINES
    new = text_of(shown) or ""
    for revision, group in groupby(known, key=lambda each: each.revision):
        made_there = list(group)
        if revision == shown or not any(each.state is CommentState.OPEN for each in made_there):
            found += made_there
            continue
        old = text_of(revision) or ""
        budget -= old.count("\n") + new.count("\n") + 2
        places = matched_lines(lines_of(old), lines_of(new)) if budget > 0 else {}
        found += [_carried(each, places) for each in made_there]
    return sorted(found, key=lambda each: each.comment_id)


def sent_along(comments: Sequence[Comment]) -> tuple[tuple[Comment, ...], int]:
    """Those of the open comments that go along with a decision, and how many more there are."""
    still_open = [each for each in comments if each.state is not CommentState.RESOLVED]
    sizes = accumulate(len(each.text.encode()) + len(each.quoted_text.encode()) for each in still_open)
    fitting = sum(1 for _ in takewhile(lambda size: size <= SENT_BYTES, sizes))
    sent = tuple(still_open[: min(fitting, SENT_COMMENTS)])
    return sent, len(still_open) - len(sent)


def matched_lines(old: Sequence[str], new: Sequence[str]) -> dict[int, int]:
    """Which line of the new text, counted from 0, each line of the old one became; linear, but for a sort.

    What is the same at the beginning and at the end is matched, and between them the lines that both texts
    have once, in their order, with what is the same around those.
    """
    start = _common(zip(old, new, strict=False))
    end = _common(zip(reversed(old[start:]), reversed(new[start:]), strict=False))
    found = {line: line for line in range(start)}
    found |= {len(old) - back: len(new) - back for back in range(1, end + 1)}
    changed, becomes = old[start : len(old) - end], new[start : len(new) - end]
    if len(changed) + len(becomes) <= CHANGED_LINES:
        found |= {start + left: start + right for left, right in _between(changed, becomes).items()}
    return found


def lines_of(text: str) -> list[str]:
    """Lines as every viewer counts them: only a line feed ends one, and the last needs none."""
    return text.removesuffix("\n").split("\n")


def _carried(comment: Comment, places: dict[int, int]) -> Comment:
    if comment.state is not CommentState.OPEN:
        return comment
    there = range(comment.first_line - 1, comment.last_line) if comment.first_line else ()
    kept = [places[line] + 1 for line in there if line in places]
    first, last = (min(kept), max(kept)) if kept else (0, 0)
    return replace(comment, state=CommentState.CARRIED, first_line=first, last_line=last)


def _between(old: Sequence[str], new: Sequence[str]) -> dict[int, int]:
    """Anchors, lines that both have once and in the same order, and what is the same around them."""
    once = {line for line, times in Counter(old).items() if times == 1}
    once &= {line for line, times in Counter(new).items() if times == 1}
    there = {line: place for place, line in enumerate(new) if line in once}
    anchors = _in_order([(here, there[line]) for here, line in enumerate(old) if line in once])
    found = dict(anchors)
    for (left, right), (last_left, last_right) in pairwise([(-1, -1), *anchors, (len(old), len(new))]):
        after = _common(zip(old[left + 1 : last_left], new[right + 1 : last_right], strict=False))
        found |= {left + step: right + step for step in range(1, after + 1)}
        rest = (reversed(old[left + after + 1 : last_left]), reversed(new[right + after + 1 : last_right]))
        before = _common(zip(*rest, strict=False))
        found |= {last_left - step: last_right - step for step in range(1, before + 1)}
    return found


def _in_order(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest run of pairs that grows on both sides."""
    tops: list[int] = []
    ends: list[int] = []
    before: list[int] = []
    for number, (_, place) in enumerate(pairs):
        at = bisect_left(tops, place)
        before.append(ends[at - 1] if at else -1)
        tops[at : at + 1] = [place]
        ends[at : at + 1] = [number]
    run: list[tuple[int, int]] = []
    last = ends[-1] if ends else -1
    while last >= 0:
        run.append(pairs[last])
        last = before[last]
    return run[::-1]


def _common(pairs: Iterable[tuple[str, str]]) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
