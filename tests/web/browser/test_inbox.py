"""What waits is in the inbox as soon as it comes, and gone when it is decided."""

from __future__ import annotations

from playwright.async_api import expect

from plangate_proto.agent.v1.create_plan_tool_pb2 import CreatePlanArgs
from plangate_proto.agent.v1.plan_service_pb2 import CreatePlanRequest
from tests.helpers.conditions import PATIENCE
from tests.helpers.gate import proposal
from tests.web.browser.desk import Desk, Room, module


async def test_the_link_signs_in_once(own_gate: Room) -> None:
    """The code is gone from the address, and the browser stays signed in when the page is loaded again."""
    async with own_gate.desk() as desk:
        assert "#" not in desk.page.url
        await desk.page.reload()
        await expect(desk.page.locator("#who")).to_have_text("ada (reviewer)")


async def test_a_used_link_asks_for_a_token(own_gate: Room) -> None:
    """A second browser with the same link does not get in by it."""
    async with own_gate.desk():
        context = await own_gate.browser.new_context()
        context.set_default_timeout(PATIENCE * 1000)
        page = await context.new_page()
        await page.goto(own_gate.opened.link)
        await expect(page.get_by_role("alert")).to_contain_text("this link was used already")
        await context.close()


async def test_an_empty_inbox_says_what_to_do(desk: Desk) -> None:
    """It names the command that makes a first plan."""
    await desk.sees("Nothing waits")
    await expect(desk.page.locator(".empty code")).to_contain_text("plangate propose")


async def test_a_plan_arrives_without_reload(office: Room, desk: Desk) -> None:
    """It is in the list and counted in the title; once decided elsewhere, it is neither."""
    plan = await office.gate.propose(proposal("# Tidy the cellar", session_id="monday"))
    await expect(desk.page.locator("a.row")).to_contain_text("Tidy the cellar")
    await expect(desk.page).to_have_title("(1) Plangate")
    await office.gate.decide(plan, "approve")
    await expect(desk.page.locator("a.row")).to_have_count(0)
    await expect(desk.page).to_have_title("Plangate")


async def test_who_waits_longest_comes_first(office: Room, desk: Desk) -> None:
    """The list can be narrowed down by words."""
    for name in ("first", "second", "third"):
        await office.gate.propose(CreatePlanRequest(args=CreatePlanArgs(plan=f"# {name}", name=name)))
    rows = desk.page.locator("a.row .name")
    await expect(rows).to_have_text(["first", "second", "third"])
    await desk.page.get_by_label("Filter plans").fill("sec")
    await expect(rows).to_have_text(["second"])


async def test_five_hundred_plans(office: Room, desk: Desk) -> None:
    """All are there, before and after the page is loaded again."""
    for number in range(500):
        await office.gate.propose(proposal(f"# Plan {number}"))
    await expect(desk.page.locator("a.row")).to_have_count(500)
    await desk.page.reload()
    await expect(desk.page.locator("a.row")).to_have_count(500)
    await expect(desk.page).to_have_title("(500) Plangate")


async def test_a_page_that_stays_open_for_days(desk: Desk) -> None:
    """Of sessions in which nothing waits any more it keeps the last 200, and of those that wait every one."""
    kept = await desk.page.evaluate(
        module("gate/store")
        + """.then(({ Store }) => {
          const store = new Store();
          for (let number = 0; number < 500; number += 1) {
            const prompt = number % 5 ? undefined : { callId: "c", sessionId: `s${number}` };
            store.heard("prompt", { sessionId: `s${number}`, prompt });
          }
          return [store.activePrompts().length, store.prompts.size, store.prompts.has("s499")];
        })"""
    )
    assert kept == [100, 300, True]
