"""Answers of the gate that arrive at the page later than they should."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from playwright.async_api import Route

from tests.web.browser.desk import Desk


@dataclass
class Late:
    """`asked` when the page has asked; `go` lets the answer go, and `arrived` waits until it is read."""

    desk: Desk
    asked: asyncio.Event = field(default_factory=asyncio.Event)
    go: asyncio.Event = field(default_factory=asyncio.Event)
    gone: asyncio.Event = field(default_factory=asyncio.Event)

    async def arrived(self) -> None:
        """Whatever the page asks after it is answered after it."""
        self.go.set()
        await self.gone.wait()
        await self.desk.page.evaluate("fetch('/healthz').then((answer) => answer.text())")


async def held(desk: Desk, method: str, words: str) -> Late:
    """The answer to the first request of the method with these words in it."""
    late = Late(desk)

    async def hold(route: Route) -> None:
        if late.asked.is_set() or words not in (route.request.post_data or ""):
            await route.continue_()
            return
        late.asked.set()
        response = await route.fetch()
        await late.go.wait()
        await route.fulfill(response=response)
        late.gone.set()

    await desk.page.route(f"**/{method}", hold)
    return late
