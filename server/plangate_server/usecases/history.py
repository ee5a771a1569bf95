"""The revisions of a plan and their reviews, read a few at a time: all together are too much to hold."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace

from plangate_server.domain.content import Content
from plangate_server.domain.plan import Revision
from plangate_server.domain.review import Review
from plangate_server.ports import Reading

SLICE: Final = 8
READ_CHARACTERS: Final = 64 * 1024 * 1024
"""Of plan texts, which are read along with what is told of revisions."""
NO_CONTENT: Final = Content("", "", "", ())


def revisions_after(reading: Reading, plan_id: str, after: int) -> Iterator[Revision]:
    """What is told of revisions, in the order of their numbers, without their content; not all of them, where
    their texts are many times as long as the longest plan.
    """
    room = READ_CHARACTERS
    while room > 0 and (found := reading.revisions(plan_id, after=after, limit=SLICE)):
        for revision in found:
            room -= len(revision.content.plan)
            yield replace(revision, content=NO_CONTENT, hints={})
        after = found[-1].number


def reviews_of(reading: Reading, plan_id: str) -> Iterator[Review]:
    """Every review of a plan, in the order in which they were opened; of its comments, only the number."""
    after = ""
    while found := reading.reviews_of_plan(plan_id, after=after, limit=SLICE):
        for review in found:
            yield review.without_comments
        after = found[-1].approval_request_id


def review_bytes(review: Review) -> int:
    """About what is told of a revision takes, with its review."""
    return 1024 + sum(len(each.feedback_text.encode()) for each in review.decisions)
