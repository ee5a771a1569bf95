"""The log on the page: everything that happened, newest first, and the proof that nobody changed it."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from playwright.async_api import Locator, Route, expect

from tests.helpers.audit_logs import tamper
from tests.helpers.gate import proposal
from tests.helpers.refusals import refused
from tests.helpers.tool_calls import call
from tests.web.browser.desk import Desk, Room


@pytest.fixture
def office(own_gate: Room) -> Room:
    """Its log is empty: that of a workspace begins with the tokens that were made for it."""
    return own_gate


def entries(desk: Desk) -> Locator:
    return desk.page.locator(".entry .what")


async def verdict(desk: Desk) -> Locator:
    await desk.page.get_by_role("button", name="Verify the chain").click()
    return desk.page.locator(".verdict-box")


async def test_what_happened_in_words(office: Room, desk: Desk) -> None:
    """Who did what to which plan, the newest first; with what they said, and why a decision did not count."""
    plan = await office.gate.propose(proposal("# Tidy the cellar", session_id="s"))
    await office.gate.decide(plan, "reject", "Not the wine.")
    await refused(office.gate.decide(plan, "approve"))
    await office.gate.ask(call())
    await desk.open("/log")
    await expect(entries(desk)).to_have_text(
        [
            "builder asked to use bash · session s",
            "local-admin wanted to approve, and was refused · Tidy the cellar",
            "local-admin rejected the plan · Tidy the cellar, revision 1",
            "local-admin asked for a decision · Tidy the cellar, revision 1",
            "local-admin proposed the plan · Tidy the cellar, revision 1",
        ]
    )
    words = desk.page.locator(".entry .words")
    await expect(words).to_have_text(
        [
            "make test",
            "somebody had decided before (ALREADY_DECIDED); they had seen revision 1",
            "Not the wine.",
        ]
    )


async def test_an_entry_is_one_line(office: Room, desk: Desk) -> None:
    """Number, time, what happened, proof: each in its column, the same for all entries."""
    await office.gate.propose()
    await desk.open("/log")
    await expect(entries(desk)).to_have_count(2)
    lefts: list[int] = []
    for part in (".number", "time", ".what", "button"):
        boxes = [await each.bounding_box() for each in await desk.page.locator(f".entry > {part}").all()]
        edges = {round(box["x"] + box["width"] if part == ".number" else box["x"]) for box in boxes if box}
        assert len(edges) == 1, part
        lefts.append(*edges)
    assert lefts == sorted(set(lefts))


async def test_the_proof_of_an_entry(office: Room, desk: Desk) -> None:
    """Digest and hashes are there on demand, and each entry names the hash of the one before."""
    plan = await office.gate.propose()
    await desk.open("/log")
    for number in (1, 2):
        await desk.page.get_by_role("button", name=f"Proof of entry {number}").click()
    newer, older = desk.page.locator(".proof").all_inner_texts, desk.page.locator("#entry-1")
    await expect(older).to_contain_text(plan.digest)
    await expect(older).to_contain_text("none: this is the first entry")
    first, second = (text.split() for text in reversed(await newer()))
    assert second[second.index("before") + 1] == first[-1]


async def test_older_entries(office: Room, desk: Desk) -> None:
    """Come on demand, until there are no more."""
    for number in range(40):
        await office.gate.propose(proposal(f"# Plan {number}"))
    await desk.open("/log")
    await expect(entries(desk)).to_have_count(50)
    await desk.page.get_by_role("button", name="Older entries").click()
    await expect(entries(desk)).to_have_count(80)
    await desk.sees("There are no older entries.")
    numbers = await desk.page.locator(".entry .number").all_inner_texts()
    assert numbers == [str(number) for number in range(80, 0, -1)]


async def test_a_long_log_is_drawn_in_part(office: Room, desk: Desk) -> None:
    """Never more than 200 entries; buttons lead to older and newer ones, each once and in order."""
    for number in range(150):
        await office.gate.propose(proposal(f"# Plan {number}"))
    await desk.open("/log")
    numbers = desk.page.locator(".entry .number")
    for count in (50, 100, 150, 200):
        await expect(numbers).to_have_count(count)
        await desk.page.get_by_role("button", name="Older entries").click()
    await expect(numbers.first).to_have_text("250")
    await office.gate.propose(proposal("# Last"))
    await desk.page.get_by_role("button", name="Older entries").click()
    await expect(numbers).to_have_text([str(number) for number in range(200, 0, -1)])
    for _ in range(3):
        await desk.page.get_by_role("button", name="Newer entries").click()
    await expect(numbers).to_have_text([str(number) for number in range(302, 102, -1)])
    await expect(desk.page.get_by_role("button", name="Newer entries")).to_be_hidden()
    await office.gate.propose(proposal("# After"))
    await expect(numbers).to_have_text([str(number) for number in range(304, 104, -1)])
    await desk.page.get_by_role("button", name="Older entries").click()
    await expect(numbers).to_have_text([str(number) for number in range(254, 54, -1)])


async def test_an_arrival_does_not_lead_back_from_older_entries(office: Room, desk: Desk) -> None:
    """Also if it came while the older ones were on their way."""
    for number in range(150):
        await office.gate.propose(proposal(f"# Plan {number}"))
    await desk.open("/log")
    numbers = desk.page.locator(".entry .number")
    older = desk.page.get_by_role("button", name="Older entries")
    for count in (50, 100, 150):
        await expect(numbers).to_have_count(count)
        await older.click()
    await expect(numbers).to_have_count(200)
    waits = desk.page.locator("#waiting-count")
    await expect(waits).to_have_text("150")
    asked, may_go_on = asyncio.Event(), asyncio.Event()

    async def held(route: Route) -> None:
        asked.set()
        await may_go_on.wait()
        await route.continue_()

    await desk.page.route("**/ListEvents", held)
    await older.click()
    await asked.wait()
    await office.gate.propose(proposal("# Meanwhile"))
    await expect(waits).to_have_text("151")
    may_go_on.set()
    await expect(numbers.last).to_have_text("51")
    await older.click()
    await expect(numbers).to_have_text([str(number) for number in range(200, 0, -1)])


async def test_new_entries_arrive(office: Room, desk: Desk) -> None:
    """Without a reload, on top, each once."""
    await desk.open("/log")
    await desk.sees("No entry fits.")
    for number in range(5):
        await office.gate.propose(proposal(f"# Plan {number}"))
    numbers = desk.page.locator(".entry .number")
    await expect(numbers).to_have_text([str(number) for number in range(10, 0, -1)])


async def test_nothing_moves_for_those_who_want_it_still(office: Room, desk: Desk) -> None:
    """What has just arrived is lit up for others only."""
    await desk.open("/log")
    await desk.sees("No entry fits.")
    await office.gate.propose()
    await expect(entries(desk)).to_have_count(2)
    moves = "getComputedStyle(document.querySelector('.entry')).animationName"
    assert await desk.page.evaluate(moves) == "none"
    await desk.page.emulate_media(reduced_motion="no-preference")
    assert await desk.page.evaluate(moves) == "arrive"


async def test_only_some_entries(office: Room, desk: Desk) -> None:
    """Of a plan, by the link on its page; of a kind; and the address keeps the choice."""
    plan = await office.gate.propose(proposal("# Tidy the cellar"))
    await office.gate.propose(proposal("# Another"))
    await office.gate.decide(plan, "approve")
    await desk.open(f"/plans/{plan.plan_id}")
    await desk.page.get_by_role("link", name="Entries in the log").click()
    await expect(entries(desk)).to_have_count(3)
    await expect(desk.page.locator(".filters .chip")).to_contain_text("only plan Tidy the cellar")
    await desk.page.get_by_label("Kind of entries").select_option("Decisions")
    await expect(entries(desk)).to_have_count(1)
    await desk.page.reload()
    await expect(entries(desk)).to_have_text(["local-admin approved the plan · Tidy the cellar, revision 1"])
    await desk.page.get_by_role("link", name="Entries of every plan").click()
    await office.gate.decide(await office.gate.propose(proposal("# Third")), "approve")
    await expect(entries(desk)).to_have_count(2)


async def test_a_log_that_holds(office: Room, desk: Desk) -> None:
    """The page says what was checked, and the head to keep."""
    await office.gate.propose()
    await desk.open("/log")
    await desk.page.get_by_role("button", name="Proof of entry 2").click()
    found = await verdict(desk)
    await expect(found).to_contain_text("The log holds. Every hash of 2 entries was followed")
    head = (await desk.page.locator("#entry-2 code").all_inner_texts())[-1]
    await expect(found).to_contain_text(f"2:{head}")


async def test_a_log_that_was_altered(office: Room, desk: Desk, tmp_path: Path) -> None:
    """The page names the first entry that is not as it was."""
    plan = await office.gate.propose()
    await office.gate.decide(plan, "reject")
    tamper(tmp_path / "plangate.db", "UPDATE events SET type = 'plan_approved' WHERE sequence = 3")
    await desk.open("/log")
    found = await verdict(desk)
    await expect(found).to_contain_text("The log does not hold: entry 3 was altered")
