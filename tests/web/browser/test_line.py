"""The page says when it hears nothing, and catches up by itself."""

from __future__ import annotations

from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path

from playwright.async_api import Browser, expect

from tests.helpers.cable import cable
from tests.helpers.gate import connected, proposal
from tests.helpers.gate_process import opened_gate
from tests.helpers.tokens import local_token
from tests.web.browser.desk import Room, room


async def test_a_lost_connection_is_said(office: Room) -> None:
    """In words and since when; what came meanwhile is there when it is back, without a reload."""
    async with (
        cable(office.opened.web) as line,
        replace(office, opened=line.to(office.opened)).desk() as desk,
    ):
        await desk.page.evaluate("window.isSamePage = true")
        line.pull()
        await expect(desk.page.locator("#line")).to_have_text("Not connected")
        await expect(desk.no_line).to_contain_text("No connection to the gate since")
        await office.gate.propose(proposal("# While nobody listened"))
        line.plug_in()
        await expect(desk.page.locator("a.row")).to_contain_text("While nobody listened")
        await expect(desk.page.locator(".banner")).to_have_count(0)
        await expect(desk.page.locator("#line")).to_have_text("Live")
        assert await desk.page.evaluate("window.isSamePage")


async def test_what_was_asked_for_in_vain_is_asked_for_again(office: Room) -> None:
    """A list that could not be read while the connection was lost is there when it is back."""
    async with (
        cable(office.opened.web) as line,
        replace(office, opened=line.to(office.opened)).desk() as desk,
    ):
        await desk.page.route("**/ListSessions", lambda route: route.abort())
        await desk.page.reload()
        await expect(desk.page.locator(".banner")).to_contain_text("The sessions could not be listed")
        line.pull()
        await expect(desk.page.locator("#line")).to_have_text("Not connected")
        await desk.page.unroute("**/ListSessions")
        line.plug_in()
        await expect(desk.page.locator(".banner")).to_have_count(0)


async def test_a_restart_of_the_gate(browser: Browser, tmp_path: Path) -> None:
    """The page goes on with the new process: words that were typed stay, and the decision is recorded."""
    async with AsyncExitStack() as stack:
        async with room(browser, tmp_path) as before:
            plan = await before.gate.propose()
            desk = await stack.enter_async_context(before.desk())
            await desk.read(plan)
            await desk.choice("Reject").click()
            await desk.page.locator(".words-form textarea").fill("Not the cellar.")
        await expect(desk.no_line).to_contain_text("No connection")
        again = stack.enter_context(opened_gate(tmp_path, web_listen=before.opened.web))
        gate = await stack.enter_async_context(connected(again.grpc, token=local_token("admin")))
        await expect(desk.page.locator("#line")).to_have_text("Live")
        await gate.propose(proposal("# Another"))
        await expect(desk.page).to_have_title("(2) Plangate")
        await desk.page.get_by_role("button", name="Reject").click()
        await desk.is_told("ada rejected")
        assert (await gate.get(plan.plan_uri)).review.decisions[0].feedback_text == "Not the cellar."
