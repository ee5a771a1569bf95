"""The inbox: what waits appears by itself, the oldest first, and what is decided goes down."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

import pytest

from plangate import AsyncClient
from plangate.tui.inbox import NOTHING
from plangate.tui.rows import MARK
from plangate_proto.agent.v1.tool_approval_service_pb2 import ApprovalPrompt, WatchApprovalsResponse
from tests.helpers.gate import Gate, proposal
from tests.helpers.tool_calls import call
from tests.tui.person import at_desk


async def test_what_is_proposed_arrives_without_a_key(gate: Gate) -> None:
    """Plans and tool calls of every session, the oldest first, with who asks, how much, and until when."""
    async with at_desk(gate.address) as person, AsyncClient(gate.address) as agent:
        await person.sees("nothing waits for a decision", "nothing waits")
        await agent.create_plan("# Tidy", todos=["a", "b"], agent_id="tidy-bot", session_id="s1")
        await person.sees("plan  Tidy", "waits ", "by tidy-bot, session s1, 2 todos", "1 decision to make")
        await gate.ask(call("make test\nmake install", session_id="s2", agent_id="builder"))
        await gate.ask(call("make", "c2", session_id="s2"))
        await person.sees("call  bash: make test … (+1 line)", "session s2, terminal, 1 more call after it")
        await agent.create_plan("# Sweep", expires_after=timedelta(hours=2), required_approvals=2)
        await person.sees("plan  Sweep", "expires in 1 h, 0/2 approvals", "3 decisions to make")


async def test_the_oldest_comes_first_and_the_mark_stays(gate: Gate) -> None:
    """What arrives or goes does not move the mark to another plan."""
    one, two = await gate.propose(proposal("# One")), await gate.propose(proposal("# Two"))
    async with at_desk(gate.address) as person:
        await person.sees("plan  One", "plan  Two")
        assert person.screen.index("plan  One") < person.screen.index("plan  Two")
        await person.presses("j")
        await gate.propose(proposal("# Three"))
        await person.sees("plan  Three")
        await gate.decide(one, "approve")
        await person.sees_no("plan  One")
        await person.presses("enter")
        await person.sees("Two  (in review")
        await person.presses("u")
        await gate.decide(two, "reject", "no")
        await person.sees("decided since you came", "rejected", "approved")


@pytest.mark.parametrize("late", ["watch", "prompts"])
async def test_nothing_is_marked_before_all_that_waits_is_told(
    gate: Gate, monkeypatch: pytest.MonkeyPatch, late: str
) -> None:
    """Whichever stream is late: Enter opens nothing until the oldest is known, and then just that one."""
    await gate.propose(proposal("# One"))
    await gate.ask(call("make test"))
    await gate.propose(proposal("# Two"))
    goes_on = hold_back(monkeypatch, late)
    async with at_desk(gate.address) as person:
        inbox = person.app.desk.inbox
        await person.waits_until(lambda: bool(inbox.waiting()), "half of what waits")
        await person.sees("asking the gate what waits")
        await person.presses("enter")
        goes_on.set()
        await person.sees(f"{MARK}plan  One", "call  bash: make test", "plan  Two", "3 decisions to make")
        await person.opens("plan  One")
        await person.sees("One  (in review")


async def test_after_a_decision_the_next_that_waits_is_marked(gate: Gate) -> None:
    """Back in the inbox, Enter opens what is marked: what waits, never again what was just decided."""
    for name in ("One", "Two", "Three"):
        await gate.propose(proposal(f"# {name}"))
    async with at_desk(gate.address) as person:
        await person.sees(f"{MARK}plan  One")
        await person.presses("j")
        for name, following in (("Two", "Three"), ("Three", "One")):
            await person.opens(f"{MARK}plan  {name}")
            await person.presses("enter")
            await person.sees(f"{name}  (approved", "you decided: approved")
            await person.presses("u")
            await person.sees(f"{MARK}plan  {following}")
        await person.presses("enter")
        await person.sees("One  (in review")


async def test_what_arrives_is_marked_if_nothing_else_waits(gate: Gate) -> None:
    """What was decided is marked as long as there is nothing else; whoever goes there stays there."""
    await gate.propose(proposal("# One"))
    async with at_desk(gate.address) as person:
        await person.opens("One")
        await person.presses("enter")
        await person.sees("you decided: approved")
        await person.presses("u")
        await person.sees(NOTHING, f"{MARK}One")
        two = await gate.propose(proposal("# Two"))
        await person.sees(f"{MARK}plan  Two")
        await person.presses("j")
        await person.sees(f"{MARK}One")
        await gate.propose(proposal("# Three"))
        await gate.decide(two, "approve")
        await person.sees("plan  Three", f"{MARK}One")
        await person.presses("enter")
        await person.sees("One  (approved")


async def test_where_somebody_went_is_marked_when_they_come_back(gate: Gate) -> None:
    """They went on to the next without the inbox: it marks what they looked at last."""
    for name in ("One", "Two", "Three"):
        await gate.propose(proposal(f"# {name}"))
    async with at_desk(gate.address) as person:
        await person.opens("One")
        await person.presses("n")
        await person.sees("Two  (in review")
        await person.presses("u")
        await person.sees(f"{MARK}plan  Two")


async def test_until_somebody_chooses_the_oldest_is_marked(gate: Gate) -> None:
    """Also if it is told of after a younger one."""
    await gate.propose(proposal("# Young"))
    async with at_desk(gate.address) as person:
        await person.sees(f"{MARK}plan  Young")
        prompt = ApprovalPrompt(call_id="c", session_id="old", tool_name="bash", command="make")
        prompt.request_time.FromSeconds(1)
        person.app.desk.inbox.hear_call(WatchApprovalsResponse(session_id="old", prompt=prompt))
        await person.sees(f"{MARK}call  bash: make")


def hold_back(monkeypatch: pytest.MonkeyPatch, name: str) -> asyncio.Event:
    """A stream of the client tells nothing until the event is set."""
    goes_on, stream = asyncio.Event(), getattr(AsyncClient, name)

    async def held(*args: Any) -> AsyncIterator[Any]:
        await goes_on.wait()
        async for told in stream(*args):
            yield told

    monkeypatch.setattr(AsyncClient, name, held)
    return goes_on


async def test_the_next_that_waits(gate: Gate) -> None:
    """From plan to call to plan, without the inbox between them."""
    await gate.propose(proposal("# One"))
    await gate.ask(call("make test"))
    async with at_desk(gate.address) as person:
        await person.opens("plan  One")
        await person.sees("2 decisions to make")
        await person.presses("n")
        await person.sees("   1 │ make test", "asked for by builder")
        await person.presses("n")
        await person.sees("One  (in review")
        await gate.answer("APPROVED")
        await person.sees("1 decision to make")
        await person.presses("n")
        await person.sees("nothing else waits")


async def test_the_help_lists_the_keys(gate: Gate) -> None:
    """On every screen, and any of the keys that close things closes it."""
    await gate.propose(proposal("# One"))
    async with at_desk(gate.address) as person:
        await person.sees("plan  One")
        await person.presses("question_mark")
        await person.sees("open what is marked")
        await person.presses("escape")
        await person.sees_no("open what is marked")
        await person.opens("One")
        await person.presses("question_mark")
        await person.sees("request changes, with words", "edit it in $EDITOR", "Esc closes this")
        await person.presses("q")
        await person.sees_no("Esc closes this")
        await person.presses("q")
        await person.waits_until(lambda: not person.app.is_running, "end")
