"""A gate that restarts: the page says so, catches up by itself, and what was typed is sent once."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

from playwright.async_api import Browser, expect

from tests.helpers.gate import connected
from tests.helpers.gate_process import opened_gate
from tests.helpers.tokens import local_token
from tests.web.browser.desk import Room
from tests.web.browser.plans import proposed


async def test_while_the_page_is_open(browser: Browser, tmp_path: Path) -> None:
    """An edit made while nobody answers is kept, and recorded once when somebody does."""
    with ExitStack() as running:
        opened = running.enter_context(opened_gate(tmp_path))
        async with connected(opened.grpc, token=local_token("admin")) as gate:
            office = Room(gate, opened, browser)
            plan = await proposed(office)
            async with office.desk() as desk:
                await desk.read(plan)
                running.close()
                await expect(desk.no_line).to_contain_text("No connection to the gate")
                await desk.calm()
                await desk.press("e")
                await desk.page.get_by_label("Name", exact=True).fill("Attic")
                await desk.press("Control+Enter")
                await desk.calm()
                await desk.press("Control+Enter")
                await expect(desk.page.locator(".editor [role=alert]")).to_contain_text("does not answer")
                running.enter_context(opened_gate(tmp_path, listen=opened.grpc, web_listen=opened.web))
                await expect(desk.page.locator("#line")).to_have_text("Live")
                await desk.page.get_by_role("button", name="Send the same again").click()
                await desk.is_told("ada approved with edits")
                after = await gate.get(plan.plan_uri)
                assert (after.name, len(after.review.decisions)) == ("Attic", 1)
