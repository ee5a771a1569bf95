"""ListReviews and GetReview: what a person needs to decide."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, takewhile
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from plangate_server.domain.comments import Comment, CommentState, sent_along
from plangate_server.domain.errors import MissingField, ReviewNotFound
from plangate_server.domain.identity import Principal
from plangate_server.domain.limits import KIB, check_id
from plangate_server.domain.plan import Plan, Revision
from plangate_server.domain.review import Review
from plangate_server.ports import Reading, ReviewFilter, World
from plangate_server.usecases.comments import comments_on
from plangate_server.usecases.history import review_bytes, reviews_of, revisions_after
from plangate_server.usecases.lookup import the_plan, the_revision
from plangate_server.usecases.paging import (
    CHUNK,
    checked_size,
    fill_page,
    make_token,
    read_token,
    wire_bytes,
)

SHOWN_REVISIONS: Final = 200
"""The newest ones, beside what there is to decide about; the others are listed page by page."""
SHOWN_BYTES: Final = 512 * KIB
"""Of what was said about them, and as much again of comments."""
AROUND: Final = 512
"""Bytes of a comment's message beside its words: ids, names, times."""


class ReviewDetails(Struct, frozen=True):
    plan: Plan
    comments: Sequence[Comment]
    revisions: Sequence[Revision]
    reviews: dict[int, Review]
    left_out: int
    """How many of the comments a decision now would leave out."""
    older_revisions: int
    """How many there are before those that are shown."""
    comments_not_shown: int


async def list_reviews(
    world: World, principal: Principal, which: ReviewFilter, page_size: int, page_token: str
) -> tuple[Sequence[Plan], str]:
    """A page of reviews, oldest first, each as the plan at the revision under review."""
    check_id("session_id", which.session_id)
    size = checked_size(page_size, world.limits)
    scope = (principal.workspace, which)
    after = read_token(page_token, scope)

    def look(reading: Reading) -> tuple[list[Plan], str]:
        page, more = fill_page(_reviewed(reading, which, after), size, wire_bytes)
        return page, make_token(page[-1].review.approval_request_id, scope) if more else ""

    return await world.store.read(principal.workspace, look)


def _reviewed(reading: Reading, which: ReviewFilter, after: str) -> Iterator[Plan]:
    """Plans as they are reviewed, read a few at a time."""
    while found := reading.reviews(which, after=after, limit=CHUNK):
        plans = {plan.plan_id: plan for plan in reading.some_plans([plan_id for plan_id, _ in found])}
        for plan_id, review in found:
            yield _as_reviewed(reading, plans[plan_id], review)
        after = found[-1][1].approval_request_id


async def get_review(
    world: World, principal: Principal, approval_request_id: str, plan_uri: str
) -> ReviewDetails:
    """A review by its id, or the latest of a plan."""
    if bool(approval_request_id) == bool(plan_uri):
        raise MissingField("approval_request_id", "name the review, or its plan by plan_uri, not both")

    def look(reading: Reading) -> ReviewDetails:
        plan = _asked_for(reading, approval_request_id, plan_uri)
        head = reading.plan(plan.plan_id)
        assert head, "it was there a moment ago, and this is one look"
        newest = max(head.revision.number - SHOWN_REVISIONS, 0)
        revisions = [*revisions_after(reading, plan.plan_id, newest)]
        reviews = _newest_reviews(reviews_of(reading, plan.plan_id), newest)
        shown = [each for each in revisions if each.number >= min(reviews, default=0)]
        every = comments_on(reading, plan)
        _, left_out = sent_along(every)
        comments = _most_telling(every)
        older = shown[0].number - 1 if shown else head.revision.number
        return ReviewDetails(plan, comments, shown, reviews, left_out, older, len(every) - len(comments))

    return await world.store.read(principal.workspace, look)


def _newest_reviews(reviews: Iterable[Review], after: int) -> dict[int, Review]:
    """Those of revisions after a number, by revision, as many as fit."""
    found: dict[int, Review] = {}
    size = 0
    for review in reviews:
        if review.revision > after:
            found[review.revision] = review
            size += review_bytes(review)
            while size > SHOWN_BYTES and len(found) > 1:
                oldest = next(iter(found))
                size -= review_bytes(found.pop(oldest))
    return found


def _most_telling(comments: Sequence[Comment]) -> Sequence[Comment]:
    """The comments, or as many as fit: first those that are not resolved, and of these the newest."""
    ranked = sorted(comments, key=lambda each: (each.state is CommentState.RESOLVED, -each.revision))
    sizes = accumulate(AROUND + len(each.text.encode()) + len(each.quoted_text.encode()) for each in ranked)
    fitting = sum(1 for _ in takewhile(lambda size: size <= SHOWN_BYTES, sizes))
    return sorted(ranked[:fitting], key=lambda each: each.comment_id)


def _asked_for(reading: Reading, approval_request_id: str, plan_uri: str) -> Plan:
    if plan_uri:
        return the_plan(reading, plan_uri)
    found = reading.review(approval_request_id)
    if found is None:
        raise ReviewNotFound(approval_request_id)
    plan_id, review = found
    plan = reading.plan(plan_id)
    assert plan, "a review is stored with its plan"
    return _as_reviewed(reading, plan, review)


def _as_reviewed(reading: Reading, plan: Plan, review: Review) -> Plan:
    """The plan with the review and the revision it is about, which need not be the head."""
    return replace(plan, review=review, revision=the_revision(reading, plan, review.revision))
