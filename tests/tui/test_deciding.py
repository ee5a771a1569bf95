"""Deciding about a plan on the full screen: the very text that was seen, and nothing by mistake."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from textual.events import Key

from plangate import AsyncClient
from plangate.tui import calm
from plangate.tui.calm import NEW
from plangate.tui.frame import Frame
from plangate.tui.words_box import Area
from plangate_proto.agent.v1.create_plan_tool_pb2 import CreatePlanArgs
from plangate_proto.agent.v1.plan_resource_pb2 import Plan
from plangate_proto.agent.v1.plan_service_pb2 import UpdatePlanRequest
from plangate_proto.agent.v1.review_resource_pb2 import ReviewOutcome, ReviewStatus
from tests.helpers.gate import Gate, proposal
from tests.tui.person import Clock, Person, at_desk

WAITS = ReviewStatus.REVIEW_STATUS_REQUESTED
TALL = (80, 50)
"""So that a text and what changed in it fit on the screen."""


@pytest.fixture
def never_calm(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Until it is undone, what is shown is always new."""
    monkeypatch.setattr(calm, "CALM_SECONDS", 3600.0)
    return monkeypatch


async def opens_calmly(person: Person, clock: Clock) -> None:
    await person.sees("plan  Tidy the cellar")
    await person.presses("enter")
    await person.comes_to_rest(clock)


async def is_too_early(person: Person, clock: Clock) -> None:
    """Enter, so soon after what went before that it was not meant for what is shown."""
    clock.passes(0.15)
    await person.presses("enter")
    await person.comes_to_rest(clock)


def revision_on(person: Person) -> int:
    """Of the plan that is on the screen, behind whatever box."""
    screen: Any = person.app.screen_stack[1]
    return int(screen._look.seen.plan.revision)


async def revise(gate: Gate, plan: Plan, text: str) -> Plan:
    args = CreatePlanArgs(plan=text)
    request = UpdatePlanRequest(plan_uri=plan.plan_uri, expected_revision=plan.revision, args=args)
    return (await gate.agent.UpdatePlan(request)).plan


async def last_decision(gate: Gate, plan: Plan) -> Any:
    return (await gate.get(plan.plan_uri)).review.decisions[-1]


async def test_enter_approves(gate: Gate) -> None:
    """Enter opens a plan, and pressed again in calm it approves the text that is shown."""
    plan = await gate.propose(proposal("# Tidy the cellar\n\nSort the boxes."))
    async with at_desk(gate.address) as person:
        await person.opens("Tidy the cellar")
        await person.sees("   3 │ Sort the boxes.", "Enter  approve", "waits ")
        await person.presses("enter")
        await person.sees("you decided: approved", "● decided")
    assert (await gate.get(plan.plan_uri)).review.outcome == ReviewOutcome.REVIEW_OUTCOME_APPROVED


async def test_a_key_that_is_held_down_approves_nothing(gate: Gate, never_calm: pytest.MonkeyPatch) -> None:
    """Enter opens a plan; the ones that follow at once are too early, however many they are."""
    plan = await gate.propose()
    async with at_desk(gate.address) as person:
        await person.sees("plan  Tidy the cellar")
        await person.presses(*["enter"] * 5)
        await person.sees(NEW)
        await person.presses(*["enter"] * 5)
        never_calm.undo()
        await person.can_decide()
    assert (await gate.get(plan.plan_uri)).review.status == WAITS


async def test_a_key_that_repeats_after_a_delay_approves_nothing(gate: Gate, stillness: Clock) -> None:
    """Enter opens a plan, and goes on coming: whatever keyboard it is, the plan waits."""
    plan = await gate.propose()
    async with at_desk(gate.address) as person:
        await person.sees("plan  Tidy the cellar")
        await person.presses("enter")
        await person.sees(NEW)
        stillness.passes(0.7)
        await person.holds_down("enter", stillness)
        await person.comes_to_rest(stillness)
    assert (await gate.get(plan.plan_uri)).review.status == WAITS


async def test_an_enter_too_many_after_words_approves_nothing(gate: Gate, stillness: Clock) -> None:
    """The box is gone before the second one comes, and what was below it is new."""
    plan = await gate.propose()
    async with at_desk(gate.address) as person:
        await opens_calmly(person, stillness)
        await person.presses("c")
        await person.sees("Comment:")
        await person.types("hm")
        await person.presses("enter")
        await person.sees("your comment is on the plan")
        await is_too_early(person, stillness)
    assert (await gate.get(plan.plan_uri)).review.status == WAITS


async def test_leaving_the_help_approves_nothing(gate: Gate, stillness: Clock) -> None:
    """Enter does not close it; and what was below it is new when it is closed."""
    plan = await gate.propose()
    async with at_desk(gate.address) as person:
        await opens_calmly(person, stillness)
        await person.presses("question_mark", "enter", "enter")
        await person.sees("Esc closes this")
        await person.presses("escape")
        await person.sees_no("Esc closes this")
        await is_too_early(person, stillness)
    assert (await gate.get(plan.plan_uri)).review.status == WAITS


async def test_a_revision_that_came_behind_a_box_is_new_when_it_closes(gate: Gate, stillness: Clock) -> None:
    """However long the box was open: nobody has seen what is below it."""
    plan = await gate.propose()
    async with at_desk(gate.address) as person:
        await opens_calmly(person, stillness)
        await person.presses("c")
        await person.sees("Comment:")
        await revise(gate, plan, "# Burn the cellar")
        await person.waits_until(lambda: revision_on(person) == 2, "revision 2")
        stillness.passes(60)
        await person.presses("escape")
        await person.sees_no("Comment:")
        await is_too_early(person, stillness)
    assert (await gate.get(plan.plan_uri)).review.status == WAITS


async def test_a_refused_decision_is_followed_by_calm(gate: Gate, stillness: Clock) -> None:
    """Whoever presses Enter twice rejects once; if that is refused, the second one approves nothing."""
    plan = await gate.propose()
    async with at_desk(gate.address) as person:
        await opens_calmly(person, stillness)
        await person.presses("escape")
        await person.sees("Reject:")
        await person.types("no fire")
        await revise(gate, plan, "# Burn the cellar")
        await person.waits_until(lambda: revision_on(person) == 2, "revision 2")
        stillness.passes(60)
        await person.presses("enter")
        await person.sees_no("Reject:")
        await is_too_early(person, stillness)
    assert (await gate.get(plan.plan_uri)).review.status == WAITS


async def test_enter_twice_at_once_sends_the_words_once(gate: Gate) -> None:
    """The box closes once: what is below it stays, and tells what was decided."""
    plan = await gate.propose()
    async with at_desk(gate.address) as person:
        await person.opens("Tidy the cellar")
        await person.presses("escape")
        await person.sees("Reject:")
        area = person.app.screen.query_one(Area)
        area.insert("no")
        for _ in range(2):
            area.post_message(Key("enter", None))
        await person.sees("you decided: rejected", "● decided")
    assert len((await gate.get(plan.plan_uri)).review.decisions) == 1


async def test_a_decision_goes_on_when_its_screen_is_left(
    gate: Gate, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is carried out all the same, and the screen that the person went to tells how."""
    plan = await gate.propose()
    async with at_desk(gate.address) as person:
        await person.opens("Tidy the cellar")
        client, goes_on = person.app.desk.client, asyncio.Event()
        decide = client.decide

        async def slowly(*args: Any) -> Any:
            await goes_on.wait()
            return await decide(*args)

        monkeypatch.setattr(client, "decide", slowly)
        await person.presses("enter")
        await person.sees("sending")
        await person.presses("u")
        await person.sees("Enter  open")
        goes_on.set()
        await person.sees("Tidy the cellar: you decided: approved")
    assert (await gate.get(plan.plan_uri)).review.outcome == ReviewOutcome.REVIEW_OUTCOME_APPROVED


async def test_a_screen_is_brought_up_to_date_once_a_second(
    gate: Gate, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each screen has one clock, however many kinds of screen it is."""
    begun: list[str] = []
    set_interval = Frame.set_interval

    def counted(screen: Frame, seconds: float, callback: Any = None, **options: Any) -> Any:
        begun.extend([type(screen).__name__] if callback == screen.update_bars else ())
        return set_interval(screen, seconds, callback, **options)

    monkeypatch.setattr(Frame, "set_interval", counted)
    await gate.propose()
    async with at_desk(gate.address) as person:
        await person.opens("Tidy the cellar")
    assert begun == ["InboxScreen", "PlanScreen"]


async def test_rejecting_with_words(gate: Gate) -> None:
    """Enter in the box sends the words as a refusal: it approves nothing."""
    plan = await gate.propose()
    async with at_desk(gate.address) as person:
        await person.opens("Tidy the cellar")
        await person.presses("escape")
        await person.sees("Reject: what should be done differently?")
        await person.presses("enter")
        await person.sees("say what to do differently")
        assert (await gate.get(plan.plan_uri)).review.status == WAITS
        await person.types("sort it")
        await person.presses("ctrl+j")
        await person.types("first")
        await person.presses("enter")
        await person.sees("you decided: rejected")
    decision = await last_decision(gate, plan)
    assert decision.selected_option == "rejectAndTellWhatToDoDifferently"
    assert decision.feedback_text == "sort it\nfirst"


async def test_what_is_typed_after_enter_is_not_sent(gate: Gate) -> None:
    """The words are those that stood there when Enter was pressed, however fast somebody types on."""
    plan = await gate.propose()
    async with at_desk(gate.address) as person:
        await person.opens("Tidy the cellar")
        await person.presses("escape")
        await person.sees("Reject:")
        area = person.app.screen.query_one(Area)
        area.insert("no")
        for key in (Key("enter", None), Key("x", "x")):
            area.post_message(key)
        await person.sees("you decided: rejected")
        assert person.app.desk.typed == {}
    assert (await last_decision(gate, plan)).feedback_text == "no"


async def test_what_is_kept_is_what_was_sent(gate: Gate) -> None:
    """If the gate refuses the words, they are there again as they were when Enter was pressed."""
    plan = await gate.propose()
    async with at_desk(gate.address) as person:
        await person.opens("Tidy the cellar")
        await person.presses("escape")
        await person.sees("Reject:")
        await revise(gate, plan, "# Burn the cellar")
        area = person.app.screen.query_one(Area)
        area.insert("no")
        for key in (Key("enter", None), Key("x", "x")):
            area.post_message(key)
        await person.sees_no("Reject:")
        await person.can_decide()
        assert [*person.app.desk.typed.values()] == ["no"]


async def test_keys_that_decide_are_letters_in_a_box(gate: Gate) -> None:
    """Whoever writes 1, 2, r, e, c or q in a box writes just that."""
    plan = await gate.propose()
    async with at_desk(gate.address) as person:
        await person.opens("Tidy the cellar")
        await person.presses("2")
        await person.sees("Reject:")
        await person.types("12recqnu?")
        await person.sees("12recqnu?")
        for action in ("approve", "reject", "request_changes", "edit"):
            assert not person.app.screen_stack[1].check_action(action, ())
        await person.presses("escape")
        await person.sees_no("Reject:")
        assert (await gate.get(plan.plan_uri)).review.status == WAITS
        await person.can_decide()
        await person.presses("escape")
        await person.sees("12recqnu?")


async def test_requested_changes_come_back_as_a_difference(gate: Gate) -> None:
    """The next revision appears by itself, beside what was asked for."""
    plan = await gate.propose(proposal("# Tidy\n\nBurn the rest."))
    async with at_desk(gate.address) as person:
        await person.opens("Tidy")
        await person.presses("r")
        await person.sees("Request changes:")
        await person.types("give it away")
        await person.presses("enter")
        await person.sees("you decided: changes requested")
        await revise(gate, plan, "# Tidy\n\nGive the rest away.")
        await person.sees("revision 2 by", "is here: this is what changed")
        await person.sees(
            "changed since revision 1", "> give it away", "-Burn the rest.", "+Give the rest away."
        )
        await person.can_decide()
        await person.presses("1")
        await person.sees("you decided: approved")
    assert (await gate.get(plan.plan_uri)).review.outcome == ReviewOutcome.REVIEW_OUTCOME_APPROVED


async def test_a_revision_that_nobody_looked_at_is_part_of_what_changed(gate: Gate, stillness: Clock) -> None:
    """Only who pressed a key in calm has seen what was shown; until then the difference begins before it."""
    plan = await gate.propose(proposal("# Tidy the cellar\n\nSort."))
    async with at_desk(gate.address, size=TALL) as person:
        await opens_calmly(person, stillness)
        await person.presses("j")
        evil = await revise(gate, plan, "# Tidy the cellar\n\nSort.\n\nBurn the house.")
        await person.sees("revision 2 by", "changed since revision 1", "+Burn the house.")
        await person.presses("j")
        last = await revise(gate, evil, "# Tidy the cellar\n\nSort.\n\nBurn the house.\n\nSweep.")
        await person.sees("revision 3 by", "changed since revision 1", "+Burn the house.", "+Sweep.")
        await person.comes_to_rest(stillness)
        await person.presses("j")
        await revise(gate, last, "# Tidy the cellar\n\nSort.\n\nBurn the house.\n\nSweep it.")
        await person.sees("revision 4 by", "changed since revision 3", "+Sweep it.")


async def test_nobody_decides_about_a_text_that_has_just_changed(
    gate: Gate, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A key that was meant for the text before comes too early for the one after."""
    plan = await gate.propose()
    async with at_desk(gate.address) as person:
        await person.opens("Tidy the cellar")
        monkeypatch.setattr(calm, "CALM_SECONDS", 3600.0)
        await revise(gate, plan, "# Burn the cellar")
        await person.sees("revision 2 by", NEW)
        await person.presses("enter", "escape", "r", "e")
        await person.sees(NEW)
        monkeypatch.undo()
        await person.can_decide()
    assert (await gate.get(plan.plan_uri)).review.status == WAITS


async def test_words_about_a_text_that_moved_on_are_refused_and_kept(gate: Gate) -> None:
    """A stale revision is told, the new one is shown with its difference, and the words are still there."""
    plan = await gate.propose(proposal("# Tidy\n\nBurn the rest."))
    async with at_desk(gate.address, size=TALL) as person:
        await person.opens("Tidy")
        await person.presses("escape")
        await person.sees("Reject:")
        await person.types("no fire")
        await revise(gate, plan, "# Tidy\n\nGive the rest away.")
        await person.waits_until(lambda: revision_on(person) == 2, "revision 2")
        await person.presses("enter")
        await person.sees("revision 2", "-Burn the rest.", "+Give the rest away.")
        assert (await gate.get(plan.plan_uri)).review.status == WAITS
        await person.can_decide()
        await person.presses("escape")
        await person.sees("no fire")


async def test_whoever_comes_too_late_is_told_who_won(gate: Gate) -> None:
    """The first decision holds; the second person reads what it was and whose."""
    plan = await gate.propose()
    async with at_desk(gate.address) as person:
        await person.opens("Tidy the cellar")
        await person.presses("escape")
        await person.sees("Reject:")
        await person.types("no")
        await gate.decide(plan, "approve")
        await person.presses("enter")
        await person.sees("APPROVED", "local-admin")
        await person.sees("● decided")
    assert (await gate.get(plan.plan_uri)).review.outcome == ReviewOutcome.REVIEW_OUTCOME_APPROVED


async def test_a_comment_on_lines(gate: Gate) -> None:
    """It names the lines it is about, decides nothing, and stands below the plan."""
    plan = await gate.propose(proposal("# Tidy\n\nBurn the rest."))
    async with at_desk(gate.address) as person:
        await person.opens("Tidy")
        await person.presses("c")
        await person.sees("Comment:")
        await person.types("of what")
        await person.presses("shift+tab")
        await person.types("3-9")
        await person.presses("enter", "enter")
        await person.sees("the plan has the lines 1 to 3")
        await person.presses("shift+tab", "backspace", "3", "enter", "enter")
        await person.sees("your comment is on the plan")
        await person.presses("G")
        await person.sees("1 open comment", "on line 3, by", "> of what")
    assert (await gate.get(plan.plan_uri)).review.status == WAITS


async def test_a_plan_is_followed_after_the_decision(gate: Gate) -> None:
    """Delivered, acknowledged, being built, and how far the todos are: live, without a key."""
    async with AsyncClient(gate.address) as agent, at_desk(gate.address) as person:
        plan = await agent.create_plan("# Tidy", todos=["sort", "sweep"])
        await person.opens("Tidy")
        await person.presses("enter")
        await person.sees("● decided", "○ acknowledged", "○ being built")
        decision = await agent.wait(plan)
        await agent.acknowledge(decision)
        await person.sees("● delivered", "● acknowledged")
        build = await agent.build(decision)
        await build.start("todo-1")
        await person.sees("● being built", "0 of 2 todos completed, 1 in progress")
        await build.done("todo-1")
        await person.sees("1 of 2 todos completed")
        await person.presses("u")
        await person.sees("decided since you came", "building", "1 of 2 todos completed")
