"""What people do at the page of a tool call, and what became of the call."""

from __future__ import annotations

from playwright.async_api import Locator, expect

from plangate_proto.agent.v1.tool_approval_service_pb2 import Approval, ApprovalState, ListApprovalsRequest
from tests.web.browser.desk import Desk, Room, module

ONCE = "Yes, this once"
STORE = module("gate/store")
EVERY_STATE = [state for state in ApprovalState.values() if state]


def address(call_id: str = "c1", session_id: str = "s") -> str:
    return f"/sessions/{session_id}/calls/{call_id}"


async def look_at(desk: Desk, call_id: str = "c1", session_id: str = "s") -> None:
    """Open the call and wait until it can be answered."""
    await desk.open(address(call_id, session_id))
    await can_answer(desk)


async def can_answer(desk: Desk) -> None:
    await expect(desk.choice(ONCE)).to_have_attribute("aria-disabled", "false")


async def make_deaf(desk: Desk) -> None:
    """From now on the page hears nothing of what happens."""
    await desk.page.evaluate(STORE + ".then(({ store }) => { store.heard = () => {}; })")


async def hear_only_prompts(desk: Desk) -> None:
    """From now on the page hears which call is asked about, and not what became of those before."""
    half = """.then(({ store }) => {
      const heard = store.heard.bind(store);
      store.heard = (kind, body) => kind === "prompt" && heard(kind, body);
    })"""
    await desk.page.evaluate(STORE + half)


async def known(office: Room, call_id: str = "c1", session_id: str = "s") -> Approval:
    """The call as the gate has it."""
    asked = ListApprovalsRequest(session_id=session_id, states=EVERY_STATE)
    calls = (await office.gate.approvals.ListApprovals(asked)).approvals
    return next(call for call in calls if call.call_id == call_id)


def exact(desk: Desk) -> Locator:
    """What would be done, as the page shows it."""
    return desk.page.locator(".exact")
