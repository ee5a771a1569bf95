"""A plan says whose text it is, which one took its place, and that another one beside it is another one."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from plangate_proto.agent.v1 import plan_service_pb2 as plan_pb
from plangate_proto.agent.v1.create_plan_tool_pb2 import CreatePlanArgs
from plangate_proto.agent.v1.plan_resource_pb2 import Plan, PlanState
from plangate_proto.aiserver.v1.plan_review_service_pb2 import GetReviewRequest
from tests.helpers.gate import Gate, connected
from tests.web.browser.desk import Desk, Room
from tests.web.browser.plans import CELLAR

ATTIC = "# Tidy the attic\n\nCarry the boxes down.\n"
EDITED = "# Tidy the cellar\n\nSweep the floor.\n"


async def propose(office: Room, role: str, text: str = CELLAR, agent_id: str = "planner") -> Plan:
    """A plan of the session "s", by whoever has the token of the role."""
    async with connected(office.opened.grpc, token=office.token(role)) as gate:
        args = CreatePlanArgs(plan=text)
        return await gate.propose(plan_pb.CreatePlanRequest(args=args, session_id="s", agent_id=agent_id))


async def revise(office: Room, plan: Plan, text: str, agent_id: str = "clerk") -> Plan:
    """Another author's text in the place of the plan's."""
    request = plan_pb.UpdatePlanRequest(
        plan_uri=plan.plan_uri,
        expected_revision=plan.revision,
        args=CreatePlanArgs(plan=text),
        agent_id=agent_id,
    )
    return (await office.gate.agent.UpdatePlan(request)).plan


async def test_a_plan_names_agent_and_credentials(office: Room, desk: Desk) -> None:
    """An agent can take any name: the token and the person behind it stand beside it."""
    plan = await propose(office, "agent", agent_id="planner<b>")
    await expect(desk.page.locator("a.row")).to_contain_text("by planner<b> (local-agent, of ada)")
    await desk.read(plan)
    await expect(desk.page.locator(".plan-head")).to_contain_text("planner<b> (local-agent, of ada)")


async def test_a_token_that_names_no_agent(office: Room, desk: Desk) -> None:
    """Then it is the author, with its person."""
    plan = await propose(office, "agent", agent_id="")
    await desk.read(plan)
    await expect(desk.page.locator(".plan-head")).to_contain_text("local-agent (of ada)")


async def test_two_authors_of_one_name(office: Room, desk: Desk) -> None:
    """Two plans that look the same in one session: each says whose it is, and is decided by itself."""
    first = await propose(office, "agent")
    second = await propose(office, "admin")
    rows = desk.page.locator("a.row")
    await expect(rows).to_have_count(2)
    await expect(rows.nth(0)).to_contain_text("(local-agent, of ada)")
    await expect(rows.nth(1)).to_contain_text("(local-admin, of ada)")
    for number in range(2):
        await expect(rows.nth(number)).to_contain_text("one of 2 plans in its session")
    await desk.read(first)
    others = desk.page.locator(".others")
    await expect(others).to_contain_text("Another plan waits in this session.")
    await expect(others).to_contain_text("(local-admin, of ada)")
    await desk.press("Enter")
    await desk.is_told("ada approved")
    assert (await office.gate.get(second.plan_uri)).state == PlanState.PLAN_STATE_IN_REVIEW
    await others.get_by_role("link").click()
    await desk.can_decide()
    await expect(desk.page.locator(".plan-head")).to_contain_text("(local-admin, of ada)")
    await expect(others).to_be_hidden()
    await desk.choice("Request changes").click()
    await desk.page.locator(".words-form textarea").fill("The attic, too")
    await desk.press("Control+Enter")
    await desk.is_told("ada requested changes")
    states = [(await office.gate.get(plan.plan_uri)).state for plan in (first, second)]
    assert states == [PlanState.PLAN_STATE_APPROVED, PlanState.PLAN_STATE_CHANGES_REQUESTED]


async def test_another_plan_arrives_in_the_session(office: Room, desk: Desk) -> None:
    """Whoever reads is told at once, and no key that was on its way decides."""
    plan = await propose(office, "agent")
    await desk.read(plan)
    await desk.calm()
    await desk.hold_time()
    await propose(office, "admin", ATTIC, "clerk")
    await expect(desk.page.locator(".others")).to_contain_text("by clerk (local-admin, of ada)")
    await desk.press("Enter")
    assert not (await office.gate.get(plan.plan_uri)).review.decisions


async def test_a_superseded_text_says_so(office: Room, desk: Desk) -> None:
    """Whoever reads it is told that another author's took its place, and gets there; afterwards, too."""
    plan = await propose(office, "agent")
    await desk.read(plan)
    await revise(office, plan, ATTIC)
    notice = desk.page.locator(".notice")
    await expect(notice).to_contain_text("another author")
    await expect(notice).to_contain_text("clerk (local-admin, of ada)")
    await expect(notice).to_contain_text("planner (local-agent, of ada)")
    await expect(notice).to_contain_text("superseded")
    await desk.page.get_by_role("button", name="Show revision 2").click()
    await desk.can_decide()
    await expect(desk.page.locator(".plan-head")).to_contain_text("asked byclerk (local-admin, of ada)")
    await expect(desk.page.locator(".plan-head")).to_contain_text("plan ofplanner")
    old = desk.page.get_by_role("region", name="Revisions").locator("li").first
    await expect(old).to_contain_text("by planner (local-agent, of ada)")
    await expect(old).to_contain_text("Superseded by revision 2 by clerk")
    await desk.page.get_by_role("button", name="Rendered").click()
    await old.get_by_role("link", name="revision 2 by clerk").click()
    await expect(desk.page.locator(".text .changes")).to_contain_text("From revision 1 to 2")


async def test_the_link_leads_past_later_revisions(office: Room, desk: Desk) -> None:
    """To the text that took its place, not to the newest; and nobody decides while looking at that one."""
    plan = await propose(office, "agent")
    second = await revise(office, plan, ATTIC)
    await revise(office, second, "# Tidy nothing\n", "idler")
    await desk.read(plan)
    await desk.page.get_by_role("link", name="revision 2 by clerk").click()
    await expect(desk.page.locator(".text .changes")).to_contain_text("From revision 1 to 2")
    await desk.is_told("to decide, look at revision 3")
    await desk.calm()
    await desk.press("Enter")
    assert not (await office.gate.get(plan.plan_uri)).review.decisions


async def test_a_persons_edit_is_theirs(office: Room, desk: Desk) -> None:
    """Saved without approving: asked by the agent, edited by the person, and no other author's."""
    plan = await propose(office, "agent")
    await desk.read(plan)
    await desk.press("e")
    await desk.page.get_by_label("Text, in Markdown").fill(EDITED)
    await desk.press("Control+Enter")
    await desk.calm()
    await desk.page.get_by_role("button", name="Save without approving").click()
    head = desk.page.locator(".plan-head")
    await expect(head).to_contain_text("asked byplanner (local-agent, of ada)")
    await expect(head).to_contain_text("edited byada")
    await expect(head).not_to_contain_text("plan of")
    await desk.can_decide()
    await expect(desk.page.get_by_role("region", name="Revisions")).to_contain_text("Revision 2by ada")


async def test_a_draft_that_became_a_revision(office: Room, desk: Desk) -> None:
    """Its page says so, and links to the plan of which it is a revision now."""
    plan = await propose(office, "agent")
    async with connected(office.opened.grpc, token=office.token("agent")) as gate:
        draft = await drafted(gate, plan_pb.DraftPlanRequest(session_id="s", agent_id="planner"))
        await desk.open(f"/plans/{draft.plan_id}")
        await desk.is_told("Being written")
        last = plan_pb.DraftPlanRequest(plan_uri=draft.plan_uri, agent_id="planner", submit=True)
        await drafted(gate, last)
    await desk.is_told("Withdrawn by the agent")
    await desk.page.locator(".outcome").get_by_role("link", name=plan.plan_uri).click()
    await desk.can_decide()
    await expect(desk.page.locator(".plan-head")).to_contain_text("revision2")
    shown = await office.gate.reviews.GetReview(GetReviewRequest(plan_uri=plan.plan_uri))
    assert shown.item.plan.plan == ATTIC


async def drafted(gate: Gate, request: plan_pb.DraftPlanRequest) -> Plan:
    request.args.plan = ATTIC
    return (await gate.agent.DraftPlan(iter([request]))).plan


@pytest.mark.parametrize("path", ["/", "/sessions/s"])
async def test_the_lists_count_anew(office: Room, desk: Desk, path: str) -> None:
    """Once one of two is decided, nothing says of the other that it is one of two."""
    first = await propose(office, "agent")
    await propose(office, "admin")
    await desk.open(path)
    counted = desk.page.get_by_text("one of 2 plans in its session")
    await expect(counted).to_have_count(2)
    await office.gate.decide(first, "approve")
    await expect(counted).to_have_count(0)
