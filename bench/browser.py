"""The review page in a real browser: when a row is there, and what a load of the page fetches."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final

from playwright.async_api import Page, Request, async_playwright, expect

from bench.chromium import MISSING, program, started

CLOCK: Final = "performance.timeOrigin + performance.now()"
CLOCK_LOOKS: Final = 20
WATCH: Final = f"""
window.seen = {{}};
window.look = () => {{
  for (const link of document.querySelectorAll('a[href^="/plans/"]')) {{
    const plan = link.getAttribute("href");
    if (plan in window.seen) continue;
    window.seen[plan] = {{ there: {CLOCK}, drawn: 0 }};
    requestAnimationFrame(() => setTimeout(() => {{ window.seen[plan].drawn = {CLOCK}; }}));
  }}
}};
new MutationObserver(window.look).observe(document.body, {{ childList: true, subtree: true }});
window.look();
"""
SEEN: Final = """async (plan) => {
  while (!window.seen[plan]?.drawn) await new Promise((resume) => setTimeout(resume, 5));
  return window.seen[plan];
}"""


@dataclass(frozen=True, slots=True)
class Row:
    """When a plan's row was in the page, and when it was drawn, by this process's clock."""

    there: float
    drawn: float


@dataclass(frozen=True, slots=True)
class Load:
    """What a load of a page took."""

    what: str
    requests: int
    bytes: int
    sent: int
    """As they came over the line, heads included."""
    seconds: float
    """Until the page was live."""


class Desk:
    """One page of the browser."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._ahead = 0.0

    async def load(self, what: str, address: str) -> Load:
        finished: list[Request] = []

        def note(request: Request) -> None:
            finished.append(request)

        self._page.on("requestfinished", note)
        begun = time.perf_counter()
        if address == self._page.url:
            await self._page.reload()
        else:
            await self._page.goto(address)
        await expect(self._page.locator("#line")).to_have_text("Live")
        seconds = time.perf_counter() - begun
        self._page.remove_listener("requestfinished", note)
        return await _weighed(what, finished, seconds)

    async def watch(self) -> None:
        """From now on, note every row that comes."""
        await self._page.evaluate(WATCH)
        looks = []
        for _ in range(CLOCK_LOOKS):
            before = time.time()
            theirs = await self._page.evaluate(CLOCK) / 1000
            after = time.time()
            looks.append((after - before, theirs - (before + after) / 2))
        _, self._ahead = min(looks)

    async def sees(self, plan_id: str) -> Row:
        seen = await self._page.evaluate(SEEN, f"/plans/{plan_id}")
        return Row(seen["there"] / 1000 - self._ahead, seen["drawn"] / 1000 - self._ahead)


async def _weighed(what: str, finished: list[Request], seconds: float) -> Load:
    size = sent = 0
    for request in finished:
        sizes = await request.sizes()
        sent += sizes["responseHeadersSize"] + sizes["responseBodySize"]
        response = await request.response()
        if response and response.status != HTTPStatus.NOT_MODIFIED:
            size += len(await response.body())
    return Load(what, len(finished), size, sent, seconds)


@asynccontextmanager
async def desk() -> AsyncIterator[Desk]:
    """Chromium without a window, with one page that has been nowhere yet."""
    if program() is None:
        raise RuntimeError(MISSING)
    async with async_playwright() as playwright, started(playwright) as browser:
        yield Desk(await browser.new_page())
