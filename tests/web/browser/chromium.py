"""The browser that is on this machine, without a window."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from playwright.async_api import Browser, Playwright

ALONE = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)


def program() -> str | None:
    return shutil.which("chromium") or shutil.which("google-chrome")


@asynccontextmanager
async def started(playwright: Playwright) -> AsyncIterator[Browser]:
    browser = await playwright.chromium.launch(executable_path=program(), args=ALONE)
    try:
        yield browser
    finally:
        await browser.close()
