"""A browser for the tests of the page, if this machine has one."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from playwright.async_api import Browser, async_playwright

from bench.chromium import MISSING, program, started
from tests.web.browser.desk import Desk, Room, room


@pytest.fixture(scope="session")
async def browser() -> AsyncIterator[Browser]:
    """Chromium, without a window."""
    if program() is None:
        pytest.skip(MISSING)
    async with async_playwright() as playwright, started(playwright) as browser:
        yield browser


@pytest.fixture(scope="module")
async def house(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Room]:
    """A gate for all tests of a file, in a process of its own."""
    async with room(browser, tmp_path_factory.mktemp("house")) as opened:
        yield opened


@pytest.fixture
async def office(house: Room, request: pytest.FixtureRequest) -> AsyncIterator[Room]:
    """A workspace of the test's own at the gate of its file."""
    async with house.workspace(request.node.name) as opened:
        yield opened


@pytest.fixture
async def own_gate(browser: Browser, tmp_path: Path) -> AsyncIterator[Room]:
    """A gate of the test's own, for what a workspace has not: the link, the database, an empty log."""
    async with room(browser, tmp_path) as opened:
        yield opened


@pytest.fixture
async def desk(office: Room) -> AsyncIterator[Desk]:
    """A reviewer at it."""
    async with office.desk() as desk:
        yield desk
