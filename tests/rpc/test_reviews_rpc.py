"""ListReviews and GetReview: all that a person needs to decide."""

from contextlib import AsyncExitStack

import pytest

from plangate_proto.agent.v1.create_plan_tool_pb2 import CreatePlanArgs
from plangate_proto.agent.v1.plan_resource_pb2 import Plan
from plangate_proto.agent.v1.plan_service_pb2 import DraftPlanRequest
from plangate_proto.agent.v1.review_resource_pb2 import CommentState, Review, ReviewOutcome, ReviewStatus
from plangate_proto.aiserver.v1.plan_review_service_pb2 import (
    AddCommentRequest,
    GetReviewRequest,
    ListReviewsRequest,
)
from tests.helpers.gate import Gate, proposal
from tests.helpers.people import People
from tests.helpers.refusals import refused
from tests.rpc.steps import updated, with_todos

REQUESTED, DONE = ReviewStatus.REVIEW_STATUS_REQUESTED, ReviewStatus.REVIEW_STATUS_DONE


async def ids(gate: Gate, request: ListReviewsRequest) -> list[str]:
    return [item.review.approval_request_id for item in (await gate.reviews.ListReviews(request)).reviews]


async def test_what_waits_is_listed(gate: Gate) -> None:
    """Open reviews, oldest first, each with its plan, its summary and the choices."""
    first = await gate.propose(with_todos())
    decided, last = await gate.propose(), await gate.propose()
    await gate.decide(decided, "approve")
    reviews = (await gate.reviews.ListReviews(ListReviewsRequest())).reviews
    assert [item.plan for item in reviews] == [first, last]
    assert [item.review for item in reviews] == [first.review, last.review]
    assert (reviews[0].summary.goal, reviews[0].summary.subtasks_count) == ("Cellar", 3)
    assert [choice.value for choice in reviews[0].choices] == [
        "approve",
        "rejectAndTellWhatToDoDifferently",
        "requestChanges",
        "edit",
    ]
    assert [choice.sublabel for choice in reviews[0].choices][:2] == ["Enter", "Esc"]


async def test_reviews_are_filtered(gate: Gate) -> None:
    """Session and status hold at once; superseded reviews are done, too, and show what they were about."""
    ours = await gate.propose(proposal("# First", session_id="ours"))
    theirs = await gate.propose(proposal(session_id="theirs"))
    second = await updated(gate, ours, "# Second")
    await gate.decide(theirs, "reject")
    old, new, other = (plan.review.approval_request_id for plan in (ours, second, theirs))
    assert await ids(gate, ListReviewsRequest()) == [new]
    assert await ids(gate, ListReviewsRequest(statuses=[DONE])) == [old, other]
    assert await ids(gate, ListReviewsRequest(statuses=[DONE, REQUESTED], session_id="ours")) == [old, new]
    done = (await gate.reviews.ListReviews(ListReviewsRequest(statuses=[DONE]))).reviews
    assert (done[0].plan.plan, done[0].plan.revision) == ("# First", 1)
    assert done[0].review.outcome == ReviewOutcome.REVIEW_OUTCOME_SUPERSEDED
    assert not done[0].choices


@pytest.mark.parametrize("size", [1, 2, 5])
async def test_pages_of_reviews_fit_together(gate: Gate, size: int) -> None:
    """Whatever the page size, every review comes once and in order."""
    plans = [await gate.propose(proposal(f"# {number}")) for number in range(5)]
    found: list[str] = []
    request = ListReviewsRequest(page_size=size)
    while not found or request.page_token:
        page = await gate.reviews.ListReviews(request)
        assert len(page.reviews) <= size
        found += [item.review.approval_request_id for item in page.reviews]
        request.page_token = page.next_page_token
    assert found == [plan.review.approval_request_id for plan in plans]


async def test_a_review_is_shown_with_its_history(gate: Gate) -> None:
    """By its id or its plan: the item, every revision with its review, and the comments carried along."""
    first = await gate.propose(proposal("# Cellar\nsort\nsweep"))
    comment = AddCommentRequest(plan_uri=first.plan_uri, revision=1, first_line=3, text="With what?")
    await gate.reviews.AddComment(comment)
    await gate.decide(first, "requestChanges", "Say with what")
    second = await updated(gate, first, "# Cellar\nlook\nsort\nsweep")
    by_id = GetReviewRequest(approval_request_id=second.review.approval_request_id)
    shown = await gate.reviews.GetReview(by_id)
    assert await gate.reviews.GetReview(GetReviewRequest(plan_uri=first.plan_uri)) == shown
    assert (shown.item.plan, shown.item.review) == (second, second.review)
    assert [(info.revision, info.review.outcome) for info in shown.revisions] == [
        (1, ReviewOutcome.REVIEW_OUTCOME_CHANGES_REQUESTED),
        (2, 0),
    ]
    carried = shown.comments[0]
    assert (carried.state, carried.revision) == (CommentState.COMMENT_STATE_CARRIED, 1)
    assert (carried.first_line, carried.last_line, carried.text) == (4, 4, "With what?")


async def test_an_older_review_shows_what_it_was_about(gate: Gate) -> None:
    """The plan stands at the revision of that review, with the comments made until then."""
    first = await gate.propose(proposal("# First"))
    second = await updated(gate, first, "# Second")
    text = AddCommentRequest(plan_uri=first.plan_uri, revision=second.revision, text="Later")
    await gate.reviews.AddComment(text)
    request = GetReviewRequest(approval_request_id=first.review.approval_request_id)
    shown = await gate.reviews.GetReview(request)
    assert (shown.item.plan.plan, shown.item.plan.revision) == ("# First", 1)
    assert not shown.item.choices
    assert not shown.comments


async def test_a_review_says_whose_text_it_is(gate: Gate) -> None:
    """The agent as it named itself, and the caller and the person behind it, whom no message can name."""
    async with AsyncExitStack() as stack:
        people = People(gate, stack)
        ada = await people.agent("ada")
        first = await ada.propose(proposal(agent_id="planner"))
        edited = await updated(await people.agent("bo"), first, "# Ours now", agent_id="clerk")
        unnamed = await ada.propose(proposal("# Another"))
        draft = await drafted(ada)
    assert whose(first.review) == ("planner", "ada-agent", "ada")
    assert whose(edited.review) == ("clerk", "bo-agent", "bo")
    assert whose(unnamed.review) == ("", "ada-agent", "ada")
    assert whose(draft.review) == ("planner", "ada-agent", "ada")
    shown = await gate.reviews.GetReview(GetReviewRequest(plan_uri=first.plan_uri))
    assert [whose(info.review) for info in shown.revisions] == [whose(first.review), whose(edited.review)]
    assert shown.revisions[0].review.superseded_by == edited.review.approval_request_id


async def drafted(gate: Gate) -> Plan:
    """A plan that an agent has begun to write."""
    parts = iter([DraftPlanRequest(args=CreatePlanArgs(plan="# So far"), agent_id="planner")])
    return (await gate.agent.DraftPlan(parts)).plan


def whose(review: Review) -> tuple[str, str, str]:
    return review.agent_id, review.principal, review.person


async def test_a_review_is_named_in_one_way(gate: Gate) -> None:
    """Neither, both, or something unknown is refused."""
    plan = await gate.propose()
    both = GetReviewRequest(approval_request_id="x", plan_uri=plan.plan_uri)
    for request, reason in (
        (GetReviewRequest(), "MISSING_FIELD"),
        (both, "MISSING_FIELD"),
        (GetReviewRequest(approval_request_id="x"), "REVIEW_NOT_FOUND"),
        (GetReviewRequest(plan_uri=f"plangate://plans/{0:032x}"), "PLAN_NOT_FOUND"),
    ):
        assert (await refused(gate.reviews.GetReview(request))).reason == reason


async def test_an_unknown_status_is_refused(gate: Gate) -> None:
    """A status that the contract does not have is refused by its place."""
    request = ListReviewsRequest(statuses=[DONE, 9])  # type: ignore[list-item]
    refusal = await refused(gate.reviews.ListReviews(request))
    assert (refusal.reason, refusal.metadata["field"]) == ("INVALID_FIELD", "statuses[1]")


async def test_of_many_revisions_the_newest_are_shown(gate: Gate) -> None:
    """And how many there are before them, which ListRevisions has."""
    plan = await gate.propose(proposal("# 1"))
    for number in range(2, 204):
        plan = await updated(gate, plan, f"# {number}")
    found = await gate.reviews.GetReview(GetReviewRequest(plan_uri=plan.plan_uri))
    assert [each.revision for each in found.revisions] == list(range(4, 204))
    assert found.older_revisions == 3
