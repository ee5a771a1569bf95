"""Who looks elsewhere is told: by the browser if it may, once, and of nothing that they did themselves."""

from __future__ import annotations

from playwright.async_api import expect

from plangate_proto.agent.v1.create_plan_tool_pb2 import CreatePlanArgs
from plangate_proto.agent.v1.plan_service_pb2 import CreatePlanRequest, UpdatePlanRequest
from tests.helpers.gate import connected, proposal
from tests.helpers.tool_calls import call
from tests.web.browser.desk import Desk, Room

AWAY = "Object.defineProperty(document, 'hidden', { get: () => true });"
NOTIFICATIONS = """
window.told = [];
window.Notification = class extends EventTarget {
  static permission = sessionStorage.permission ?? "%s";
  static async requestPermission() {
    return (this.permission = sessionStorage.permission = "%s");
  }
  constructor(title, { body, tag }) {
    super();
    window.told.push(Object.assign(this, { title, body, tag }));
    document.documentElement.dataset.told = window.told.length;
  }
  close() {
    this.isClosed = true;
  }
};
"""


async def look_away(desk: Desk, permission: str, answer: str = "") -> None:
    """Somewhere else, with a browser that keeps what it would show, and a person who answers it so."""
    await desk.page.add_init_script(AWAY + NOTIFICATIONS % (permission, answer or permission))
    await desk.open("/")
    await expect(desk.page.locator("#line")).to_have_text("Live")
    await expect(desk.page.locator(".page-head .sum")).not_to_have_text("Loading")


async def told(desk: Desk, count: int) -> list[str]:
    await expect(desk.page.locator("html")).to_have_attribute("data-told", str(count))
    found: list[str] = await desk.page.evaluate("told.map((each) => each.body)")
    return found


async def test_a_notification_names_the_plan(office: Room, desk: Desk) -> None:
    """The first that comes, too; what is not drawn in the name is said; a click opens the plan."""
    await look_away(desk, "granted")
    args = CreatePlanArgs(plan="# Tidy", name="Tidy the \u202ecellar")
    plan = await office.gate.propose(CreatePlanRequest(args=args))
    assert await told(desk, 1) == ["Waits for review: Tidy the \u2039U+202E\u203acellar, revision 1"]
    await desk.page.evaluate("told[0].dispatchEvent(new Event('click'))")
    await expect(desk.page).to_have_url(f"http://{office.opened.web}/plans/{plan.plan_id}")
    assert await desk.page.evaluate("told[0].isClosed")


async def test_what_waited_before_is_no_news(office: Room, desk: Desk) -> None:
    """Only what comes while the page is open is told, and once, whatever happens to it; tool calls, too."""
    await office.gate.propose(proposal("# Before"))
    await look_away(desk, "granted")
    plan = await office.gate.propose(proposal("# After", session_id="s"))
    await told(desk, 1)
    await office.gate.decide(plan, "approve")
    await office.gate.ask(call())
    assert await told(desk, 2) == [
        "Waits for review: After, revision 1",
        "Waits for a yes: bash in session s",
    ]
    await desk.page.evaluate("told[1].dispatchEvent(new Event('click'))")
    await expect(desk.page).to_have_url(f"http://{office.opened.web}/sessions/s/calls/c1")


async def test_what_one_does_oneself_is_no_news(office: Room, desk: Desk) -> None:
    """A revision of one's own waits for others, and is not told to oneself."""
    await look_away(desk, "granted")
    async with connected(office.opened.grpc, token=office.token("reviewer")) as own:
        plan = await office.gate.propose(proposal("# Tidy"))
        await told(desk, 1)
        args = CreatePlanArgs(plan="# Tidy well")
        edited = UpdatePlanRequest(plan_uri=plan.plan_uri, expected_revision=plan.revision, args=args)
        assert (await own.agent.UpdatePlan(edited)).plan.revision == 2
        await office.gate.propose(proposal("# Later"))
    assert [words.split(",")[0] for words in await told(desk, 2)] == [
        "Waits for review: Tidy",
        "Waits for review: Later",
    ]


async def test_nobody_is_notified_who_did_not_say_so(office: Room, desk: Desk) -> None:
    """The title counts all the same."""
    await look_away(desk, "denied")
    await expect(desk.page.locator("#notify")).to_be_hidden()
    await office.gate.propose()
    await expect(desk.page).to_have_title("(1) Plangate")
    assert await desk.page.evaluate("told") == []


async def test_notify_me_asks_the_browser(office: Room, desk: Desk) -> None:
    """The button goes once the person has answered, and from then on they are told."""
    await look_away(desk, "default", "granted")
    await desk.page.get_by_role("button", name="Notify me").click()
    await expect(desk.page.locator("#notify")).to_be_hidden()
    await office.gate.propose()
    await told(desk, 1)


async def test_a_browser_that_says_no(desk: Desk) -> None:
    """The page says where that can be changed."""
    await look_away(desk, "default", "denied")
    await desk.page.get_by_role("button", name="Notify me").click()
    await expect(desk.page.get_by_role("alert")).to_contain_text("its settings for this site say so")
    await desk.page.get_by_role("button", name="OK").click()
    await expect(desk.page.get_by_role("alert")).to_have_count(0)
