"""Comments on lines of a revision: added, told, carried to the next revision, resolved."""

from typing import Any

import pytest

from plangate_proto.agent.v1.plan_resource_pb2 import Plan
from plangate_proto.agent.v1.plan_service_pb2 import ListCommentsRequest
from plangate_proto.agent.v1.review_resource_pb2 import Comment, CommentState
from plangate_proto.aiserver.v1.create_plan_tool_pb2 import CreatePlanParams
from plangate_proto.aiserver.v1.plan_review_service_pb2 import (
    AddCommentRequest,
    GetReviewRequest,
    ResolveCommentRequest,
)
from plangate_proto.aiserver.v1.plan_service_pb2 import ReviewPlanRequest
from tests.helpers.gate import Gate, proposal
from tests.helpers.refusals import refused
from tests.helpers.streams import next_of, rest_of, types
from tests.helpers.tokens import ADMIN
from tests.rpc.steps import edited, told, updated, waiting, watching

TEXT = "# Cellar\nsort\nsweep"


async def comment_on(gate: Gate, plan: Plan, text: str = "Why?", **fields: Any) -> Comment:
    fields.setdefault("revision", plan.revision)
    request = AddCommentRequest(plan_uri=plan.plan_uri, text=text, **fields)
    return (await gate.reviews.AddComment(request)).comment


async def resolve(gate: Gate, comment_id: str) -> Comment:
    request = ResolveCommentRequest(comment_id=comment_id)
    return (await gate.reviews.ResolveComment(request)).comment


async def shown(gate: Gate, plan: Plan) -> list[Comment]:
    return list((await gate.reviews.GetReview(GetReviewRequest(plan_uri=plan.plan_uri))).comments)


async def test_a_comment_is_kept_and_told(gate: Gate) -> None:
    """Agent and watchers hear of it at once, and GetReview shows it, open."""
    plan = await gate.propose(proposal(TEXT))
    agent = waiting(gate, plan)
    await next_of(agent)
    watch, _ = await watching(gate)
    comment = await comment_on(gate, plan, first_line=2, last_line=3)
    for stream in (agent, watch):
        event = (await next_of(stream)).event
        assert (*types([event]), event.comment) == ("COMMENT_ADDED", comment)
        stream.cancel()
    assert (comment.first_line, comment.last_line, comment.author) == (2, 3, ADMIN)
    assert comment.state == CommentState.COMMENT_STATE_OPEN
    assert await shown(gate, plan) == [comment]


@pytest.mark.parametrize(("lines", "expected"), [((0, 0), (0, 0)), ((2, 0), (2, 2)), ((1, 3), (1, 3))])
async def test_lines_are_counted_from_one(
    gate: Gate, lines: tuple[int, int], expected: tuple[int, int]
) -> None:
    """No line stands for the plan as a whole, and no last line for the first alone."""
    plan = await gate.propose(proposal(TEXT))
    comment = await comment_on(gate, plan, first_line=lines[0], last_line=lines[1])
    assert (comment.first_line, comment.last_line) == expected


BAD: dict[str, tuple[dict[str, Any], str, str]] = {
    "beyond": ({"first_line": 4}, "INVALID_FIELD", "first_line"),
    "negative": ({"first_line": -1}, "INVALID_FIELD", "first_line"),
    "backwards": ({"first_line": 3, "last_line": 2}, "INVALID_FIELD", "last_line"),
    "too far": ({"first_line": 1, "last_line": 4}, "INVALID_FIELD", "last_line"),
    "no first": ({"last_line": 2}, "INVALID_FIELD", "last_line"),
    "no words": ({"text": " "}, "MISSING_FIELD", "text"),
    "too many words": ({"text": "x" * 65_537}, "LIMIT_EXCEEDED", "text"),
    "no revision": ({"revision": 0}, "MISSING_FIELD", "revision"),
    "unknown revision": ({"revision": 2}, "REVISION_NOT_FOUND", "revision"),
}


@pytest.mark.parametrize("name", BAD)
async def test_a_bad_comment_is_refused_by_name(gate: Gate, name: str) -> None:
    """Lines that the revision does not have, or no words, are refused, and nothing is told."""
    fields, reason, field = BAD[name]
    plan = await gate.propose(proposal(TEXT))
    refusal = await refused(comment_on(gate, plan, **fields))
    assert (refusal.reason, refusal.metadata["field"]) == (reason, field)
    assert await told(gate, plan) == ["PLAN_CREATED", "PLAN_APPROVAL_REQUIRED"]


async def test_a_comment_goes_where_its_lines_go(gate: Gate) -> None:
    """On the next revision it stands on the same text, or on the plan as a whole if that is gone."""
    plan = await gate.propose(proposal(TEXT))
    await comment_on(gate, plan, "moves", first_line=3)
    await comment_on(gate, plan, "goes", first_line=2)
    new = await updated(gate, plan, "# Cellar\nlook around\nthen\nsweep")
    assert [(c.text, c.state, c.first_line, c.last_line) for c in await shown(gate, new)] == [
        ("moves", CommentState.COMMENT_STATE_CARRIED, 4, 4),
        ("goes", CommentState.COMMENT_STATE_CARRIED, 0, 0),
    ]


async def test_a_comment_is_resolved_once(gate: Gate) -> None:
    """Who resolved it and when is kept; doing it again changes nothing and is not told."""
    plan = await gate.propose(proposal(TEXT))
    comment = await comment_on(gate, plan)
    resolved = await resolve(gate, comment.comment_id)
    assert (resolved.state, resolved.resolved_by) == (CommentState.COMMENT_STATE_RESOLVED, ADMIN)
    assert await resolve(gate, comment.comment_id) == resolved
    assert (await told(gate, plan))[2:] == ["COMMENT_ADDED", "COMMENT_RESOLVED"]
    assert await shown(gate, await updated(gate, plan, "# Second")) == [resolved]
    assert (await refused(resolve(gate, "nothing"))).reason == "COMMENT_NOT_FOUND"


async def test_a_comment_decides_nothing(gate: Gate) -> None:
    """Review, revision and digest are as they were."""
    plan = await gate.propose(proposal(TEXT))
    await comment_on(gate, plan)
    after = await gate.get(plan.plan_uri)
    assert (after.review, after.revision, after.digest) == (plan.review, plan.revision, plan.digest)


async def test_a_retried_comment_is_one_comment(gate: Gate) -> None:
    """The same comment under the same id is stored once."""
    plan = await gate.propose(proposal(TEXT))
    first = await comment_on(gate, plan, request_id="r1")
    assert await comment_on(gate, plan, request_id="r1") == first
    assert await shown(gate, plan) == [first]


async def test_it_is_said_beforehand_what_would_be_left_out(gate: Gate) -> None:
    """Of the open comments, GetReview counts those that would not go along with a decision made now."""
    plan = await gate.propose(proposal(TEXT))
    large = [await comment_on(gate, plan, "x" * 60_000) for _ in range(6)]
    assert await left_out(gate, plan) == 2
    await resolve(gate, large[0].comment_id)
    assert await left_out(gate, plan) == 1
    await gate.decide(plan, "approve")
    review = (await gate.reviews.GetReview(GetReviewRequest(plan_uri=plan.plan_uri))).item.review
    assert (len(review.comments), review.comments_left_out) == (4, 1)


@pytest.fixture
async def much_said(gate: Gate) -> tuple[Plan, list[str]]:
    """A plan on which more was said than an answer has room for, and the ids of it, the oldest first."""
    plan = await gate.propose(proposal(TEXT))
    said = [await comment_on(gate, plan, f"{number} " + "x" * 62_000, first_line=1) for number in range(60)]
    return plan, [each.comment_id for each in said]


async def test_a_review_with_much_said_about_it_can_be_read(
    gate: Gate, much_said: tuple[Plan, list[str]]
) -> None:
    """Every client takes its answer, which says how many comments it leaves out; pages have them all."""
    plan, said = much_said
    found = await gate.reviews.GetReview(GetReviewRequest(plan_uri=plan.plan_uri))
    assert found.ByteSize() < 1024 * 1024
    assert [each.comment_id for each in found.comments] == said[: len(found.comments)]
    assert (len(found.comments) + found.comments_not_shown, found.comments_left_out) == (60, 56)
    assert [each.comment_id for each in await listed(gate, plan)] == said


async def test_resolved_comments_make_room(gate: Gate, much_said: tuple[Plan, list[str]]) -> None:
    """For those that are open: whoever decides sees these first, in their order."""
    plan, said = much_said
    for comment_id in said[:58]:
        await resolve(gate, comment_id)
    found = await gate.reviews.GetReview(GetReviewRequest(plan_uri=plan.plan_uri))
    shown = [each.comment_id for each in found.comments]
    assert shown == sorted(shown)
    assert shown[-2:] == said[-2:]
    assert found.comments_not_shown == 60 - len(shown) > 0


async def test_many_short_comments_have_room(gate: Gate) -> None:
    """Nothing is left out of what people usually say."""
    plan = await gate.propose(proposal(TEXT))
    for _ in range(300):
        await comment_on(gate, plan)
    found = await gate.reviews.GetReview(GetReviewRequest(plan_uri=plan.plan_uri))
    assert (len(found.comments), found.comments_not_shown) == (300, 0)


async def test_comments_are_listed_as_they_stood_on_an_earlier_text(gate: Gate) -> None:
    """As GetReview shows them there, page by page; what was said later is not among them."""
    plan = await gate.propose(proposal(TEXT))
    for number in range(3):
        await comment_on(gate, plan, f"no. {number}", first_line=3)
    newer = await updated(gate, plan, "# Cellar\nlook\nsort\nsweep")
    await comment_on(gate, newer, "later", first_line=1)
    request = GetReviewRequest(approval_request_id=plan.review.approval_request_id)
    then = (await gate.reviews.GetReview(request)).comments
    assert [each.first_line for each in then] == [3, 3, 3]
    assert await listed(gate, plan, revision=1, page_size=2) == list(then)
    assert [each.first_line for each in await listed(gate, plan, page_size=2)] == [4, 4, 4, 1]
    refusal = await refused(listed(gate, plan, revision=3))
    assert (refusal.reason, refusal.metadata["revision"]) == ("REVISION_NOT_FOUND", "3")
    first = await gate.agent.ListComments(ListCommentsRequest(plan_uri=plan.plan_uri, page_size=1))
    refusal = await refused(listed(gate, plan, revision=1, page_token=first.next_page_token))
    assert refusal.reason == "INVALID_PAGE_TOKEN"


async def listed(gate: Gate, plan: Plan, **fields: Any) -> list[Comment]:
    """Every comment, page after page."""
    request = ListCommentsRequest(plan_uri=plan.plan_uri, **fields)
    found: list[Comment] = []
    while True:
        page = await gate.agent.ListComments(request)
        found += page.comments
        if not page.next_page_token:
            return found
        request.page_token = page.next_page_token


async def left_out(gate: Gate, plan: Plan) -> int:
    return (await gate.reviews.GetReview(GetReviewRequest(plan_uri=plan.plan_uri))).comments_left_out


DECIDED = {
    "approve": "PLAN_APPROVED",
    "edit": "PLAN_EDITED",
    "reject": "PLAN_REJECTED",
    "requestChanges": "PLAN_MODIFICATION_REQUESTED",
}


async def commented(gate: Gate) -> tuple[Plan, Comment]:
    """A plan with a comment that is open, and one that is not."""
    plan = await gate.propose(proposal(TEXT, agent_id="coder"))
    await resolve(gate, (await comment_on(gate, plan, "Done?")).comment_id)
    return plan, await comment_on(gate, plan, first_line=2)


async def decide(gate: Gate, plan: Plan, option: str) -> None:
    if option == "edit":
        await edited(gate, plan, CreatePlanParams(plan="# Cellar\nsort all\nsweep"))
    else:
        await gate.decide(plan, option, "See there")


@pytest.mark.parametrize("option", DECIDED)
async def test_the_other_vocabulary_tells_of_them_with_the_decision(gate: Gate, option: str) -> None:
    """aiserver.v1's stream carries those that were open, with their lines, words and who said them."""
    plan, still_open = await commented(gate)
    stream = gate.aiserver.ReviewPlan(ReviewPlanRequest(plan_uri=plan.plan_uri, agent_id="coder"))
    await next_of(stream)
    await decide(gate, plan, option)
    event = (await next_of(stream)).event
    stream.cancel()
    assert types([event]) == [DECIDED[option]]
    (told,) = event.review.comments
    assert (told.first_line, told.last_line, told.quoted_text) == (2, 2, "sort")
    assert (told.text, told.author, told.comment_id) == ("Why?", ADMIN, still_open.comment_id)
    assert event.review.comments_left_out == 0


@pytest.mark.parametrize("option", ["approve", "edit", "reject"])
async def test_who_asks_later_is_told_of_them_in_the_other_vocabulary(gate: Gate, option: str) -> None:
    """A new stream has them in its snapshot, before the result."""
    plan, still_open = await commented(gate)
    await decide(gate, plan, option)
    stream = gate.aiserver.ReviewPlan(ReviewPlanRequest(plan_uri=plan.plan_uri, agent_id="coder"))
    snapshot, answer = await rest_of(stream)
    assert [each.comment_id for each in snapshot.event.review.comments] == [still_open.comment_id]
    assert answer.result.WhichOneof("result") is not None
