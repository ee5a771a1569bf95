"""What goes along with a decision, and what the person has not seen of it: said before, and after."""

from __future__ import annotations

from plangate.tui.frame import Along
from plangate_proto.agent.v1.create_plan_tool_pb2 import CreatePlanArgs
from plangate_proto.agent.v1.plan_resource_pb2 import Plan
from plangate_proto.agent.v1.plan_service_pb2 import UpdatePlanRequest
from plangate_proto.agent.v1.review_resource_pb2 import Comment, ReviewOptions, ReviewOutcome, ReviewStatus
from plangate_proto.aiserver.v1.plan_review_service_pb2 import (
    AddCommentRequest,
    GetReviewRequest,
    ResolveCommentRequest,
)
from tests.helpers.gate import Gate, proposal
from tests.tui.person import Clock, Person, at_desk

LONG = "# Tidy the cellar\n\n" + "\n".join(f"- shelf {number}" for number in range(60))
HIGH = "# Tidy the cellar\n\n" + "\n".join(f"- shelf {number}" for number in range(12))
"""Fills a screen of 24 rows, with what was said about it below."""


async def somebody_says(gate: Gate, plan: Plan, words: str) -> Comment:
    request = AddCommentRequest(plan_uri=plan.plan_uri, revision=plan.revision, text=words)
    return (await gate.reviews.AddComment(request)).comment


def in_the_box(person: Person) -> str:
    shown = person.app.screen.query_one(Along)._shown
    return shown.plain if shown else ""


async def approved(gate: Gate, plan: Plan) -> bool:
    return (await gate.get(plan.plan_uri)).review.outcome == ReviewOutcome.REVIEW_OUTCOME_APPROVED


async def test_the_choices_say_what_goes_along(gate: Gate) -> None:
    """The open comments, as many as there are now; nothing if there are none."""
    plan = await gate.propose()
    async with at_desk(gate.address) as person:
        await person.opens("Tidy the cellar")
        assert "sends" not in person.screen
        one = await somebody_says(gate, plan, "why?")
        await person.sees("a decision sends 1 comment")
        assert "1 comments" not in person.screen
        await somebody_says(gate, plan, "which boxes?")
        await person.sees("a decision sends 2 comments")
        await gate.reviews.ResolveComment(ResolveCommentRequest(comment_id=one.comment_id))
        await person.sees("a decision sends 1 comment")


async def test_all_comments_are_shown(gate: Gate) -> None:
    """Also where the gate's answer has no room for them."""
    plan = await gate.propose()
    for number in range(10):
        await somebody_says(gate, plan, f"no. {number} " + "x" * 60_000)
    found = await gate.reviews.GetReview(GetReviewRequest(plan_uri=plan.plan_uri))
    assert found.comments_not_shown
    async with at_desk(gate.address) as person:
        await person.opens("Tidy the cellar")
        await person.sees("a decision sends 10 comments")


async def test_a_box_says_what_goes_along_with_the_words(gate: Gate) -> None:
    """Also of what is said while somebody writes; a comment itself sends nothing."""
    plan = await gate.propose()
    await somebody_says(gate, plan, "why?")
    async with at_desk(gate.address) as person:
        await person.opens("Tidy the cellar")
        await person.presses("c")
        await person.sees("Comment:")
        assert in_the_box(person) == ""
        await person.presses("escape")
        await person.sees_no("Comment:")
        await person.can_decide()
        await person.presses("r")
        await person.sees("Request changes:")
        await person.waits_until(lambda: "sends 1 comment" in in_the_box(person), "what goes along")
        await somebody_says(gate, plan, "which boxes?")
        await person.waits_until(lambda: "sends 2 comments" in in_the_box(person), "what goes along")
        await person.types("less")
        await person.presses("enter")
        await person.sees("you decided: changes requested, sent 2 comments")


async def test_what_went_along_is_shown_after_the_decision(gate: Gate) -> None:
    """How much, and below it whose words."""
    plan = await gate.propose()
    await somebody_says(gate, plan, "why?")
    async with at_desk(gate.address, size=(80, 50)) as person:
        await person.opens("Tidy the cellar")
        await person.presses("enter")
        await person.sees("you decided: approved, sent 1 comment")
        await person.sees("with it       sent 1 comment", "> why?")
        assert "a decision sends" not in person.screen


async def test_an_approval_that_is_not_the_last_sends_nothing(gate: Gate) -> None:
    """The person is told that the comments wait for the last one."""
    plan = await gate.propose(proposal(review=ReviewOptions(required_approvals=2)))
    await somebody_says(gate, plan, "why?")
    async with at_desk(gate.address, size=(80, 50)) as person:
        await person.opens("Tidy the cellar")
        await person.sees("a decision sends 1 comment; an approval only if it is the last")
        await person.presses("enter")
        await person.sees("you decided: approved, as one of 2 that are needed")
        await person.sees("a decision sends 1 comment")


async def test_approving_says_once_what_was_not_seen(gate: Gate, stillness: Clock) -> None:
    """The first Enter says how much of the text was not on the screen; the next one, in calm, approves."""
    plan = await gate.propose(proposal(LONG))
    async with at_desk(gate.address) as person:
        await person.sees("plan  Tidy the cellar")
        await person.presses("enter")
        await person.comes_to_rest(stillness)
        await person.presses("enter")
        await person.sees("not seen yet: ", " lines of the plan; Enter approves all the same")
        await person.holds_down("enter", stillness)
        await person.comes_to_rest(stillness)
        assert not await approved(gate, plan)
        await person.presses("space")
        await person.presses("enter")
        await person.sees("you decided: approved")
    assert await approved(gate, plan)


async def test_who_has_read_all_of_it_is_told_nothing(gate: Gate) -> None:
    """Page by page; and leaving it in between forgets nothing."""
    plan = await gate.propose(proposal(LONG))
    async with at_desk(gate.address) as person:
        await person.opens("Tidy the cellar")
        await person.presses("space", "space")
        await person.presses("u")
        await person.sees("Enter  open")
        await person.presses("enter")
        await person.can_decide()
        await person.presses("G", "b", "b", "b")
        await person.presses("enter")
        await person.sees("you decided: approved")
    assert await approved(gate, plan)


async def test_who_jumps_to_the_end_has_not_seen_the_middle(gate: Gate) -> None:
    """What is told is how much was never on the screen."""
    await gate.propose(proposal(LONG))
    async with at_desk(gate.address) as person:
        await person.opens("Tidy the cellar")
        await person.presses("G", "enter")
        await person.sees("not seen yet: ", " lines of the plan; Enter approves all the same")


async def test_approving_says_which_comments_were_not_seen(gate: Gate) -> None:
    """Each is told of once: what comes after that is told of, too, and nobody's own words are."""
    plan = await gate.propose(proposal(HIGH))
    await somebody_says(gate, plan, "why?")
    async with at_desk(gate.address) as person:
        await person.app.desk.client.comment(plan, "I wonder")
        await person.opens("Tidy the cellar")
        await person.sees("a decision sends 2 comments, 1 not seen yet")
        await person.presses("enter")
        await person.sees("not seen yet: 1 comment; Enter approves all the same")
        await person.can_decide()
        await somebody_says(gate, plan, "which boxes?")
        await person.sees("a decision sends 3 comments, 2 not seen yet")
        await person.presses("enter")
        await person.sees("not seen yet: 2 comments; Enter approves all the same")
        await person.can_decide()
        await person.presses("space")
        await person.sees("a decision sends 3 comments")
        await person.sees_no("not seen yet;")
        await person.presses("enter")
        await person.sees("you decided: approved, sent 3 comments")


async def test_whoever_knows_the_revision_before_need_only_see_what_changed(gate: Gate) -> None:
    """All of the first one was on the screen, and then the difference."""
    plan = await gate.propose(proposal(HIGH))
    async with at_desk(gate.address) as person:
        await person.opens("Tidy the cellar")
        await person.presses("j")
        args = CreatePlanArgs(plan=HIGH.replace("shelf 3", "shelf 30"))
        await gate.agent.UpdatePlan(UpdatePlanRequest(plan_uri=plan.plan_uri, expected_revision=1, args=args))
        await person.sees("revision 2 by", "+- shelf 30")
        await person.can_decide()
        await person.presses("1")
        await person.sees("you decided: approved")


async def test_what_is_said_behind_a_box_is_seen_when_it_closes(gate: Gate) -> None:
    """Not before: the box may cover it."""
    plan = await gate.propose()
    async with at_desk(gate.address) as person:
        await person.opens("Tidy the cellar")
        await person.presses("escape")
        await person.sees("Reject:")
        await somebody_says(gate, plan, "why?")
        await person.waits_until(lambda: "1 not seen yet" in in_the_box(person), "what was not seen")
        await person.presses("escape")
        await person.sees_no("Reject:")
        await person.can_decide()
        await person.presses("enter")
        await person.sees("you decided: approved, sent 1 comment")
    assert (await gate.get(plan.plan_uri)).review.status == ReviewStatus.REVIEW_STATUS_DONE
