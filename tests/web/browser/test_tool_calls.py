"""Tool calls on the page: one at a time, in full, answered as they were shown."""

from __future__ import annotations

from contextlib import AsyncExitStack
from pathlib import Path

import pytest
from playwright.async_api import Browser, expect

from plangate_proto.agent.v1.tool_approval_service_pb2 import CancelApprovalRequest
from plangate_server import app
from tests.helpers.clock import SkippingClock
from tests.helpers.gate import open_gate, proposal
from tests.helpers.gate_process import Opened
from tests.helpers.people import People
from tests.helpers.tool_calls import call, decision_of, outcome, patch, span, state_of
from tests.web.browser.calls import (
    ONCE,
    address,
    can_answer,
    exact,
    hear_only_prompts,
    known,
    look_at,
    make_deaf,
)
from tests.web.browser.desk import PHONE, Desk, Room, module
from tests.web.browser.late import held


async def test_a_call_arrives_without_reload(office: Room, desk: Desk) -> None:
    """Beside the plans, whoever waits longest first, and gone once it is answered elsewhere."""
    await office.gate.propose(proposal("# Tidy the cellar"))
    await office.gate.ask(call("make test"))
    await expect(desk.page.locator("a.row .name")).to_have_text(["Tidy the cellar", "make test"])
    await desk.sees("1 plan and 1 tool call wait for you")
    await expect(desk.page).to_have_title("(2) Plangate")
    await office.gate.answer("APPROVED")
    await expect(desk.page.locator("a.row")).to_have_count(1)


async def test_yes_this_once(office: Room, desk: Desk) -> None:
    """One click answers the call on the screen, and the page says who did."""
    await office.gate.ask(call("make test", prompt="To see whether it holds."))
    await look_at(desk)
    await desk.sees("To see whether it holds.")
    await expect(exact(desk)).to_contain_text("make test")
    await desk.choice(ONCE).click()
    await desk.is_told("ada approved")
    assert outcome(await known(office)) == ("DECIDED", "APPROVED", "MANUAL", "ada")
    assert state_of(await office.gate.ask(call("make test", "c2"))) == "ACTIVE"


async def test_yes_for_the_session(office: Room, desk: Desk) -> None:
    """The very same call is not asked about again."""
    await office.gate.ask(call("make test"))
    await look_at(desk)
    await desk.choice("the same for the rest of the session").click()
    await desk.is_told("Remembered.")
    assert state_of(await office.gate.ask(call("make test", "c2"))) == "DECIDED"
    assert state_of(await office.gate.ask(call("make clean", "c3"))) == "ACTIVE"


async def test_no_with_words(office: Room, desk: Desk) -> None:
    """The agent gets the words as they were typed."""
    await office.gate.ask(call("rm -rf build"))
    await look_at(desk)
    await desk.choice("No").click()
    await desk.page.locator(".words-form textarea").fill("Not the folder.\nOnly what is in it.")
    await desk.page.get_by_role("button", name="Say no").click()
    await desk.is_told("ada denied")
    assert (await known(office)).feedback_text == "Not the folder.\nOnly what is in it."


async def test_one_at_a_time(office: Room, desk: Desk) -> None:
    """The others wait their turn, can be read, and come one by one."""
    for number in (1, 2, 3):
        await office.gate.ask(call(f"make step{number}", f"c{number}"))
    await expect(desk.page.locator("a.row")).to_contain_text("2 more behind it")
    await desk.open(address("c3"))
    await desk.is_told("Waits its turn")
    await expect(exact(desk)).to_contain_text("make step3")
    await expect(desk.choice(ONCE)).to_have_count(0)
    for number in (1, 2, 3):
        await expect(desk.page.get_by_role("link", name="The next")).to_be_visible()
        await desk.press("j")
        await expect(exact(desk)).to_contain_text(f"make step{number}")
        await can_answer(desk)
        await desk.press("Enter")
        await desk.is_told("ada approved")


async def test_a_click_for_the_one_before_answers_nothing_else(office: Room, desk: Desk) -> None:
    """When another call is asked about, nothing that is pressed answers it, or is sent at all.

    The page has not heard yet what became of the one that it shows.
    """
    await office.gate.ask(call("make test", "c1"))
    await office.gate.ask(call("rm -rf build", "c2"))
    await look_at(desk)
    await hear_only_prompts(desk)
    late = await held(desk, "ListApprovals", "")
    await office.gate.answer("DENIED")
    await late.asked.wait()
    await desk.calm()
    await desk.press("Enter")
    await desk.press("s")
    await expect(exact(desk)).to_contain_text("make test")
    await expect(desk.choice(ONCE)).to_have_count(0)
    late.go.set()
    await desk.is_told("Denied")
    await expect(desk.page.get_by_role("link", name="The next call of this session")).to_be_visible()
    assert state_of(await known(office, "c2")) == "ACTIVE"
    assert not [url for url in desk.requests if url.endswith("ResolveApproval")]


async def test_two_reviewers_at_once(office: Room) -> None:
    """One is recorded; the other, who has not heard of it, is refused, and shown who was first."""
    await office.gate.ask(call("make test"))
    async with AsyncExitStack() as stack:
        people = People(office.gate, stack)
        first = await stack.enter_async_context(office.desk(await people.secret("bo", "reviewer", "desk")))
        second = await stack.enter_async_context(office.desk(await people.secret("cy", "reviewer", "desk")))
        await look_at(first)
        await look_at(second)
        await make_deaf(second)
        await first.choice(ONCE).click()
        await first.is_told("bo-desk approved")
        await second.choice("No").click()
        await second.page.get_by_role("button", name="Say no").click()
        await second.is_told("bo-desk")
        assert decision_of(await known(office)) == "APPROVED"


async def test_what_nobody_answered_in_time(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page says that it has expired, and takes the choices away."""
    clock = SkippingClock()
    monkeypatch.setattr(app, "SystemClock", lambda: clock)
    async with open_gate(tmp_path / "plangate.db") as gate:
        office = Room(gate, Opened(gate.address, gate.web, link=""), browser)
        async with office.desk(office.token("reviewer")) as desk:
            await gate.ask(call("make test", expires_after=span(3600)))
            await look_at(desk)
            clock.skip(hours=2)
            await desk.is_told("Expired")
            await desk.is_told("neither a yes nor a no")
            await expect(desk.choice(ONCE)).to_have_count(0)


async def test_what_the_agent_takes_back(office: Room, desk: Desk) -> None:
    """The page says so, and takes the choices away."""
    await office.gate.ask(call("make test"))
    await look_at(desk)
    await office.gate.approvals.CancelApproval(CancelApprovalRequest(session_id="s", call_id="c1"))
    await desk.is_told("The agent does not want to do this any more")
    await expect(desk.choice(ONCE)).to_have_count(0)


async def test_the_keyboard_is_enough(office: Room, desk: Desk) -> None:
    """From the inbox to a no with words; Enter in them is a new line, and Esc leaves them as they are."""
    await office.gate.ask(call("make test"))
    await expect(desk.page.locator("a.row")).to_have_count(1)
    await desk.press("j")
    await desk.press("Enter")
    await can_answer(desk)
    await desk.press("Escape")
    await desk.page.keyboard.type("No.")
    await desk.press("Enter")
    await desk.press("Escape")
    await can_answer(desk)
    await desk.press("Escape")
    await desk.page.keyboard.type("Later.")
    await desk.press("Control+Enter")
    await desk.is_told("ada denied")
    assert (await known(office)).feedback_text == "No.\nLater."


async def test_no_key_answers_what_has_just_appeared(office: Room, desk: Desk) -> None:
    """In the moment after a call is shown, Enter does nothing, and a held key never does; then it is yes."""
    await desk.page.clock.install()
    await office.gate.ask(call("make test"))
    await look_at(desk)
    await desk.page.clock.pause_at("2100-01-01")
    await desk.page.evaluate(f"{module('ui/settling')}.then((calm) => calm.contentChanged())")
    await desk.page.clock.run_for(399)
    await desk.press("Enter")
    await desk.page.clock.run_for(1)
    held = "new KeyboardEvent('keydown', {key: 'Enter', repeat: true, bubbles: true})"
    await desk.page.evaluate(f"document.body.dispatchEvent({held}) && null")
    assert state_of(await known(office)) == "ACTIVE"
    await desk.press("Enter")
    await desk.is_told("ada approved")


async def test_only_looking(office: Room) -> None:
    """An observer reads everything, has no choices, and is told why."""
    await office.gate.ask(patch())
    async with AsyncExitStack() as stack:
        token = await People(office.gate, stack).secret("bo", "observer", "desk")
        desk = await stack.enter_async_context(office.desk(token))
        await desk.open(address())
        await desk.is_told("you can look, and a reviewer decides")
        await expect(exact(desk)).to_contain_text("+clean")
        await desk.press("Enter")
        await expect(desk.choice(ONCE)).to_have_count(0)


async def test_on_a_phone(office: Room) -> None:
    """The choices are under the thumb, and nothing is wider than the screen."""
    await office.gate.ask(call(f"make {'x' * 3000}"))
    async with office.desk(size=PHONE) as desk:
        await look_at(desk)
        await expect(desk.choice(ONCE)).to_be_in_viewport()
        wider = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
        assert not await desk.page.evaluate(wider)
        await desk.choice(ONCE).click()
        await desk.is_told("ada approved")
