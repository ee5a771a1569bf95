"""docs/review-page.md and docs/screenshots say and show what the page has."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.async_api import Browser, expect

from tests.web.browser.desk import Desk, Room
from tests.web.browser.shots import FOLDER, SHOTS, take

GUIDE = (Path(__file__).parents[3] / "docs" / "review-page.md").read_text(encoding="utf-8")
MOST_BYTES = 1_500_000


def keys_of(place: str) -> list[str]:
    """The keys that the guide names for a place."""
    (table,) = re.findall(rf"^\| {place} \| \|\n(.*?)\n\n", GUIDE, flags=re.MULTILINE | re.DOTALL)
    return [key for row in table.splitlines()[1:] for key in re.findall(r"`(.+?)`", row.split("|")[1])]


@pytest.mark.parametrize("place", ["in the inbox", "at a plan", "in the log"])
async def test_the_keys_of_the_guide_are_those_of_the_page(office: Room, desk: Desk, place: str) -> None:
    """Each of them stands in the list that ? shows there."""
    plan = await office.gate.propose()
    paths = {"in the inbox": "/", "at a plan": f"/plans/{plan.plan_id}", "in the log": "/log"}
    await desk.open(paths[place])
    await expect(desk.page.locator("#line")).to_have_text("Live")
    await desk.press("?")
    listed = await desk.page.locator("dialog kbd").all_inner_texts()
    assert keys_of(place)
    assert set(keys_of(place)) <= set(listed)


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
