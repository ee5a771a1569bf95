"""Approve with edits: what is sent is what was shown, and nothing typed gets lost."""

from __future__ import annotations

from playwright.async_api import Locator, expect

from plangate_proto.agent.v1.create_plan_tool_pb2 import CreatePlanArgs, Phase
from plangate_proto.agent.v1.plan_resource_pb2 import PlanState
from plangate_proto.agent.v1.plan_service_pb2 import CreatePlanRequest
from plangate_proto.agent.v1.review_resource_pb2 import ReviewOutcome
from tests.web.browser.desk import Desk, Room
from tests.web.browser.plans import CELLAR, proposed, revised, todo

EDITED = "# Tidy the attic\n\nCarry the boxes down.\n"


def text_box(desk: Desk) -> Locator:
    return desk.page.get_by_label("Text, in Markdown")


async def begin(desk: Desk, text: str) -> None:
    await desk.press("e")
    await text_box(desk).fill(text)


async def test_approve_with_edits(office: Room, desk: Desk) -> None:
    """Text, name, overview and todos as typed are what may be built; no further round of the agent."""
    plan = await proposed(office, todos=[todo("carry"), todo("sweep", "sweep", "carry")], overview="Space.")
    await desk.read(plan)
    await begin(desk, EDITED)
    await expect(desk.page.get_by_role("region", name="Preview")).to_contain_text("Tidy the attic")
    await desk.page.get_by_label("Name", exact=True).fill("Attic")
    await desk.page.get_by_label("Overview").fill("")
    await desk.page.get_by_label("Words of todo sweep").fill("sweep twice")
    await desk.page.get_by_role("button", name="Remove todo carry").click()
    await desk.page.get_by_label("What must be done before of todo sweep").fill("")
    await desk.page.get_by_role("button", name="Add a todo").click()
    await desk.page.keyboard.type("lock up")
    await desk.page.get_by_label("What must be done before of todo todo-3").fill("sweep")
    await desk.page.get_by_role("button", name="See what you changed").click()
    await expect(desk.page.locator(".editor .facts-changed")).to_contain_text("sweep twice")
    await desk.page.get_by_role("button", name="Approve as edited").click()
    await desk.is_told("ada approved with edits")
    after = await office.gate.get(plan.plan_uri)
    assert (after.plan, after.name, after.overview) == (EDITED, "Attic", "")
    assert [(each.id, each.content, list(each.dependencies)) for each in after.todos] == [
        ("sweep", "sweep twice", []),
        ("todo-3", "lock up", ["sweep"]),
    ]
    assert after.state == PlanState.PLAN_STATE_APPROVED
    assert after.review.outcome == ReviewOutcome.REVIEW_OUTCOME_MODIFIED


async def test_by_keys_alone(office: Room, desk: Desk) -> None:
    """e opens the text, Ctrl+Enter shows what changed, Ctrl+Enter again sends it."""
    plan = await proposed(office)
    await desk.read(plan)
    await desk.press("e")
    await expect(text_box(desk)).to_be_focused()
    await desk.press("Control+End")
    await desk.page.keyboard.type("Lock up.\n")
    await desk.press("Control+Enter")
    await expect(desk.page.locator(".editor .pair.added")).to_contain_text("Lock up.")
    assert not (await office.gate.get(plan.plan_uri)).review.decisions
    await desk.calm()
    await desk.press("Control+Enter")
    await desk.is_told("ada approved with edits")
    assert (await office.gate.get(plan.plan_uri)).plan == f"{CELLAR}Lock up.\n"


async def test_escape_keeps_the_text(office: Room, desk: Desk) -> None:
    """Left, and even loaded again, it is there when the editor is opened again; nothing was sent."""
    plan = await proposed(office)
    await desk.read(plan)
    await begin(desk, EDITED)
    await desk.press("Escape")
    await expect(desk.page.locator(".editor")).to_be_hidden()
    await desk.page.reload()
    await desk.can_decide()
    await desk.press("e")
    await expect(text_box(desk)).to_have_value(EDITED)
    await desk.page.get_by_role("button", name="Drop my changes").click()
    await expect(text_box(desk)).to_have_value(CELLAR)
    await desk.page.get_by_role("button", name="Bring my changes back").click()
    await expect(text_box(desk)).to_have_value(EDITED)
    assert (await office.gate.get(plan.plan_uri)).revision == 1


async def test_a_newer_revision_keeps_the_text(office: Room, desk: Desk) -> None:
    """It cannot be sent before the newer one was seen; then it is compared with that one."""
    plan = await proposed(office)
    await desk.read(plan)
    await begin(desk, EDITED)
    await revised(office, plan, "# Burn the cellar")
    await expect(desk.page.locator(".notice")).to_contain_text("Revision 2")
    await desk.press("Control+Enter")
    await desk.calm()
    await desk.press("Control+Enter")
    await expect(desk.page.locator(".editor [role=alert]")).to_contain_text("Your text is kept")
    await desk.page.get_by_role("button", name="Show revision 2").click()
    await expect(text_box(desk)).to_have_value(EDITED)
    await expect(desk.page.locator(".editor .note")).to_contain_text("You began this on revision 1")
    await desk.press("Control+Enter")
    await expect(desk.page.locator(".editor .left", has_text="Burn the cellar")).to_have_count(1)
    await desk.calm()
    await desk.press("Control+Enter")
    await desk.is_told("ada approved with edits")
    after = await office.gate.get(plan.plan_uri)
    assert (after.plan, after.revision) == (EDITED, 3)


async def test_what_the_gate_refuses_is_kept(office: Room, desk: Desk) -> None:
    """Its words are shown, and the text stays to be mended."""
    plan = await proposed(office, todos=[todo("carry")])
    await desk.read(plan)
    await desk.press("e")
    await desk.page.get_by_label("What must be done before of todo carry").fill("nothing-like-it")
    await desk.press("Control+Enter")
    await desk.calm()
    await desk.press("Control+Enter")
    await expect(desk.page.locator(".editor [role=alert]")).to_contain_text("nothing-like-it")
    await desk.page.get_by_role("button", name="OK").click()
    await desk.page.get_by_role("button", name="Back to the text").click()
    box = desk.page.get_by_label("What must be done before of todo carry")
    await expect(box).to_have_value("nothing-like-it")
    assert not (await office.gate.get(plan.plan_uri)).review.decisions


async def test_save_without_approving(office: Room, desk: Desk) -> None:
    """It is a revision of the person, it is asked about anew, and the page shows it."""
    plan = await proposed(office)
    await desk.read(plan)
    await begin(desk, EDITED)
    await desk.press("Control+Enter")
    await desk.calm()
    await desk.page.get_by_role("button", name="Save without approving").click()
    await expect(desk.page.locator(".plan-head")).to_contain_text("revision2")
    await desk.can_decide()
    after = await office.gate.get(plan.plan_uri)
    assert (after.plan, after.state) == (EDITED, PlanState.PLAN_STATE_IN_REVIEW)
    assert not after.review.decisions


async def test_what_nobody_touched_stays(office: Room, desk: Desk) -> None:
    """Line ends, phases and flags are as they were after another part was edited."""
    phases = [Phase(name="Up", todos=[todo("carry")]), Phase(name="Down", todos=[todo("sweep", "", "carry")])]
    args = CreatePlanArgs(plan="# One\r\n\r\nTwo\r\n", phases=phases, is_project=True)
    plan = await office.gate.propose(CreatePlanRequest(args=args))
    await desk.read(plan)
    await desk.press("e")
    await desk.page.get_by_label("Overview").fill("Now with an overview")
    await desk.press("Control+Enter")
    await desk.calm()
    await desk.press("Control+Enter")
    await desk.is_told("ada approved with edits")
    after = await office.gate.get(plan.plan_uri)
    assert (after.plan, after.is_project) == (args.plan, True)
    assert [(each.name, [one.id for one in each.todos]) for each in after.phases] == [
        ("Up", ["carry"]),
        ("Down", ["sweep"]),
    ]


async def test_somebody_else_decides_meanwhile(office: Room, desk: Desk) -> None:
    """The one who edits is told how it ended, and still has their text."""
    plan = await proposed(office)
    await desk.read(plan)
    await begin(desk, EDITED)
    await office.gate.decide(plan, "approve")
    await expect(desk.page.locator(".editor .note")).to_contain_text("Approved: this cannot be sent any more")
    await expect(text_box(desk)).to_have_value(EDITED)
