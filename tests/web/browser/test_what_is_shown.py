"""Nobody decides about anything else than what is under their eyes, whatever arrives and whenever it does."""

from __future__ import annotations

import pytest
from playwright.async_api import Locator, expect

from plangate_proto.agent.v1.agent_session_service_pb2 import SetModeRequest
from plangate_proto.agent.v1.create_plan_tool_pb2 import CreatePlanArgs
from plangate_proto.agent.v1.plan_resource_pb2 import Plan
from plangate_proto.agent.v1.plan_service_pb2 import DraftPlanRequest
from plangate_proto.aiserver.v1.plan_review_service_pb2 import AddCommentRequest
from tests.helpers.tool_calls import FULL_ACCESS, call, state_of
from tests.web.browser.calls import can_answer, known, look_at
from tests.web.browser.desk import Desk, Room
from tests.web.browser.late import held
from tests.web.browser.plans import proposed, revised

OLD, NEW = "# Water the flowers", "# Burn the cellar"


def text(desk: Desk) -> Locator:
    return desk.page.locator(".text")


async def is_undecided(office: Room, desk: Desk, plan: Plan) -> None:
    """A decision that was on its way would have taken the choices away."""
    await desk.let_time_pass()
    await desk.can_decide()
    assert not (await office.gate.get(plan.plan_uri)).review.decisions


async def test_a_draft_that_is_rendered_late(office: Room, desk: Desk) -> None:
    """What an agent had written before does not come back over what it has submitted."""
    draft = office.gate.agent.DraftPlan()
    await draft.write(DraftPlanRequest(args=CreatePlanArgs(plan=OLD), session_id="s"))
    late = await held(desk, "api/render", OLD)
    await desk.page.locator("a[href^='/plans/']").click()
    await late.asked.wait()
    await draft.write(DraftPlanRequest(args=CreatePlanArgs(plan=NEW), submit=True))
    await draft.done_writing()
    await expect(text(desk)).to_contain_text("Burn the cellar")
    await late.arrived()
    await desk.can_decide()
    await expect(text(desk)).to_contain_text("Burn the cellar")
    await expect(text(desk)).not_to_contain_text("Water the flowers")


async def test_a_revision_that_is_rendered_late(office: Room, desk: Desk) -> None:
    """The old text does not come back over the new one."""
    plan = await proposed(office, OLD)
    old = await held(desk, "api/render", OLD)
    await desk.open(f"/plans/{plan.plan_id}")
    await old.asked.wait()
    await revised(office, plan, NEW)
    await desk.page.get_by_role("button", name="Show revision 2").click()
    await desk.press("t")
    await expect(text(desk).locator(".rendered")).to_contain_text("Burn the cellar")
    await old.arrived()
    await desk.can_decide()
    await expect(text(desk)).to_contain_text("Burn the cellar")
    await expect(text(desk)).not_to_contain_text("Water the flowers")


async def test_a_comparison_that_arrives_late(office: Room, desk: Desk) -> None:
    """The pickers, the comparison under them and what can be decided are about the same revisions."""
    first = await proposed(office, "# One")
    second = await revised(office, first, "# Two")
    third = await revised(office, second, "# Three")
    await desk.read(third)
    await desk.press("d")
    to = desk.page.get_by_label("to", exact=True)
    brief = desk.page.locator(".result .brief")
    await desk.page.get_by_label("From").select_option("1")
    await expect(brief).to_contain_text("From revision 1 to 3")
    late = await held(desk, "GetReview", second.review.approval_request_id)
    await to.focus()
    await to.select_option("2")
    await late.asked.wait()
    await desk.is_told("The text is not shown yet")
    await to.select_option("3")
    await desk.can_decide()
    await late.arrived()
    await expect(brief).to_contain_text("From revision 1 to 3")
    await expect(to).to_be_focused()
    await is_undecided(office, desk, third)


@pytest.mark.parametrize("what", ["choice", "comment"])
async def test_what_arrives_does_not_take_the_focus(office: Room, desk: Desk, what: str) -> None:
    """Enter on a choice stays with it; and if what had the focus is gone, Enter is no yes."""
    plan = await proposed(office)
    await desk.read(plan)
    focused = desk.choice("Reject") if what == "choice" else desk.page.get_by_role("button", name="Resolve")
    comment = AddCommentRequest(plan_uri=plan.plan_uri, revision=1, first_line=1, text="With which broom?")
    await office.gate.reviews.AddComment(comment)
    await desk.sees("With which broom?")
    await focused.focus()
    await office.gate.reviews.AddComment(
        AddCommentRequest(plan_uri=plan.plan_uri, revision=1, text="And when?")
    )
    await desk.sees("And when?")
    await desk.can_decide()
    await desk.press("Enter")
    if what == "choice":
        await expect(desk.page.locator(".words-form textarea")).to_be_focused()
        await desk.press("Escape")
    await is_undecided(office, desk, plan)


async def test_a_banner_that_moves_the_choices(office: Room, desk: Desk) -> None:
    """Neither a click nor a key decides in the moment after one has come or gone."""
    plan = await proposed(office)
    await desk.read(plan)
    await desk.hold_time()
    await office.gate.sessions.SetMode(SetModeRequest(session_id="s", mode=FULL_ACCESS))
    await expect(desk.page.locator(".banner")).to_contain_text("asks for full access")
    await expect(desk.choice("Approve")).to_have_attribute("aria-disabled", "true")
    await desk.choice("Approve").click(force=True)
    await desk.press("Enter")
    await is_undecided(office, desk, plan)


@pytest.mark.parametrize(("key", "leave"), [("Escape", "Back"), ("r", "Back"), ("c", "Cancel")])
async def test_enter_twice_on_the_way_back(office: Room, desk: Desk, key: str, leave: str) -> None:
    """The second one is not the page's."""
    plan = await proposed(office)
    await desk.read(plan)
    await desk.press(key)
    await desk.page.get_by_role("button", name=leave).focus()
    await desk.hold_time()
    await desk.press("Enter")
    await expect(desk.page.locator(".words-form, .comment-form")).to_have_count(0)
    await desk.press("Enter")
    await is_undecided(office, desk, plan)


@pytest.mark.parametrize("key", ["Escape", "m"])
async def test_enter_twice_on_the_way_back_to_a_call(office: Room, desk: Desk, key: str) -> None:
    """The second one is no yes to the call."""
    await office.gate.ask(call("make test"))
    await look_at(desk)
    await desk.press(key)
    await desk.page.get_by_role("button", name="Back").focus()
    await desk.hold_time()
    await desk.press("Enter")
    await expect(desk.page.locator(".words-form")).to_have_count(0)
    await desk.press("Enter")
    await desk.let_time_pass()
    await can_answer(desk)
    assert state_of(await known(office)) == "ACTIVE"


async def test_that_there_is_a_newer_one_is_one_sentence(office: Room, desk: Desk) -> None:
    """It says what has arrived, by whom, and what can be done with the one that is read."""
    plan = await proposed(office)
    await desk.read(plan)
    await revised(office, plan, NEW)
    arrived = "Revision 2 by local-admin (of ada) has arrived."
    words = "You are reading revision 1, which is superseded: nobody can decide about it any more."
    await expect(desk.page.locator(".notice p")).to_have_text(f"{arrived} {words}")


async def test_what_should_not_be_there_becomes_text(office: Room, desk: Desk) -> None:
    """Words outside any block are shown, and so is an element that the page does not know."""
    html = "loose words <blink>look</blink>\n<p data-line='1'>a block</p>\n"
    await desk.page.route("**/api/render", lambda route: route.fulfill(json={"html": html}))
    plan = await proposed(office)
    await desk.read(plan)
    for words in ("loose words", "<blink>look</blink>", "a block"):
        await expect(text(desk)).to_contain_text(words)
