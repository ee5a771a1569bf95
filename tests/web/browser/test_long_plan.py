"""A plan as long as the longest that was seen is read, edited and compared like any other."""

from __future__ import annotations

from playwright.async_api import expect

from tests.web.browser.desk import Desk, Room
from tests.web.browser.plans import long_text, proposed, revised


async def test_180_kilobytes(office: Room, desk: Desk) -> None:
    """All of it is shown, a line can be typed into it, and the change is one line."""
    text = long_text(180)
    plan = await proposed(office, text)
    await desk.read(plan)
    sections = text.count("## Section")
    await expect(desk.page.locator(".rendered h2")).to_have_count(sections)
    await desk.press("e")
    await expect(desk.page.get_by_label("Text, in Markdown")).to_be_focused()
    await desk.press("Control+End")
    await desk.page.keyboard.type("The end.")
    await expect(desk.page.locator(".preview .rendered > :last-child")).to_have_text("The end.")
    await desk.press("Control+Enter")
    await expect(desk.page.locator(".editor .pair:not(.same) .right")).to_contain_text("The end.")
    await desk.calm()
    await desk.press("Control+Enter")
    await desk.is_told("ada approved with edits")
    assert (await office.gate.get(plan.plan_uri)).plan == f"{text}The end."


async def test_another_revision_of_it(office: Room, desk: Desk) -> None:
    """Every third section changed: each change is found, and the rest is folded."""
    text = long_text(180)
    count = text.count("## Section")
    newer = text
    for number in range(0, count, 3):
        newer = newer.replace(f"carry box {number}\n", f"carry crate {number}\n")
    plan = await revised(office, await proposed(office, text), newer)
    await desk.read(plan)
    await desk.press("d")
    await expect(desk.page.locator(".pair.changed ins")).to_have_count(len(range(0, count, 3)))
