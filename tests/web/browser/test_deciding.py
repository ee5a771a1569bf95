"""Decisions on the page: about what is shown, and recorded as they were made."""

from __future__ import annotations

from contextlib import AsyncExitStack

from playwright.async_api import expect

from plangate_proto.agent.v1 import plan_service_pb2 as plan_pb
from plangate_proto.agent.v1.review_resource_pb2 import Review
from tests.helpers.people import People
from tests.web.browser.desk import Desk, Room
from tests.web.browser.plans import revised


def decisions(review: Review) -> list[tuple[str, str, str]]:
    return [(each.reviewer, each.selected_option, each.feedback_text) for each in review.decisions]


async def test_approve(office: Room, desk: Desk) -> None:
    """One click approves the revision and digest on the screen, and the page says who did."""
    plan = await office.gate.propose()
    await desk.read(plan)
    await desk.choice("Approve").click()
    await desk.is_told("ada approved")
    review = (await office.gate.get(plan.plan_uri)).review
    assert decisions(review) == [("ada", "approve", "")]
    assert (review.revision, review.digest) == (plan.revision, plan.digest)


async def test_reject_with_words(office: Room, desk: Desk) -> None:
    """The agent gets the words as they were typed."""
    plan = await office.gate.propose()
    await desk.read(plan)
    await desk.choice("Reject").click()
    await desk.page.locator(".words-form textarea").fill("Not the cellar.\nThe attic.")
    await desk.page.get_by_role("button", name="Reject").click()
    await desk.is_told("ada rejected")
    review = (await office.gate.get(plan.plan_uri)).review
    assert decisions(review) == [("ada", "rejectAndTellWhatToDoDifferently", "Not the cellar.\nThe attic.")]


async def test_changes_need_words(office: Room, desk: Desk) -> None:
    """Without them nothing is sent, and the page says what is missing."""
    plan = await office.gate.propose()
    await desk.read(plan)
    await desk.choice("Request changes").click()
    await desk.page.get_by_role("button", name="Request changes").click()
    await desk.is_told("Say what to change")
    assert not (await office.gate.get(plan.plan_uri)).review.decisions


async def test_a_newer_revision_takes_the_choices_away(office: Room, desk: Desk) -> None:
    """Whoever reads the old one is told, keeps it, and cannot decide until they see the new one."""
    plan = await office.gate.propose()
    await desk.read(plan)
    newer = await revised(office, plan, "# Burn the cellar")
    await expect(desk.page.locator(".notice")).to_contain_text("Revision 2")
    await expect(desk.choice("Approve")).to_have_attribute("aria-disabled", "true")
    await expect(desk.page.locator(".text")).to_contain_text("Tidy the cellar")
    await desk.choice("Approve").click(force=True)
    await desk.press("Enter")
    await desk.page.get_by_role("button", name="Show revision 2").click()
    await expect(desk.page.locator(".text")).to_contain_text("Burn the cellar")
    assert not (await office.gate.get(plan.plan_uri)).review.decisions
    await desk.can_decide()
    await desk.choice("Approve").click()
    await desk.is_told("ada approved")
    assert (await office.gate.get(plan.plan_uri)).review.digest == newer.digest


async def test_a_page_that_hears_nothing_cannot_approve_a_newer_revision(office: Room, desk: Desk) -> None:
    """The gate refuses what is about another text, and the page says so."""
    plan = await office.gate.propose()
    await desk.page.route("**/api/live", lambda route: route.abort())
    await desk.read(plan)
    await revised(office, plan, "# Burn the cellar")
    await desk.choice("Approve").click()
    await expect(desk.page.locator(".decide [role=alert]")).to_contain_text("revision")
    assert not (await office.gate.get(plan.plan_uri)).review.decisions


async def test_two_reviewers_at_once(office: Room) -> None:
    """One is recorded; the other is shown who was first."""
    plan = await office.gate.propose()
    async with AsyncExitStack() as stack:
        people = People(office.gate, stack)
        first = await stack.enter_async_context(office.desk(await people.secret("bo", "reviewer", "desk")))
        second = await stack.enter_async_context(office.desk(await people.secret("cy", "reviewer", "desk")))
        await second.page.route("**/api/live", lambda route: route.abort())
        await first.read(plan)
        await second.read(plan)
        await first.choice("Approve").click()
        await first.is_told("bo-desk approved")
        await second.choice("Reject").click()
        await second.page.get_by_role("button", name="Reject").click()
        await second.is_told("bo-desk")
        assert decisions((await office.gate.get(plan.plan_uri)).review) == [("bo-desk", "approve", "")]


async def test_receipts_follow_the_decision(office: Room, desk: Desk) -> None:
    """Decided, then acknowledged, without a reload."""
    plan = await office.gate.propose()
    await desk.read(plan)
    await desk.press("Enter")
    steps = desk.page.get_by_role("region", name="Receipts")
    await expect(steps.locator(".done")).to_have_count(1)
    acknowledge = plan_pb.AcknowledgeDecisionRequest(approval_request_id=plan.review.approval_request_id)
    await office.gate.agent.AcknowledgeDecision(acknowledge)
    await expect(steps.locator(".done", has_text="Acknowledged")).to_have_count(1)
