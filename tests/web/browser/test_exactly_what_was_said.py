"""A decision is exactly what the person said: nothing goes along unsaid, no refusal loses it."""

from __future__ import annotations

from typing import Any

from playwright.async_api import expect

from tests.web.browser.desk import Desk, Room
from tests.web.browser.plans import CELLAR, proposed

EDITED = "# Tidy the attic\n\nCarry the boxes down.\n"
DECIDED = {"approvalRequestId", "revision", "digest", "humanReview", "requestId"}


async def sent_by_enter(desk: Desk) -> Any:
    """The decision that Enter sends, as JSON."""
    async with desk.page.expect_request("**/SubmitReview") as asked:
        await desk.press("Enter")
    return (await asked.value).post_data_json


async def test_an_edit_that_was_left_goes_with_no_approval(office: Room, desk: Desk) -> None:
    """The button says beforehand that it is about the text without it, and nothing of it is sent."""
    plan = await proposed(office)
    await desk.read(plan)
    along = desk.choice("Approve").locator(".along")
    await expect(along).to_be_empty()
    await desk.press("e")
    await desk.page.get_by_label("Text, in Markdown").fill(EDITED)
    await desk.press("Escape")
    await expect(along).to_have_text("without your edits")
    await desk.page.reload()
    await expect(along).to_have_text("without your edits")
    await desk.can_decide()
    sent = await sent_by_enter(desk)
    assert sent.keys() == DECIDED
    assert sent["humanReview"] == {"selectedOption": "approve"}
    await desk.is_told("ada approved")
    after = await office.gate.get(plan.plan_uri)
    assert (after.plan, after.revision) == (CELLAR, 1)


async def test_an_edit_that_was_dropped_is_not_spoken_of(office: Room, desk: Desk) -> None:
    """Back at the text as it is, there is nothing left to leave out."""
    plan = await proposed(office)
    await desk.read(plan)
    await desk.press("e")
    await desk.page.get_by_label("Text, in Markdown").fill(EDITED)
    await desk.page.get_by_role("button", name="Drop my changes").click()
    await desk.press("Escape")
    await expect(desk.page.locator(".editor")).to_be_hidden()
    await expect(desk.choice("Approve").locator(".along")).to_be_empty()


async def test_words_that_were_left_go_with_no_approval(office: Room, desk: Desk) -> None:
    """What was typed to reject stays in its box."""
    plan = await proposed(office)
    await desk.read(plan)
    await desk.press("Escape")
    await desk.page.locator(".words-form textarea").fill("Never")
    await desk.press("Escape")
    await desk.calm()
    sent = await sent_by_enter(desk)
    assert sent["humanReview"] == {"selectedOption": "approve"}


async def test_an_edit_that_changes_nothing_is_refused_in_words(office: Room, desk: Desk) -> None:
    """An empty name is taken from the text, so that the plan is as it was: the gate says so."""
    plan = await proposed(office)
    await desk.read(plan)
    await desk.press("e")
    await desk.page.get_by_label("Name", exact=True).fill("")
    await desk.press("Control+Enter")
    await desk.calm()
    await desk.press("Control+Enter")
    await expect(desk.page.locator(".editor [role=alert]")).to_contain_text("use approve")
    await desk.page.get_by_role("button", name="OK").click()
    await desk.page.get_by_role("button", name="Back to the text").click()
    await expect(desk.page.get_by_label("Name", exact=True)).to_have_value("")
    assert not (await office.gate.get(plan.plan_uri)).review.decisions


async def test_words_that_are_refused_are_kept(office: Room, desk: Desk) -> None:
    """Too many of them: the gate says how many there may be, and they are there to be shortened."""
    plan = await proposed(office)
    await desk.read(plan)
    await desk.press("r")
    words = "No. " * 20_000
    await desk.page.locator(".words-form textarea").fill(words)
    await desk.calm()
    await desk.press("Control+Enter")
    await expect(desk.page.locator(".decide [role=alert]")).to_contain_text("feedback_text")
    await desk.page.get_by_role("button", name="OK").click()
    await expect(desk.page.locator(".words-form textarea")).to_have_value(words)
    assert not (await office.gate.get(plan.plan_uri)).review.decisions
