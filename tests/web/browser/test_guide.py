"""docs/review-page.md and docs/screenshots say and show what the page has."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.async_api import Browser, expect

from tests.helpers.tool_calls import call
from tests.web.browser.desk import Desk, Room
from tests.web.browser.shots import FOLDER, SHOTS, take

GUIDE = (Path(__file__).parents[3] / "docs" / "review-page.md").read_text(encoding="utf-8")
MOST_BYTES = 1_500_000


PLACES = {"Keys": "/", "The plan": "/plans/{plan}", "Tool calls": "/sessions/s/calls/c1"}
"""Where the keys are that a section of the guide has a table of."""


def keys_of(section: str) -> set[str]:
    (text,) = re.findall(rf"^## {section}\n(.*?)^## ", GUIDE, flags=re.MULTILINE | re.DOTALL)
    (table,) = re.findall(r"^\| (?:key|in the inbox) \|.*?\n(.*?)\n\n", text, flags=re.MULTILINE | re.DOTALL)
    rows = [row.split("|")[1] for row in table.splitlines()[1:]]
    return {key for row in rows for key in re.split(r"[`, ]+", row) if key}


@pytest.mark.parametrize("section", PLACES)
async def test_the_keys_of_the_guide_are_those_of_the_page(office: Room, desk: Desk, section: str) -> None:
    """Each of them stands in the list that ? shows there."""
    plan = await office.gate.propose()
    await office.gate.ask(call())
    await desk.open(PLACES[section].format(plan=plan.plan_id))
    await expect(desk.page.locator("main h1").first).to_be_visible()
    await desk.press("?")
    listed = await desk.page.locator("dialog kbd").all_inner_texts()
    assert keys_of(section) <= set(listed)


def screenshots(folder: Path) -> dict[str, int]:
    """Their names and sizes."""
    return {file.stem: file.stat().st_size for file in folder.glob("*.png")}


def test_the_screenshots_are_there() -> None:
    """Each that the command takes, no other, and together small enough for a repository."""
    files = screenshots(FOLDER)
    assert set(files) == set(SHOTS)
    assert sum(files.values()) < MOST_BYTES


async def test_the_screenshots_can_be_taken(browser: Browser, tmp_path: Path) -> None:
    """The way to each of them leads somewhere."""
    await take(browser, tmp_path, tmp_path, SHOTS)
    assert set(screenshots(tmp_path)) == set(SHOTS)
