"""The keyboard is enough, and no key decides by mistake."""

from __future__ import annotations

import re

from playwright.async_api import expect

from tests.helpers.gate import proposal
from tests.web.browser.desk import Desk, Room, module


async def test_from_the_inbox_to_the_decision(office: Room, desk: Desk) -> None:
    """j to the plan, Enter opens it, Enter approves it once it can be read."""
    plan = await office.gate.propose()
    await expect(desk.page.locator("a.row")).to_have_count(1)
    await desk.press("j")
    await desk.press("Enter")
    await desk.can_decide()
    await desk.press("Enter")
    await desk.is_told("ada approved")
    assert len((await office.gate.get(plan.plan_uri)).review.decisions) == 1


async def test_escape_asks_for_words_first(office: Room, desk: Desk) -> None:
    """Esc opens the box, Enter in it is a new line, Esc leaves it with the words kept, Ctrl+Enter sends."""
    plan = await office.gate.propose()
    await desk.read(plan)
    await desk.press("Escape")
    await desk.page.keyboard.type("No.")
    await desk.press("Enter")
    await desk.page.keyboard.type("Never.")
    await desk.press("Escape")
    assert not (await office.gate.get(plan.plan_uri)).review.decisions
    await desk.can_decide()
    await desk.press("Escape")
    await expect(desk.page.locator(".words-form textarea")).to_have_value("No.\nNever.")
    await desk.press("Control+Enter")
    await desk.is_told("ada rejected")
    assert (await office.gate.get(plan.plan_uri)).review.decisions[0].feedback_text == "No.\nNever."


async def test_enter_on_a_button_is_the_button_s(office: Room, desk: Desk) -> None:
    """With the focus on another choice, Enter picks that one and does not approve."""
    plan = await office.gate.propose()
    await desk.read(plan)
    await desk.choice("Request changes").focus()
    await desk.press("Enter")
    await expect(desk.page.locator(".words-form textarea")).to_be_focused()
    assert not (await office.gate.get(plan.plan_uri)).review.decisions


async def test_a_held_key_does_not_decide(office: Room, desk: Desk) -> None:
    """The Enter that opened the plan goes on repeating, and nothing is approved by it."""
    plan = await office.gate.propose()
    await desk.read(plan)
    held = "new KeyboardEvent('keydown', {key: 'Enter', repeat: true, bubbles: true})"
    await desk.page.evaluate(f"document.body.dispatchEvent({held})")
    await desk.press("u")
    await desk.sees("1 plan waits for review")
    assert not (await office.gate.get(plan.plan_uri)).review.decisions


async def test_no_key_decides_right_after_the_text_changed(office: Room, desk: Desk) -> None:
    """In the moment after a plan has appeared, Enter does nothing; a moment later it approves."""
    await desk.page.clock.install()
    plan = await office.gate.propose()
    await desk.open(f"/plans/{plan.plan_id}")
    await expect(desk.page.locator(".text")).to_contain_text("Tidy the cellar")
    await desk.page.clock.pause_at("2100-01-01")
    await desk.page.evaluate(f"{module('ui/settling')}.then((calm) => calm.contentChanged())")
    await desk.page.clock.run_for(399)
    await desk.press("Enter")
    await desk.page.clock.run_for(1)
    await expect(desk.choice("Approve")).to_be_visible()
    assert not (await office.gate.get(plan.plan_uri)).review.decisions
    await desk.press("Enter")
    await desk.is_told("ada approved")


async def test_the_keys_are_listed(office: Room, desk: Desk) -> None:
    """? shows them, and none of them works behind the list."""
    plan = await office.gate.propose()
    await desk.read(plan)
    await desk.press("?")
    await expect(desk.page.get_by_role("dialog")).to_contain_text("Approve what is shown")
    await desk.press("e")
    await desk.press("Escape")
    await expect(desk.page.get_by_role("dialog")).to_have_count(0)
    assert not (await office.gate.get(plan.plan_uri)).review.decisions


async def test_to_the_next_plan_that_waits(office: Room, desk: Desk) -> None:
    """j and k go through what waits without going back to the inbox."""
    first = await office.gate.propose(proposal("# First"))
    await office.gate.propose(proposal("# Second"))
    await desk.read(first)
    await desk.press("j")
    await expect(desk.page.locator(".text")).to_contain_text("Second")
    await desk.press("k")
    await expect(desk.page.locator(".text")).to_contain_text("First")


async def test_no_key_with_a_modifier(office: Room, desk: Desk) -> None:
    """Shift and Enter is not Enter."""
    plan = await office.gate.propose()
    await desk.read(plan)
    await desk.calm()
    for modifier in ("Shift", "Control", "Alt", "Meta"):
        await desk.press(f"{modifier}+Enter")
    await desk.press("u")
    await desk.sees("1 plan waits for review")
    assert not (await office.gate.get(plan.plan_uri)).review.decisions


async def test_escape_closes_what_is_open(office: Room, desk: Desk) -> None:
    """The account first: nothing behind it hears the key."""
    await desk.read(await office.gate.propose())
    await desk.page.locator("#who").click()
    await expect(desk.page.locator("#account")).to_be_visible()
    await desk.press("Escape")
    await expect(desk.page.locator("#account")).to_be_hidden()
    await expect(desk.page.locator(".words-form")).to_have_count(0)


async def test_skipping_to_the_content(office: Room, desk: Desk) -> None:
    """It moves the focus and nothing else: an open editor stays open."""
    await desk.read(await office.gate.propose())
    await desk.press("e")
    await desk.page.get_by_label("Name", exact=True).evaluate("field => (field.isSame = true)")
    await desk.page.locator(".skip").focus()
    await desk.press("Enter")
    await expect(desk.page).to_have_url(re.compile("#main$"))
    assert await desk.page.get_by_label("Name", exact=True).evaluate("field => field.isSame")
