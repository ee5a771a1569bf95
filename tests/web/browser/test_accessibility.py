"""axe-core finds nothing serious or critical, in any state of any page, light and dark, wide and narrow."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from axe_playwright_python.async_playwright import Axe
from playwright.async_api import Browser, expect

from plangate_proto.agent.v1.access_token_service_pb2 import CreateTokenRequest, Role
from tests.helpers.tokens import local_token
from tests.web.browser.calls import look_at
from tests.web.browser.desk import NARROW, PHONE, WIDE, Desk, Room, room
from tests.web.browser.scenes import Scene, play

GRAVE = {"serious", "critical"}
TOO_WIDE = "document.documentElement.scrollWidth > innerWidth"


@dataclass
class Stage:
    """A gate at which something has happened."""

    office: Room
    scene: Scene
    elsewhere: str
    """The token of a reviewer in a workspace where nothing has."""


@pytest.fixture(scope="module")
async def stage(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Stage]:
    async with room(browser, Path(tmp_path_factory.mktemp("stage"))) as office:
        wanted = CreateTokenRequest(name="bo", role=Role.ROLE_REVIEWER, workspace="elsewhere")
        elsewhere = (await office.gate.tokens.CreateToken(wanted)).secret
        yield Stage(office, await play(office.opened.grpc), elsewhere)


async def inbox(desk: Desk, _: Stage) -> None:
    await expect(desk.page.locator("a.row")).to_have_count(4)


async def empty_inbox(desk: Desk, stage: Stage) -> None:
    await desk.page.locator("#who").click()
    await desk.page.get_by_role("button", name="Sign out").click()
    await desk.page.get_by_label("Token").fill(stage.elsewhere)
    await desk.page.get_by_role("button", name="Sign in").click()
    await desk.sees("Nothing waits")


async def account(desk: Desk, _: Stage) -> None:
    await desk.page.locator("#who").click()


async def sign_in(desk: Desk, _: Stage) -> None:
    await desk.page.context.clear_cookies()
    await desk.page.reload()
    await desk.page.get_by_label("Token").fill("nonsense")
    await desk.page.get_by_role("button", name="Sign in").click()
    await expect(desk.page.get_by_role("alert")).to_contain_text("token")


async def plan_in_review(desk: Desk, stage: Stage) -> None:
    await desk.read(stage.scene.waits)


async def source(desk: Desk, stage: Stage) -> None:
    await desk.read(stage.scene.waits)
    await desk.page.get_by_role("button", name="Source").click()


async def words_box(desk: Desk, stage: Stage) -> None:
    await desk.read(stage.scene.waits)
    await desk.choice("Request changes").click()


async def comment_box(desk: Desk, stage: Stage) -> None:
    await desk.read(stage.scene.waits)
    await desk.press("c")


async def help_dialog(desk: Desk, stage: Stage) -> None:
    await desk.read(stage.scene.waits)
    await desk.press("?")


async def plan_being_built(desk: Desk, stage: Stage) -> None:
    await desk.open(f"/plans/{stage.scene.built.plan_id}")
    await desk.is_told("approved")


async def plan_rejected(desk: Desk, stage: Stage) -> None:
    await desk.open(f"/plans/{stage.scene.rejected.plan_id}")
    await desk.is_told("rejected")
    await desk.is_told("1 comment went along")


async def plan_superseded(desk: Desk, stage: Stage) -> None:
    await desk.read(stage.scene.beside)
    await desk.sees("Superseded by")
    await desk.sees("Another plan waits in this session")


async def no_plan(desk: Desk, _: Stage) -> None:
    await desk.open("/plans/nothing")
    await desk.sees("This plan cannot be shown")


async def changes(desk: Desk, stage: Stage) -> None:
    await desk.read(stage.scene.changed)
    await desk.press("d")
    await expect(desk.page.locator(".said")).to_contain_text("where each of them is used")


async def editor(desk: Desk, stage: Stage) -> None:
    await desk.read(stage.scene.waits)
    await desk.press("e")


async def tool_call(desk: Desk, _: Stage) -> None:
    await look_at(desk, "move-1", "slow-pages")


async def remembering(desk: Desk, _: Stage) -> None:
    await look_at(desk, "move-1", "slow-pages")
    await desk.press("m")


async def sessions(desk: Desk, _: Stage) -> None:
    await desk.open("/sessions")
    await desk.sees("slow-pages")


async def session(desk: Desk, _: Stage) -> None:
    await desk.open("/sessions/slow-pages")
    await desk.sees("cachectl move")


async def log(desk: Desk, _: Stage) -> None:
    await desk.open("/log")
    await desk.page.get_by_role("button", name="Proof of entry 1", exact=True).click()
    await desk.page.get_by_role("button", name="Verify the chain").click()
    await desk.sees("The log holds.")


async def lost_line(desk: Desk, _: Stage) -> None:
    await desk.page.route("**/api/live", lambda route: route.abort())
    await desk.page.reload()
    await desk.sees("No connection to the gate")


# Whoever adds a page or a state adds it here.
STATES: tuple[Callable[[Desk, Stage], Awaitable[None]], ...] = (
    *(inbox, empty_inbox, account, sign_in, lost_line),
    *(plan_in_review, source, words_box, comment_box, help_dialog),
    *(plan_being_built, plan_rejected, plan_superseded, no_plan),
    *(changes, editor, tool_call, remembering, sessions, session),
    log,
)


@pytest.mark.parametrize("state", STATES, ids=[state.__name__ for state in STATES])
async def test_no_grave_fault(stage: Stage, state: Callable[[Desk, Stage], Awaitable[None]]) -> None:
    """Whatever is found is said with the element and the look it was found in. Nothing scrolls sideways."""
    async with stage.office.desk(local_token("reviewer")) as desk:
        await state(desk, stage)
        faults = []
        for dark in (False, True):
            await desk.page.emulate_media(color_scheme="dark" if dark else "light")
            for width, height in (WIDE, PHONE):
                await desk.page.set_viewport_size({"width": width, "height": height})
                look = f"{'dark' if dark else 'light'}, {width} wide"
                faults += [f"{look}: {fault}" for fault in await grave_faults(desk)]
                if await desk.page.evaluate(TOO_WIDE):
                    faults.append(f"{look}: the page is wider than the window")
        await desk.page.set_viewport_size({"width": NARROW[0], "height": NARROW[1]})
        if await desk.page.evaluate(TOO_WIDE):
            faults.append(f"{NARROW[0]} wide: the page is wider than the window")
        assert not faults, "\n".join(faults)


async def grave_faults(desk: Desk) -> list[str]:
    found = await Axe().run(desk.page)
    return [
        f"{each['id']}: {node['html']} {node['failureSummary']}"
        for each in found.response["violations"]
        if each["impact"] in GRAVE
        for node in each["nodes"]
    ]


async def test_a_fault_would_be_found(stage: Stage) -> None:
    """axe-core looks at the page that is shown: text that nobody can read is a fault."""
    async with stage.office.desk(local_token("reviewer")) as desk:
        await desk.page.evaluate("document.querySelector('h1').style.color = 'rgb(240 240 240)'")
        assert any("color-contrast" in fault for fault in await grave_faults(desk))


async def test_it_is_dark_where_the_reader_wants_it_dark(stage: Stage) -> None:
    """The page follows the browser, without a reload."""
    async with stage.office.desk(local_token("reviewer")) as desk:
        back = "getComputedStyle(document.body).backgroundColor"
        light = await desk.page.evaluate(back)
        await desk.page.emulate_media(color_scheme="dark")
        assert (light, await desk.page.evaluate(back)) == ("rgb(246, 246, 244)", "rgb(22, 24, 28)")
