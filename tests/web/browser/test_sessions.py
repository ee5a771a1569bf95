"""Sessions on the page: where each stands and what it may do, live, and changed by those who may."""

from __future__ import annotations

from contextlib import AsyncExitStack

from playwright.async_api import expect

from plangate_proto.agent.v1.agent_session_service_pb2 import ReportEventRequest, SetModeRequest
from tests.helpers.gate import proposal
from tests.helpers.people import People
from tests.helpers.tool_calls import PLAN, call, event, mode_of, outcome
from tests.web.browser.calls import known
from tests.web.browser.desk import Desk, Room


async def test_the_list_is_live(office: Room, desk: Desk) -> None:
    """A session appears with its first call; what waits in it and what was answered last follow."""
    await desk.open("/sessions")
    await desk.sees("No agent has named a session yet")
    await office.gate.propose(proposal(session_id="monday"))
    row = desk.page.locator("a.row")
    await expect(row).to_contain_text("a plan waits")
    await office.gate.ask(call("make test", session_id="monday"))
    await office.gate.ask(call("make all", "c2", session_id="monday"))
    await expect(row).to_contain_text("2 tool calls wait")
    await expect(row).to_contain_text("takes no messages")
    await office.gate.answer("DENIED", "monday")
    await expect(row).to_contain_text("make test local-admin denied")
    await desk.page.reload()
    await expect(row).to_contain_text("make test local-admin denied")
    await expect(row).to_contain_text("1 tool call waits")


async def test_a_session_with_all_that_is_its(office: Room, desk: Desk) -> None:
    """Its plan, its calls with what became of them, and its state, which moves on without a reload."""
    await office.gate.propose(proposal("# Tidy the cellar", session_id="s"))
    await office.gate.ask(call("make test"))
    await office.gate.answer("APPROVED")
    await office.gate.ask(call("make all", "c2"))
    await desk.open("/sessions/s")
    await expect(desk.page.get_by_label("Plans of the session").locator("a.row")).to_contain_text(
        "Tidy the cellar"
    )
    calls = desk.page.get_by_label("Tool calls of the session").locator("a.row")
    await expect(calls.nth(0)).to_contain_text("waits for an answer")
    await expect(calls.nth(1)).to_contain_text("local-admin approved")
    state = desk.page.locator(".machine [aria-current=step]")
    await expect(state).to_have_text("in review")
    await office.gate.sessions.ReportEvent(ReportEventRequest(session_id="s", event=event("RESET")))
    await expect(state).to_have_text("idle")


async def test_set_the_mode(office: Room, desk: Desk) -> None:
    """In plan mode what waits is denied, and the page shows it; another person's change is shown, too."""
    await office.gate.ask(call("make test"))
    await desk.open("/sessions/s")
    modes = desk.page.get_by_role("group", name="Mode")
    await modes.get_by_role("button", name="plan").click()
    await expect(modes.locator("[aria-pressed=true]")).to_contain_text("Read only")
    await desk.sees("the rule plan_mode denied")
    assert mode_of(await office.gate.session()) == "PLAN"
    assert outcome(await known(office)) == ("DECIDED", "DENIED", "AUTO", "plan_mode")
    await modes.get_by_role("button", name="agent").click()
    await expect(modes.locator("[aria-pressed=true]")).to_contain_text("asked about")
    await office.gate.sessions.SetMode(SetModeRequest(session_id="s", mode=PLAN))
    await expect(modes.locator("[aria-pressed=true]")).to_contain_text("Read only")


async def test_odd_names(office: Room, desk: Desk) -> None:
    """Agents choose the names: whatever is in them, the pages are found, and show what nobody sees."""
    session_id, call_id = "a/b?c#d %e\u202e", "../x"
    await office.gate.ask(call("make test", call_id, session_id=session_id))
    await desk.page.locator("a.row").click()
    await desk.choice("Yes, this once").wait_for()
    await desk.page.reload()
    await desk.sees("make test")
    await desk.page.get_by_role("link", name="a/b?c#d %eU+202E").click()
    await expect(desk.page.locator("h1")).to_have_text("Session a/b?c#d %eU+202E")


async def test_a_session_that_is_not(desk: Desk) -> None:
    """The page says so."""
    await desk.open("/sessions/nobody")
    await desk.sees("This session cannot be shown")


async def test_an_observer_changes_nothing(office: Room) -> None:
    """The modes cannot be pressed, nothing can be forgotten, and the page says why."""
    await office.gate.ask(call("make test"))
    await office.gate.answer("APPROVED_FOR_SESSION")
    async with AsyncExitStack() as stack:
        token = await People(office.gate, stack).secret("bo", "observer", "desk")
        desk = await stack.enter_async_context(office.desk(token))
        await desk.open("/sessions/s")
        await desk.sees("you can look, and a reviewer decides")
        await expect(desk.page.locator(".remembered li")).to_have_count(1)
        await expect(desk.page.get_by_role("button", name="Forget")).to_have_count(0)
        await desk.page.get_by_role("button", name="plan Read only").click(force=True)
        assert mode_of(await office.gate.session()) == "AGENT"


async def test_an_agents_token(office: Room) -> None:
    """It sees the sessions; what waits is for reviewers, and the page says so."""
    await office.gate.ask(call("make test"))
    async with office.desk(office.token("agent"), line="Not listening") as desk:
        await desk.sees("This is an agent's token")
        await expect(desk.page.locator("a.row")).to_have_count(0)
        await desk.page.get_by_role("link", name="Sessions").click()
        await expect(desk.page.locator("a.row")).to_contain_text("1 tool call waits")
