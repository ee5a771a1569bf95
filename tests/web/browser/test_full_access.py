"""Full access: seen on every page, given by a person who has read what it means, and ended with one click."""

from __future__ import annotations

from contextlib import AsyncExitStack

import pytest
from playwright.async_api import Locator, expect

from plangate_proto.agent.v1.agent_session_service_pb2 import ConfirmFullAccessRequest, SetModeRequest
from tests.helpers.people import People
from tests.helpers.tool_calls import FULL_ACCESS, call, full_access_of, mode_of, outcome, state_of
from tests.web.browser.calls import known
from tests.web.browser.desk import Desk, Room


def banner(desk: Desk) -> Locator:
    return desk.page.locator(".banner")


async def ask_for_it(office: Room, session_id: str = "s") -> None:
    await office.gate.sessions.SetMode(SetModeRequest(session_id=session_id, mode=FULL_ACCESS))


@pytest.mark.parametrize("path", ["/", "/sessions", "/sessions/s", "/sessions/s/calls/c1"])
async def test_it_is_seen_on_every_page(office: Room, desk: Desk, path: str) -> None:
    """That it is asked for, as soon as it is; and as long as it holds, also on a page that is opened then."""
    await office.gate.ask(call("make test"))
    await desk.open(path)
    await ask_for_it(office)
    await expect(banner(desk)).to_contain_text("Session s asks for full access")
    await office.gate.sessions.ConfirmFullAccess(ConfirmFullAccessRequest(session_id="s", confirm=True))
    await expect(banner(desk)).to_contain_text("Session s has full access")
    await desk.page.reload()
    await expect(banner(desk)).to_contain_text("Session s has full access")


async def test_confirm_and_switch_off(office: Room, desk: Desk) -> None:
    """The question says what it means; then what waits is answered, and one click ends it."""
    await office.gate.ask(call("make test"))
    await ask_for_it(office)
    await banner(desk).get_by_role("button", name="Confirm").click()
    question = desk.page.get_by_role("dialog")
    await expect(question).to_contain_text("every tool that no rule denies without asking anybody")
    await expect(question).to_contain_text("1 call that waits now will be answered with yes")
    await desk.agree("Give full access")
    await expect(banner(desk)).to_contain_text("has full access")
    assert outcome(await known(office)) == ("DECIDED", "APPROVED", "AUTO", "full_access")
    await banner(desk).get_by_role("button", name="Switch it off").click()
    await expect(banner(desk)).to_have_count(0)
    assert mode_of(await office.gate.session()) == "AGENT"
    assert state_of(await office.gate.ask(call("make all", "c2"))) == "ACTIVE"


async def test_decline(office: Room, desk: Desk) -> None:
    """The session stays in the mode that it has."""
    await ask_for_it(office)
    await banner(desk).get_by_role("button", name="Decline").click()
    await expect(banner(desk)).to_have_count(0)
    session = await office.gate.session()
    assert (mode_of(session), full_access_of(session)) == ("AGENT", "HIDDEN")


async def test_enter_right_away_gives_nothing(office: Room, desk: Desk) -> None:
    """Whoever answers the question without reading it has said no."""
    await ask_for_it(office)
    await banner(desk).get_by_role("button", name="Confirm").click()
    await desk.press("Enter")
    await expect(desk.page.get_by_role("dialog")).to_have_count(0)
    assert full_access_of(await office.gate.session()) == "PENDING_CONFIRMATION"


async def test_give_it_to_a_session_that_did_not_ask(office: Room, desk: Desk) -> None:
    """By the mode on the session's page, after the same question."""
    await office.gate.ask(call("make test"))
    await desk.open("/sessions/s")
    await desk.page.get_by_role("group", name="Mode").get_by_role("button", name="full access").click()
    await desk.agree("Give full access")
    await expect(banner(desk)).to_contain_text("has full access")
    assert mode_of(await office.gate.session()) == "FULL_ACCESS"


async def test_several_sessions(office: Room, desk: Desk) -> None:
    """Three have their own line; the others are counted, with the way to them."""
    for number in range(5):
        await ask_for_it(office, f"s{number}")
    await expect(banner(desk)).to_have_count(4)
    await expect(banner(desk).last).to_contain_text("2 more sessions")


async def test_an_observer_only_sees_it(office: Room) -> None:
    """The banner is there, without buttons, and says who decides."""
    await ask_for_it(office)
    async with AsyncExitStack() as stack:
        token = await People(office.gate, stack).secret("bo", "observer", "desk")
        desk = await stack.enter_async_context(office.desk(token))
        await expect(banner(desk)).to_contain_text("a reviewer decides")
        await expect(banner(desk).get_by_role("button")).to_have_count(0)
