"""Whoever decides sees which comments go along: on the button before, and with the decision afterwards."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from playwright.async_api import Locator, expect

from plangate_proto.agent.v1.plan_resource_pb2 import Plan
from plangate_proto.agent.v1.plan_service_pb2 import CreatePlanRequest
from plangate_proto.agent.v1.review_resource_pb2 import Comment, ReviewOptions
from plangate_proto.aiserver.v1.plan_review_service_pb2 import (
    AddCommentRequest,
    GetReviewRequest,
    ResolveCommentRequest,
)
from tests.helpers.gate import Gate, connected
from tests.web.browser.desk import Desk, Room
from tests.web.browser.plans import CELLAR, proposed, revised

CHOICES = ("Approve", "Reject", "Request changes", "Edit")


async def comment_on(gate: Gate, plan: Plan, text: str = "Why?", line: int = 0) -> Comment:
    request = AddCommentRequest(plan_uri=plan.plan_uri, revision=plan.revision, first_line=line, text=text)
    return (await gate.reviews.AddComment(request)).comment


async def resolve(gate: Gate, comment: Comment) -> None:
    await gate.reviews.ResolveComment(ResolveCommentRequest(comment_id=comment.comment_id))


@asynccontextmanager
async def colleague(office: Room) -> AsyncIterator[Gate]:
    """Another person, elsewhere."""
    async with connected(office.opened.grpc, token=office.token("reviewer")) as gate:
        yield gate


def said_on(desk: Desk, label: str) -> Locator:
    """What a choice says of what goes along with it."""
    return desk.choice(label).locator(".along")


async def test_every_choice_says_how_many_comments_it_sends(office: Room, desk: Desk) -> None:
    """One, several, none: as it is now, also while others add and resolve comments."""
    plan = await proposed(office)
    await desk.read(plan)
    async with colleague(office) as bo:
        for label in CHOICES:
            await expect(said_on(desk, label)).to_be_empty()
        first = await comment_on(bo, plan)
        for label in CHOICES:
            await expect(said_on(desk, label)).to_have_text("sends 1 comment")
        await comment_on(bo, plan, line=3)
        third = await comment_on(bo, plan)
        for label in CHOICES:
            await expect(said_on(desk, label)).to_have_text("sends 3 comments")
        await resolve(bo, first)
        await expect(said_on(desk, "Approve")).to_have_text("sends 2 comments")
        await expect(desk.page.locator("#said")).to_have_text("A decision now sends 2 comments.")
        await resolve(bo, third)
        await revised(office, plan, f"{CELLAR}\nLock up.\n")
        await desk.page.get_by_role("button", name="Show revision 2").click()
        await expect(said_on(desk, "Approve")).to_have_text("sends 1 comment")


async def test_the_button_keeps_the_focus(office: Room, desk: Desk) -> None:
    """What a comment of somebody else changes on it takes nothing away from whoever is about to press it."""
    plan = await proposed(office)
    await desk.read(plan)
    await desk.choice("Reject").focus()
    async with colleague(office) as bo:
        await comment_on(bo, plan)
    await expect(said_on(desk, "Reject")).to_have_text("sends 1 comment")
    await expect(desk.choice("Reject")).to_be_focused()


@pytest.mark.parametrize(("key", "label"), [("Escape", "Reject"), ("r", "Request changes")])
async def test_forms_say_it_too(office: Room, desk: Desk, key: str, label: str) -> None:
    """Opened by key: the button that sends the words says it, live, and the words stay."""
    plan = await proposed(office)
    await comment_on(office.gate, plan)
    await desk.read(plan)
    await desk.press(key)
    words = desk.page.locator(".words-form textarea")
    await words.fill("Not like this")
    send = desk.page.locator(".words-form").get_by_role("button", name=label)
    await expect(send).to_contain_text("sends 1 comment")
    async with colleague(office) as bo:
        await comment_on(bo, plan)
    await expect(send).to_contain_text("sends 2 comments")
    await expect(words).to_have_value("Not like this")
    await desk.calm()
    await desk.press("Control+Enter")
    await desk.is_told("2 comments went along")


async def test_the_editor_says_it_too(office: Room, desk: Desk) -> None:
    """Where it approves, and not where it only saves."""
    plan = await proposed(office)
    await comment_on(office.gate, plan)
    await desk.read(plan)
    await desk.press("e")
    await desk.page.keyboard.type("Now. ")
    await desk.press("Control+Enter")
    approve = desk.page.get_by_role("button", name="Approve as edited")
    await expect(approve).to_contain_text("sends 1 comment")
    await expect(desk.page.get_by_role("button", name="Save without approving")).not_to_contain_text(
        "comment"
    )
    async with colleague(office) as bo:
        await comment_on(bo, plan)
    await expect(approve).to_contain_text("sends 2 comments")
    await desk.calm()
    await desk.press("Control+Enter")
    await desk.is_told("2 comments went along")


async def test_the_keys_say_it_too(office: Room, desk: Desk) -> None:
    """The list of keys says what each of them sends."""
    plan = await proposed(office)
    await comment_on(office.gate, plan)
    await desk.read(plan)
    await desk.press("?")
    keys = desk.page.get_by_role("dialog")
    await expect(keys).to_contain_text("Approve what is shown; sends 1 comment")
    await expect(keys).to_contain_text("Reject, with words; sends 1 comment")


async def test_the_comments_that_went_along_stand_with_the_decision(office: Room, desk: Desk) -> None:
    """With their lines, quote, author and words; and no other ones, nor those that came later."""
    plan = await proposed(office)
    done = await comment_on(office.gate, plan, "Settled")
    await resolve(office.gate, done)
    await comment_on(office.gate, plan, "Which <b>boxes</b>?", line=3)
    await comment_on(office.gate, plan, "Good")
    await desk.read(plan)
    await desk.press("Enter")
    went = desk.page.locator(".went-along")
    await expect(went.locator("summary")).to_have_text("2 comments went along")
    await expect(went.locator("li")).to_have_count(2)
    await expect(went.locator("li").first).to_contain_text("on line 3")
    await expect(went.locator(".quoted")).to_have_text("Carry the boxes up.")
    await expect(went.locator(".words").first).to_have_text("Which <b>boxes</b>?")
    await expect(desk.page.locator(".timeline")).to_contain_text("approved the plan, with 2 comments")
    await comment_on(office.gate, plan, "Too late")
    await expect(desk.page.locator(".timeline")).to_contain_text("Too late")
    await expect(went.locator("li")).to_have_count(2)


async def test_what_did_not_fit_is_counted(office: Room, desk: Desk) -> None:
    """On the button before, and with the decision afterwards; the page says what the gate does."""
    plan = await proposed(office)
    for _ in range(6):
        await comment_on(office.gate, plan, "x" * 60_000)
    await desk.read(plan)
    await expect(said_on(desk, "Approve")).to_have_text("sends 4 of 6 comments")
    await desk.press("Enter")
    await desk.is_told("4 comments went along")
    await desk.is_told("2 more comments did not fit")
    review = (await office.gate.reviews.GetReview(GetReviewRequest(plan_uri=plan.plan_uri))).item.review
    assert (len(review.comments), review.comments_left_out) == (4, 2)


async def test_the_first_of_two_approvals_sends_nothing(office: Room, desk: Desk) -> None:
    """The agent hears of the last one: until then only what ends the review takes comments along."""
    wanted = CreatePlanRequest(review=ReviewOptions(required_approvals=2))
    wanted.args.plan = CELLAR
    plan = await office.gate.propose(wanted)
    await comment_on(office.gate, plan)
    await desk.read(plan)
    await expect(said_on(desk, "Reject")).to_have_text("sends 1 comment")
    await expect(said_on(desk, "Approve")).to_be_empty()


async def test_all_comments_are_shown(office: Room, desk: Desk) -> None:
    """Also where the gate's answer has no room for them, and what goes along is counted among all."""
    plan = await proposed(office)
    async with colleague(office) as bo:
        for number in range(12):
            await comment_on(bo, plan, f"no. {number} " + "x" * 60_000)
        found = await bo.reviews.GetReview(GetReviewRequest(plan_uri=plan.plan_uri))
        assert found.comments_not_shown
        await desk.read(plan)
        await expect(desk.page.locator(".comment")).to_have_count(12)
        await expect(said_on(desk, "Reject")).to_have_text("sends 4 of 12 comments")
