"""A gate that goes away and comes back: the screen says so, and catches up by itself."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from grpc import StatusCode

from plangate import AsyncClient, Client
from plangate.cli._exits import FAILED
from plangate.errors import PlanNotFound
from plangate.tui.app import ENDED
from plangate.tui.desk import MOST_KEPT, Latest
from plangate.tui.state import Inbox
from plangate_proto.agent.v1.access_token_service_pb2 import CreateTokenRequest, Role
from plangate_proto.agent.v1.plan_resource_pb2 import Plan
from plangate_proto.agent.v1.review_event_pb2 import ReviewEvent
from plangate_proto.agent.v1.review_resource_pb2 import ReviewStatus
from plangate_proto.agent.v1.tool_approval_service_pb2 import ApprovalPrompt, WatchApprovalsResponse
from tests.helpers.gate import Gate, proposal
from tests.helpers.gate_process import gate_process
from tests.tui.person import at_desk

LOST = "trying again"


async def test_the_screen_says_that_no_gate_answers_and_catches_up(tmp_path: Path) -> None:
    """While it is away nothing can be decided; afterwards everything is there that happened in between."""
    with ExitStack() as stack:
        address = stack.enter_context(gate_process(tmp_path))
        with Client(address) as client:
            plan = await asyncio.to_thread(client.create_plan, "# Tidy the cellar")
        async with at_desk(address) as person:
            await person.opens("Tidy the cellar")
            await asyncio.to_thread(stack.close)
            await person.sees(LOST, "nothing can be decided while no gate answers")
            await person.presses("enter")
            again = gate_process(tmp_path, listen=address)
            await asyncio.to_thread(stack.enter_context, again)
            with Client(address) as client:
                assert client.get_plan(plan).review.status == ReviewStatus.REVIEW_STATUS_REQUESTED
                await asyncio.to_thread(client.create_plan, "# Sweep the yard")
                await person.sees("2 decisions to make")
                await person.sees_no(LOST)
                await person.can_decide()
                await asyncio.to_thread(client.decide, plan, "approve")
                await person.sees("● decided", "1 decision to make")
            await person.presses("u")
            await person.sees("Sweep the yard", "decided since you came")


async def test_a_token_that_ends_ends_the_screen(tmp_path: Path) -> None:
    """What time does not cure is said once, in words, instead of a screen that stands still."""
    with gate_process(tmp_path) as address, Client(address) as client:
        wanted = CreateTokenRequest(name="desk", person="ada", role=Role.ROLE_REVIEWER)
        made = await asyncio.to_thread(client.create_token, wanted)
        async with at_desk(address, token=made.secret) as person:
            await person.sees("nothing waits for a decision", "as desk")
            await asyncio.to_thread(client.revoke_token, made.token.token_id)
            await person.waits_until(lambda: not person.app.is_running, "end")
        assert "the credentials are unknown, expired or revoked" in (person.app.return_value or "")
        assert person.app.return_code == FAILED


async def test_an_observer_looks_and_decides_nothing(tmp_path: Path) -> None:
    """The screen says so instead of offering choices."""
    with gate_process(tmp_path) as address, Client(address) as client:
        wanted = CreateTokenRequest(name="glass", person="ada", role=Role.ROLE_OBSERVER)
        made = await asyncio.to_thread(client.create_token, wanted)
        plan = await asyncio.to_thread(client.create_plan, "# Tidy the cellar")
        async with at_desk(address, token=made.secret) as person:
            await person.sees("plan  Tidy the cellar")
            await person.presses("enter")
            await person.sees("your token lets you look, not decide")
            await person.presses("enter", "escape", "r", "e")
            await person.sees("your token lets you look, not decide")
        assert client.get_plan(plan).review.status == ReviewStatus.REVIEW_STATUS_REQUESTED


async def test_a_stream_that_ends_ends_the_screen(gate: Gate, monkeypatch: pytest.MonkeyPatch) -> None:
    """Even if the gate calls it well: a screen that hears nothing more must not look alive."""
    ends = asyncio.Event()

    async def prompts(_: AsyncClient) -> AsyncIterator[WatchApprovalsResponse]:
        yield WatchApprovalsResponse(checkpoint=True)
        await ends.wait()

    monkeypatch.setattr(AsyncClient, "prompts", prompts)
    async with at_desk(gate.address) as person:
        await person.sees("nothing waits for a decision")
        ends.set()
        await person.waits_until(lambda: not person.app.is_running, "end")
    assert (person.app.return_value, person.app.return_code) == (ENDED, FAILED)


async def test_a_plan_that_is_gone_hinders_nothing(gate: Gate, monkeypatch: pytest.MonkeyPatch) -> None:
    """It leaves the inbox; the others are asked for all the same."""
    gone, _ = await gate.propose(proposal("# Gone")), await gate.propose(proposal("# Here"))
    get_plan = AsyncClient.get_plan

    async def get(client: AsyncClient, plan: Plan) -> Plan:
        if plan.plan_uri == gone.plan_uri:
            raise PlanNotFound("it is gone", code=StatusCode.NOT_FOUND)
        return await get_plan(client, plan)

    async with at_desk(gate.address) as person:
        await person.sees("plan  Gone", "plan  Here")
        monkeypatch.setattr(AsyncClient, "get_plan", get)
        person.app.desk.connection.tell(None)
        await person.sees_no("plan  Gone")
        await person.sees("plan  Here", "1 decision to make")


def asks(session_id: str, call_id: str = "") -> WatchApprovalsResponse:
    prompt = ApprovalPrompt(session_id=session_id, call_id=call_id) if call_id else None
    return WatchApprovalsResponse(session_id=session_id, prompt=prompt)


def test_a_call_that_comes_while_catching_up_is_not_lost() -> None:
    """Only what was known before asking can be forgotten by the answer."""
    inbox = Inbox()
    inbox.hear_call(asks("s", "old"))
    inbox.hear_call(asks("t", "ended"))
    before = inbox.asked_calls()
    inbox.hear_call(asks("s", "new"))
    inbox.hear_call(asks("u", "newer"))
    inbox.forget_calls(before)
    assert inbox.asked_calls() == {("s", "new"), ("u", "newer")}


def test_a_long_day_does_not_fill_the_memory() -> None:
    """What waits is kept, and of what ended the last twenty, without their texts."""
    inbox, status = Inbox(), ReviewStatus
    for number in range(100):
        plan = Plan(plan_uri=f"plan://{number}", plan="long", revision=1)
        plan.review.status = status.REVIEW_STATUS_DONE if number else status.REVIEW_STATUS_REQUESTED
        plan.review.decide_time.FromSeconds(number)
        inbox.hear(ReviewEvent(plan_uri=plan.plan_uri, plan=plan))
        inbox.hear_call(asks(f"s{number}", "" if number else "c"))
    assert [plan.plan_uri for plan in inbox._plans.values()] == [
        "plan://0",
        *(f"plan://{number}" for number in range(80, 100)),
    ]
    assert {plan.plan for plan in inbox.decided()} == {""}
    assert [*inbox.calls] == ["s0", *(f"s{number}" for number in range(80, 100))]


def test_of_what_was_typed_the_latest_is_kept() -> None:
    """The words that somebody just typed are never the ones that are forgotten."""
    typed = Latest[str]()
    typed["first"] = "a"
    for number in range(MOST_KEPT):
        typed["first"] = typed[f"{number}"] = "b"
    assert len(typed) == MOST_KEPT
    assert "first" in typed
    assert "0" not in typed
