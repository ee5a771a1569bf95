"""What docs/screenshots shows, and how to get there."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from playwright.async_api import Browser

from tests.helpers.tokens import local_token
from tests.web.browser.calls import look_at
from tests.web.browser.desk import Desk, Room, room
from tests.web.browser.scenes import Scene, play

FOLDER: Final = Path(__file__).resolve().parents[3] / "docs" / "screenshots"
WIDE: Final = (1200, 760)
PHONE: Final = (390, 760)
LATER: Final = timedelta(minutes=12)
"""The browser's clock is so much ahead: whatever waits has waited for a while."""


@dataclass(frozen=True)
class Shot:
    """How to get there, and how it is looked at."""

    go: Callable[[Desk, Scene], Awaitable[None]]
    size: tuple[int, int] = WIDE
    dark: bool = False


async def inbox(desk: Desk, _: Scene) -> None:
    await desk.page.locator("a.row").first.wait_for()


async def plan(desk: Desk, scene: Scene) -> None:
    await desk.read(scene.waits)


async def decided(desk: Desk, scene: Scene) -> None:
    await desk.open(f"/plans/{scene.built.plan_id}")
    await desk.is_told("approved")


async def rejected(desk: Desk, scene: Scene) -> None:
    await desk.open(f"/plans/{scene.rejected.plan_id}")
    await desk.is_told("went along")


async def superseded(desk: Desk, scene: Scene) -> None:
    await desk.read(scene.beside)


async def changes(desk: Desk, scene: Scene) -> None:
    await desk.read(scene.changed)
    await desk.press("d")
    await desk.page.locator(".said").wait_for()
    await desk.can_decide()


async def graph(desk: Desk, scene: Scene) -> None:
    await desk.read(scene.waits)
    await desk.page.get_by_role("button", name="Whole picture").click()
    await desk.page.locator(".graph").evaluate("(graph) => graph.scrollIntoView({ block: 'center' })")


async def tool_call(desk: Desk, _: Scene) -> None:
    await look_at(desk, "move-1", "slow-pages")


async def session(desk: Desk, _: Scene) -> None:
    await desk.open("/sessions/slow-pages")
    await desk.page.get_by_label("Tool calls of the session").locator("a.row").wait_for()


async def log(desk: Desk, _: Scene) -> None:
    await desk.open("/log")
    await desk.page.locator(".entry").first.wait_for()
    await desk.page.get_by_role("button", name="Verify the chain").click()
    await desk.sees("The log holds.")


SHOTS: Final = {
    "inbox": Shot(inbox),
    "inbox-dark": Shot(inbox, dark=True),
    "plan": Shot(plan),
    "plan-dark": Shot(plan, dark=True),
    "plan-phone": Shot(plan, size=PHONE),
    "changes": Shot(changes),
    "graph": Shot(graph),
    "decided": Shot(decided),
    "rejected": Shot(rejected),
    "superseded": Shot(superseded),
    "tool-call": Shot(tool_call),
    "tool-call-phone": Shot(tool_call, size=PHONE),
    "session": Shot(session),
    "log": Shot(log),
    "log-phone": Shot(log, size=PHONE, dark=True),
}


async def take(browser: Browser, home: Path, folder: Path, names: Collection[str]) -> None:
    """Into the folder, each under its name; home is for a gate."""
    async with room(browser, home) as office:
        scene = await play(office.opened.grpc)
        for name in names:
            await _take(office, SHOTS[name], scene, folder / f"{name}.png")


async def _take(office: Room, shot: Shot, scene: Scene, file: Path) -> None:
    looking = office.desk(local_token("reviewer"), shot.size, shot.dark, locale="en-GB", timezone_id="UTC")
    async with looking as desk:
        await desk.page.clock.install(time=datetime.now(UTC) + LATER)
        await desk.open("/")
        await shot.go(desk, scene)
        await desk.page.screenshot(path=file)
