"""A browser for the tests of the page, if this machine has one."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from playwright.async_api import Browser, async_playwright

from bench.chromium import MISSING, program, started
from tests.web.browser.desk import Desk, Room, room


@pytest.hookimpl(tryfirst=True)  # the groups are read by another such hook
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """One browser at a time, since each takes a core; and first, since together they take the longest."""
    items.sort(key=lambda item: not _needs_browser(item))
    for item in filter(_needs_browser, items):
        item.add_marker(pytest.mark.xdist_group("browser"))


def _needs_browser(item: pytest.Item) -> bool:
    return item.path.parent == Path(__file__).parent


@pytest.fixture(scope="session")
async def browser() -> AsyncIterator[Browser]:
    """Chromium, without a window."""
    if program() is None:
        pytest.skip(MISSING)
    async with async_playwright() as playwright, started(playwright) as browser:
        yield browser


@pytest.fixture
async def office(browser: Browser, tmp_path: Path) -> AsyncIterator[Room]:
    """A gate of the test's own, in a process of its own."""
    async with room(browser, tmp_path) as opened:
        yield opened


@pytest.fixture
async def desk(office: Room) -> AsyncIterator[Desk]:
    """A reviewer at it."""
    async with office.desk() as desk:
        yield desk
