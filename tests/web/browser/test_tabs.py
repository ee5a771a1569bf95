"""Many tabs of one browser: one of them listens for all, and none gets in the way of another."""

from __future__ import annotations

from contextlib import AsyncExitStack

from playwright.async_api import Page, expect

from tests.helpers.gate import proposal
from tests.helpers.people import People
from tests.web.browser.desk import Desk, Room, module
from tests.web.browser.plans import CELLAR, proposed
from tests.web.browser.test_signed_in import revoke, sign_in

MANY = 8
COUNT_RESETS = (
    module("gate/store")
    + """.then(({ store }) => {
  window.resets = 0;
  store.on(["reset"], () => (window.resets += 1));
})"""
)


# No tab takes another one for asleep before it is told to: ANSWER in tabs.js does not pass by itself.
PATIENT = """
(() => {
  const [set, clear] = [setTimeout, clearTimeout];
  const answers = new Map();
  let last = -1;
  window.setTimeout = (end, length, ...more) => {
    if (length !== 3_000) return set(end, length, ...more);
    answers.set((last -= 1), end);
    return last;
  };
  window.clearTimeout = (timer) => answers.delete(timer) || clear(timer);
  window.waitsNoLonger = () => {
    const ends = [...answers.values()];
    answers.clear();
    ends.forEach((end) => end());
    return ends.length;
  };
})()
"""


async def make_patient(desk: Desk) -> None:
    """The page as it is, and the tabs that are opened beside it."""
    await desk.page.context.add_init_script(PATIENT)
    await desk.page.evaluate(PATIENT)


async def another_tab(desk: Desk, path: str = "/") -> Desk:
    tab = Desk(await desk.page.context.new_page(), desk.opened)
    tab.page.on("pageerror", lambda error: desk.faults.append(str(error)))
    tab.page.on("request", lambda request: tab.requests.append(request.url))
    await tab.open(path)
    return tab


def streams(tab: Desk) -> int:
    return sum(url.endswith("/api/live") for url in tab.requests)


async def is_live(page: Page, waiting: int) -> None:
    await expect(page.locator("#line")).to_have_text("Live")
    await expect(page).to_have_title(f"({waiting}) Plangate")


async def test_eight_tabs(office: Room, desk: Desk) -> None:
    """Each is told of what comes and can decide, over one stream."""
    plans = [await office.gate.propose(proposal(f"# Plan {number}")) for number in range(MANY)]
    await make_patient(desk)
    await desk.read(plans[0])
    tabs = [desk] + [await another_tab(desk, f"/plans/{plan.plan_id}") for plan in plans[1:]]
    await office.gate.propose(proposal("# While all are open"))
    for tab in tabs:
        await is_live(tab.page, MANY + 1)
    for number, tab in enumerate(tabs):
        await tab.page.bring_to_front()
        await tab.choice("Approve").click()
        await tab.is_told("ada approved")
        await is_live(tabs[0].page, MANY - number)
    assert [streams(tab) for tab in tabs[1:]] == [0] * (MANY - 1)


async def test_the_tab_that_listens_is_closed(office: Room) -> None:
    """Another one goes on from the same place: nothing is missed, and nothing told anew."""
    await office.gate.propose(proposal("# First"))
    async with office.desk() as desk:
        await make_patient(desk)
        tabs = [await another_tab(desk) for _ in range(3)]
        for tab in tabs:
            await is_live(tab.page, 1)
            await tab.page.evaluate(COUNT_RESETS)
        await desk.page.close()
        await office.gate.propose(proposal("# Second"))
        for tab in tabs:
            await is_live(tab.page, 2)
            await expect(tab.page.locator("a.row")).to_have_count(2)
            assert await tab.page.evaluate("window.resets") == 0
        assert sum(streams(tab) for tab in tabs) == 1


async def test_a_tab_that_sleeps_listens_for_nobody(office: Room, desk: Desk) -> None:
    """Whoever gets no answer from it listens instead; when it wakes, it hears from that one."""
    await make_patient(desk)
    tab = await another_tab(desk)
    await expect(tab.page.locator("#line")).to_have_text("Live")
    asleep = await desk.page.context.new_cdp_session(desk.page)
    await asleep.send("Debugger.enable")
    await asleep.send("Debugger.pause")
    ask_in_vain = "(document.dispatchEvent(new Event('visibilitychange')), waitsNoLonger())"
    assert await tab.page.evaluate(ask_in_vain) == 1
    await office.gate.propose()
    await is_live(tab.page, 1)
    assert streams(tab) == 1
    await asleep.send("Debugger.disable")
    await office.gate.propose()
    for each in (desk, tab):
        await is_live(each.page, 2)


async def test_another_person_in_another_tab(office: Room) -> None:
    """Whatever the first had begun is sent under no other name; their words are there when they are back."""
    plan = await proposed(office)
    async with AsyncExitStack() as stack:
        people = People(office.gate, stack)
        bo, cy = [await people.secret(person, "reviewer", "desk") for person in ("bo", "cy")]
        desk = await stack.enter_async_context(office.desk(bo))
        await desk.read(plan)
        await desk.choice("Reject").click()
        await desk.page.locator(".words-form textarea").fill("Said by bo.")
        await desk.page.route("**/WhoAmI", lambda route: route.abort())
        other = await another_tab(desk)
        await other.page.evaluate("fetch('/sign-out', { method: 'POST' })")
        await other.page.reload()
        await sign_in(other, cy)
        await expect(other.page.locator("#who")).to_have_text("cy-desk (reviewer)")
        await desk.sees("The page could not begin")
        await desk.page.unroute("**/WhoAmI")
        await desk.page.get_by_role("button", name="Try again").click()
        await expect(desk.page.locator("#who")).to_have_text("cy-desk (reviewer)")
        await desk.choice("Reject").click()
        await expect(desk.page.locator(".words-form textarea")).to_have_value("")
        assert not (await office.gate.get(plan.plan_uri)).review.decisions


async def test_the_same_person_signs_in_once_for_all_tabs(office: Room) -> None:
    """What ended in all tabs goes on in all of them, where it was."""
    plan = await proposed(office, CELLAR)
    async with AsyncExitStack() as stack:
        people = People(office.gate, stack)
        desk = await stack.enter_async_context(office.desk(await people.secret("bo", "reviewer", "old")))
        other = await another_tab(desk, f"/plans/{plan.plan_id}")
        await other.can_decide()
        await other.choice("Reject").click()
        await other.page.locator(".words-form textarea").fill("Not the cellar.")
        await revoke(office, "bo-old")
        for tab in (desk, other):
            await expect(tab.page.get_by_role("dialog")).to_contain_text("Your sign-in has ended.")
        await sign_in(desk, await people.secret("bo", "reviewer", "new"))
        await expect(other.page.get_by_role("dialog")).to_have_count(0)
        await other.page.get_by_role("button", name="Reject").click()
        await other.is_told("bo-new rejected")
