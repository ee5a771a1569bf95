"""Answers for more than one call: given with their reach in words, and taken back on the page."""

from __future__ import annotations

from playwright.async_api import Locator, expect

from plangate_proto.agent.v1.tool_approval_service_pb2 import ListRememberedRequest, Remembered
from tests.helpers.tool_calls import call, decision_of, outcome, patch, remember, state_of
from tests.web.browser.calls import known, look_at
from tests.web.browser.desk import Desk, Room


def reach(desk: Desk) -> Locator:
    """What the form says that the answer covers."""
    return desk.page.locator(".reach")


async def open_form(desk: Desk) -> None:
    await look_at(desk)
    await desk.choice("Choose what to remember").click()


async def remembered(office: Room) -> list[Remembered]:
    return list((await office.gate.approvals.ListRemembered(ListRememberedRequest())).remembered)


async def test_this_very_call_for_a_while(office: Room, desk: Desk) -> None:
    """The next one like it is done without a prompt; any other is asked about."""
    await office.gate.ask(call("npm test"))
    await open_form(desk)
    await desk.page.get_by_label("How long").select_option("for 8 hours")
    await expect(reach(desk)).to_contain_text(
        "Yes, without asking: bash with the command npm test, in the session s, until"
    )
    await expect(reach(desk)).to_contain_text("Still asked about: other words")
    await desk.page.get_by_role("button", name="Yes, and remember it").click()
    await desk.is_told("ada approved")
    [kept] = await remembered(office)
    assert (kept.signature, kept.is_pattern) == ("npm test", False)
    assert (kept.expire_time.ToDatetime() - kept.create_time.ToDatetime()).total_seconds() == 8 * 3600
    assert outcome(await office.gate.ask(call("npm test", "c2")))[:2] == ("DECIDED", "APPROVED")
    assert state_of(await office.gate.ask(call("npm publish", "c3"))) == "ACTIVE"


async def test_calls_like_it_everywhere(office: Room, desk: Desk) -> None:
    """A pattern covers other words in its free places, in every session, and no prompt is shown for them."""
    await office.gate.ask(call("npm run lint"))
    await open_form(desk)
    await desk.page.get_by_label("calls like it").check()
    await expect(desk.page.get_by_label("Like:")).to_have_value("npm run *")
    await desk.page.get_by_label("in every session of the workspace").check()
    await expect(reach(desk)).to_contain_text("any command like npm run *, in every session of the workspace")
    await expect(reach(desk)).to_contain_text("* is any one word that is no option")
    await desk.page.get_by_role("button", name="Yes, and remember it").click()
    await desk.is_told("Remembered.")
    assert state_of(await office.gate.ask(call("npm run build", "c2", session_id="other"))) == "DECIDED"
    assert state_of(await office.gate.ask(call("npm run build -f", "c3", session_id="other"))) == "ACTIVE"


async def test_a_no_is_remembered_with_words(office: Room, desk: Desk) -> None:
    """The form says that it comes before every yes; the agent gets the words, and the next no at once."""
    await office.gate.ask(call("npm publish"))
    await open_form(desk)
    await desk.page.get_by_label("No", exact=True).check()
    await expect(reach(desk)).to_contain_text("It comes before every yes, and before full access")
    await desk.page.get_by_label("What should the agent do instead?").fill("People publish.")
    await desk.page.get_by_role("button", name="No, and remember it").click()
    await desk.is_told("ada denied")
    assert (await known(office)).feedback_text == "People publish."
    assert decision_of(await office.gate.ask(call("make all && npm publish", "c2"))) == "DENIED"


async def test_any_call_of_a_tool(office: Room, desk: Desk) -> None:
    """For a patch there is this very one, or all of them; the form says which it is."""
    await office.gate.ask(patch())
    await open_form(desk)
    await expect(reach(desk)).to_contain_text("apply_patch with this very patch, to the byte")
    await desk.page.get_by_label("any call of the tool").check()
    await expect(reach(desk)).to_contain_text("any call of apply_patch, whatever is in it")
    await desk.page.get_by_role("button", name="Yes, and remember it").click()
    await desk.is_told("Remembered.")
    assert state_of(await office.gate.ask(patch("c2", "another"))) == "DECIDED"


async def test_what_is_too_wide_is_refused(office: Room, desk: Desk) -> None:
    """The page says why, nothing is answered, and what was filled in is still there."""
    await office.gate.ask(call("npm run build"))
    await open_form(desk)
    await desk.page.get_by_label("calls like it").check()
    await desk.page.get_by_label("Like:").fill("npm *")
    await desk.page.get_by_role("button", name="Yes, and remember it").click()
    await expect(desk.page.locator(".decide [role=alert]")).to_contain_text("has a wildcard after npm")
    await desk.page.get_by_role("button", name="OK").click()
    await expect(desk.page.get_by_label("Like:")).to_have_value("npm *")
    assert state_of(await known(office)) == "ACTIVE"


async def test_no_pattern_is_offered_that_could_name_a_program(office: Room, desk: Desk) -> None:
    """Of a program that runs what it is given, only this very call can be remembered."""
    await office.gate.ask(call("python3 build.py"))
    await open_form(desk)
    await expect(desk.page.get_by_label("this very call")).to_be_visible()
    await expect(desk.page.get_by_label("calls like it")).to_have_count(0)


async def test_what_cannot_be_remembered(office: Room, desk: Desk) -> None:
    """A compound command is answered this once, and the page says so."""
    await office.gate.ask(call("make test && make install"))
    await look_at(desk)
    await desk.is_told("The answer holds this once")
    await expect(desk.page.locator(".choice")).to_have_count(2)


async def test_forget_one(office: Room, desk: Desk) -> None:
    """The session's page lists what reaches it, in words; what is forgotten is asked about again."""
    await office.gate.ask(call("npm test"))
    await office.gate.answer("APPROVED", remember=remember(scope="WORKSPACE"))
    await desk.open("/sessions/s")
    answers = desk.page.locator(".remembered li")
    await expect(answers).to_contain_text("bash with the command npm test, in every session of the workspace")
    await answers.get_by_role("button", name="Forget").click()
    await expect(answers).to_have_count(0)
    assert state_of(await office.gate.ask(call("npm test", "c2"))) == "ACTIVE"


async def test_forget_all_of_a_session(office: Room, desk: Desk) -> None:
    """It is asked about first; what is remembered for all sessions stays."""
    for number, scope in enumerate(("SESSION", "WORKSPACE")):
        await office.gate.ask(call(f"make test{number}", f"c{number}"))
        await office.gate.answer("APPROVED", remember=remember(scope=scope))
    await desk.open("/sessions/s")
    await desk.page.get_by_role("button", name="Forget what is remembered for this session").click()
    await desk.agree("Forget it")
    await expect(desk.page.locator(".remembered li")).to_have_count(1)
    assert [each.signature for each in await remembered(office)] == ["make test1"]
