"""A person in front of the full-screen terminal."""

from __future__ import annotations

import asyncio
import io
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from rich.console import Console
from textual.pilot import Pilot

from plangate import AsyncClient
from plangate.tui.app import ReviewApp
from plangate.tui.calm import CALM_SECONDS, NEW
from plangate.tui.deciding import Deciding
from plangate.tui.desk import Connection, Desk
from tests.helpers.conditions import PATIENCE

# Textual gives up on a screen that does not come to rest within 30 seconds, whatever the machine does.
Pilot._wait_for_screen.__defaults__ = (PATIENCE,)

GLANCE = 0.01
SIZE = (80, 24)


class Clock:
    """The time of what must be calm, which passes when a test says so."""

    def __init__(self) -> None:
        self._now = 0.0

    def __call__(self) -> float:
        return self._now

    def passes(self, seconds: float) -> None:
        self._now += seconds


class Person:
    """Sees the screen as text, and presses keys."""

    def __init__(self, app: ReviewApp, pilot: Pilot[str]) -> None:
        self.app = app
        self.pilot = pilot

    @property
    def screen(self) -> str:
        """All that is on the terminal, boxes and what is behind them."""
        app: Any = self.app
        width, height = app.size
        console = Console(width=width, height=height, file=io.StringIO(), record=True, legacy_windows=False)
        console.print(app.screen._compositor.render_update(full=True, screen_stack=app._background_screens))
        return "\n".join(line.rstrip() for line in console.export_text().split("\n"))

    def drawn_strips(self) -> Any:
        """The same with its styles, as it goes to the terminal."""
        screen: Any = self.app.screen
        return screen._compositor.render_strips()

    async def sees(self, *texts: str) -> None:
        await self.waits_until(lambda: all(text in self.screen for text in texts), *texts)

    async def sees_no(self, text: str) -> None:
        await self.waits_until(lambda: text not in self.screen, f"the end of {text}")

    async def sees_other_than(self, screen: str) -> None:
        """Whatever is shown, once it is no longer this."""
        await self.waits_until(lambda: self.screen != screen, "other screen")

    async def presses(self, *keys: str) -> None:
        await self.pilot.press(*keys)

    async def types(self, text: str) -> None:
        await self.pilot.press(*("space" if each == " " else each for each in text))

    async def opens(self, name: str) -> None:
        """Whatever is the first in the inbox, which must be this."""
        await self.sees(name)
        await self.presses("enter")
        await self.can_decide()

    async def can_decide(self) -> None:
        """The text has been there for a moment, and the choices are offered."""
        await self.waits_until(
            lambda: self._deciding is not None and not self._deciding.hindrance(), "choices"
        )
        await self.sees("  Enter ")

    async def comes_to_rest(self, clock: Clock) -> None:
        """What is new stays as it is for as long as it must."""
        await self.sees(NEW)
        clock.passes(CALM_SECONDS)
        await self.can_decide()

    async def holds_down(self, key: str, clock: Clock) -> None:
        """Pressed once, it comes again after the usual delay of a keyboard, and then ever faster."""
        for seconds in (0.0, 0.7, 0.03, 0.03, 0.03):
            clock.passes(seconds)
            await self.presses(key)

    @property
    def _deciding(self) -> Deciding | None:
        return self.app.screen if isinstance(self.app.screen, Deciding) else None

    async def waits_until(self, holds: Callable[[], bool], *what: str) -> None:
        end = time.monotonic() + PATIENCE
        while not holds():
            assert time.monotonic() < end, f"no {' and '.join(what)} on\n{self.screen}"
            await asyncio.sleep(GLANCE)


@asynccontextmanager
async def at_desk(
    address: str, *, token: str | None = None, size: tuple[int, int] = SIZE
) -> AsyncIterator[Person]:
    """Somebody who has just started ``plangate review``."""
    connection = Connection()
    async with AsyncClient(address, token=token, role="reviewer", on_line=connection.tell) as client:
        app = ReviewApp(Desk(client, await client.who_am_i(), connection))
        async with app.run_test(size=size) as pilot:
            yield Person(app, pilot)
