"""The one stream that a page listens to."""

from __future__ import annotations

import pytest

from plangate_proto.agent.v1.access_token_service_pb2 import CreateTokenRequest, RevokeTokenRequest, Role
from tests.helpers.gate import Gate
from tests.helpers.tool_calls import call
from tests.helpers.visitor import Visitor


@pytest.fixture
async def visitor(gate: Gate) -> Visitor:
    visitor = Visitor(gate.web)
    await visitor.sign_in()
    return visitor


async def test_what_waits_then_what_happens(gate: Gate, visitor: Visitor) -> None:
    """A snapshot of each open review, and then everything, live."""
    plan = await gate.propose()
    async with visitor.listening() as live:
        first = await live.until("SNAPSHOT")
        assert first.data["event"]["plan"]["digest"] == plan.digest
        await live.until("CHECKPOINT")
        await gate.decide(plan, "reject", "not now")
        told = await live.until("PLAN_REJECTED")
    assert told.data["event"]["review"]["decisions"][0]["feedbackText"] == "not now"


async def test_a_lost_line_goes_on_where_it_was(gate: Gate, visitor: Visitor) -> None:
    """By the id of the last event; nothing is told twice, and nothing is missed."""
    async with visitor.listening() as live:
        await live.opened()
        last = live.last_id
    plans = [await gate.propose() for _ in range(3)]
    async with visitor.listening(last_id=last) as live:
        told = [await live.until("PLAN_CREATED", "SNAPSHOT") for _ in plans]
    assert [each.data["event"]["planId"] for each in told] == [plan.plan_id for plan in plans]
    assert {each.data["event"]["type"] for each in told} == {"REVIEW_EVENT_TYPE_PLAN_CREATED"}


async def test_a_gate_where_nothing_has_happened_yet(gate: Gate, visitor: Visitor) -> None:
    """What it says first has a place, too, from which the page goes on."""
    async with visitor.listening() as live:
        await live.opened()
        last = live.last_id
    assert all(last.split("~"))
    plan = await gate.propose()
    async with visitor.listening(last_id=last) as live:
        told = await live.until("PLAN_CREATED", "SNAPSHOT")
    assert (told.data["event"]["planId"], told.data["event"]["type"]) == (
        plan.plan_id,
        "REVIEW_EVENT_TYPE_PLAN_CREATED",
    )


async def test_a_place_that_is_not_known(gate: Gate, visitor: Visitor) -> None:
    """The page is told to begin anew, and gets what waits."""
    plan = await gate.propose()
    async with visitor.listening(last_id="nonsense~nonsense") as live:
        told = await live.next()
        assert told is not None
        assert told.kind == "reset"
        assert (await live.until("SNAPSHOT")).data["event"]["planId"] == plan.plan_id


async def test_tool_calls_come_too(gate: Gate, visitor: Visitor) -> None:
    """With the token that answers them."""
    async with visitor.listening() as live:
        await live.opened()
        await gate.ask(call())
        told = await live.until("prompt")
        while "prompt" not in told.data:
            told = await live.until("prompt")
    assert told.data["prompt"]["command"] == call().command
    assert told.data["prompt"]["authorityToken"]


async def test_it_ends_with_its_token(gate: Gate) -> None:
    """Who is revoked while listening learns why, and hears nothing more."""
    made = await gate.tokens.CreateToken(CreateTokenRequest(name="bob", role=Role.ROLE_REVIEWER))
    visitor = Visitor(gate.web)
    await visitor.sign_in(made.secret)
    async with visitor.listening() as live:
        await live.opened()
        await gate.tokens.RevokeToken(RevokeTokenRequest(token_id=made.token.token_id))
        told = await live.until("end")
        assert told.data["error"]["reason"] == "INVALID_CREDENTIALS"
        assert await live.next() is None


async def test_a_listener_counts_as_a_reviewer_who_watches(gate: Gate, visitor: Visitor) -> None:
    """So that an agent knows that somebody is there."""
    async with visitor.listening() as live:
        await live.opened()
        assert (await gate.propose()).review.reviewers_watching == 1


async def test_it_ends_when_the_gate_stops(gate: Gate, visitor: Visitor) -> None:
    """And says so, with the place to go on from."""
    async with visitor.listening() as live:
        await live.opened()
        await gate.stop()
        told = await live.until("end")
    assert told.data["error"]["reason"] == "SHUTTING_DOWN"
    assert live.last_id
