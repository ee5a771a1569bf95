"""The browser that is on this machine, without a window."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from playwright.async_api import Browser, Playwright

NAMES: Final = ("chromium-headless-shell", "chromium", "google-chrome")
"""The first draws no window, toolbar or menu that nobody sees, and takes half of the time."""
MISSING: Final = f"no browser here: apt-get install {NAMES[0]}"
ALONE: Final = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)


def program() -> str | None:
    return next(filter(None, map(shutil.which, NAMES)), None)


@asynccontextmanager
async def started(playwright: Playwright) -> AsyncIterator[Browser]:
    browser = await playwright.chromium.launch(executable_path=program(), args=ALONE)
    try:
        yield browser
    finally:
        await browser.close()
