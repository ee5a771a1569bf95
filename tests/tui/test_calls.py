"""Tool calls on the full screen: the exact command, one at a time, and what is remembered said in words."""

from __future__ import annotations

from functools import partial

import pytest

from plangate.tui import deciding, remember_box
from plangate.tui.calm import CALM_SECONDS, NEW, Calm
from plangate.tui.remember_box import RememberBox
from plangate_proto.agent.v1.tool_approval_service_pb2 import (
    CancelApprovalRequest,
    ListApprovalsRequest,
    ListRememberedRequest,
    RememberScope,
)
from tests.helpers.gate import Gate
from tests.helpers.tool_calls import call, outcome, patch, states
from tests.tui.person import Clock, Person, at_desk


async def answers(gate: Gate) -> dict[str, tuple[str, str, str, str]]:
    request = ListApprovalsRequest(states=states("DECIDED"))
    return {each.call_id: outcome(each) for each in (await gate.approvals.ListApprovals(request)).approvals}


async def settled(person: Person) -> None:
    """The box has shown what it says for a moment."""
    box = person.app.screen
    assert isinstance(box, RememberBox)
    await person.waits_until(lambda: not box.calm.left(), "calm")


async def test_one_call_after_the_other(gate: Gate) -> None:
    """Approved once; then the next one is shown, with what was said last and how many follow."""
    for number in (1, 2, 3):
        await gate.ask(call(f"make target-{number}", f"c{number}", prompt="to see it"))
    async with at_desk(gate.address) as person:
        await person.opens("call  bash: make target-1")
        await person.sees("   1 │ make target-1", "> to see it", "2 more calls of the session after it")
        await person.presses("enter")
        await person.sees(
            "c1: approved by ada", "   1 │ make target-2", "last    bash make target-1: approved"
        )
        await person.can_decide()
        await person.presses("escape")
        await person.sees("Deny: what should be done differently?")
        await person.types("not now")
        await person.presses("enter")
        await person.sees("c2: denied by ada", "   1 │ make target-3")
    told = await answers(gate)
    assert told["c2"] == ("DECIDED", "DENIED", "MANUAL", "ada")


async def test_the_next_call_is_not_answered_by_a_key_for_the_one_before(
    gate: Gate, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It takes its place on the screen, and has a moment of calm of its own."""
    await gate.ask(call("make test", "c1"))
    await gate.ask(call("rm -rf build", "c2"))
    async with at_desk(gate.address) as person:
        await person.opens("make test")
        inbox = person.app.desk.inbox
        # From the moment on when the second call is there, it is always new.
        monkeypatch.setattr(Calm, "left", lambda _: float(inbox.calls["s"].prompt.call_id == "c2"))
        await person.presses("enter")
        await person.sees("   1 │ rm -rf build", "one moment: this is new")
        await person.presses("enter", "s", "escape")
        await person.sees("one moment: this is new")
    assert [*await answers(gate)] == ["c1"]


async def test_a_key_that_is_held_down_answers_one_call(gate: Gate, monkeypatch: pytest.MonkeyPatch) -> None:
    """The next one takes its place on the same screen, and needs a second without a key that decides."""
    clock = Clock()
    monkeypatch.setattr(deciding, "Calm", partial(Calm, clock))
    for number in (1, 2, 3):
        await gate.ask(call(f"make target-{number}", f"c{number}"))
    async with at_desk(gate.address) as person:
        await person.sees("call  bash: make target-1")
        await person.presses("enter")
        await person.comes_to_rest(clock)
        await person.presses("enter")
        await person.sees("   1 │ make target-2", NEW)
        clock.passes(0.7)
        await person.holds_down("enter", clock)
        await person.comes_to_rest(clock)
        await person.sees("   1 │ make target-2")
    assert [*await answers(gate)] == ["c1"]


async def test_a_key_that_is_held_down_remembers_nothing(gate: Gate, monkeypatch: pytest.MonkeyPatch) -> None:
    """Enter leads from what is typed to the answers, and goes on coming: it gives none."""
    clock = Clock()
    monkeypatch.setattr(remember_box, "Calm", partial(Calm, clock))
    await gate.ask(call("make test", "c1"))
    async with at_desk(gate.address) as person:
        await person.opens("make test")
        await person.presses("m")
        await person.sees("… every call that is the same in this session")
        await person.presses("tab")
        clock.passes(CALM_SECONDS)
        await person.holds_down("enter", clock)
        await person.sees("… every call that is the same in this session")
    assert await answers(gate) == {}


async def test_remembering_says_what_it_reaches(gate: Gate) -> None:
    """The words follow the pattern and the time that are typed, and what is remembered is what they say."""
    await gate.ask(call("make test", "c1"))
    await gate.ask(call("make install", "c2"))
    async with at_desk(gate.address) as person:
        await person.opens("make test")
        await person.presses("m")
        await person.sees("… every call that is the same in this session")
        await person.sees("… every call that is the same in every session of the workspace")
        await person.presses("tab")
        await person.types("make *")
        await person.presses("enter", "tab", "tab")
        await person.types("2")
        await person.sees("'2' is no duration")
        await person.types("h")
        await person.sees("… every 'make *' in this session for 2 h")
        await person.presses("enter", "down")
        await settled(person)
        await person.presses("enter")
        await person.sees("no tool call waits for an answer")
    told = await answers(gate)
    assert told["c1"] == ("DECIDED", "APPROVED", "MANUAL", "ada")
    assert told["c2"][2] == "AUTO"
    [kept] = (await gate.approvals.ListRemembered(ListRememberedRequest())).remembered
    assert (kept.signature, kept.is_pattern) == ("make *", True)
    assert kept.scope == RememberScope.REMEMBER_SCOPE_WORKSPACE
    assert kept.HasField("expire_time")


async def test_for_this_session(gate: Gate) -> None:
    """One key says yes to the same call for the rest of the session."""
    await gate.ask(call("make test", "c1"))
    async with at_desk(gate.address) as person:
        await person.opens("make test")
        await person.presses("s")
        await person.sees("c1: approved for session by ada")
        await gate.ask(call("make test", "c2"))
    assert (await answers(gate))["c2"][2] == "AUTO"


async def test_what_cannot_be_remembered_is_not_offered(gate: Gate) -> None:
    """A compound command is asked about each time."""
    await gate.ask(call("make test && rm -rf build", "c1"))
    async with at_desk(gate.address) as person:
        await person.opens("make test")
        assert "remember" not in person.screen
        await person.presses("m")
        await person.sees("cannot be remembered")
    assert await answers(gate) == {}


async def test_a_patch_is_shown_whole(gate: Gate) -> None:
    """Line by line, as it would be applied."""
    await gate.ask(patch())
    async with at_desk(gate.address) as person:
        await person.opens("call  apply_patch")
        await person.sees("│ -dusty", "│ +clean")


async def test_a_call_that_is_taken_back(gate: Gate) -> None:
    """It goes from the screen, and there is nothing left to decide."""
    await gate.ask(call("make test", "c1"))
    async with at_desk(gate.address) as person:
        await person.opens("make test")
        await gate.approvals.CancelApproval(CancelApprovalRequest(session_id="s", call_id="c1"))
        await person.sees("no tool call waits for an answer")
        await person.presses("enter")
    assert await answers(gate) == {}
