"""A server that stops ends its streams so that they go on elsewhere, without a gap or a repeat."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from plangate_proto.agent.v1.plan_resource_pb2 import Plan
from plangate_proto.agent.v1.plan_service_pb2 import ReviewPlanRequest
from plangate_proto.aiserver.v1.plan_service_pb2 import ReviewPlanRequest as AiserverReviewRequest
from plangate_server import app
from plangate_server.rpc import plan_servicer
from plangate_server.usecases.create_plan import create_plan
from tests.helpers.conditions import PATIENCE
from tests.helpers.gate import Gate, open_gate, proposal
from tests.helpers.refusals import refused
from tests.helpers.streams import cut_off, next_of, rest_of, types
from tests.rpc.bad_requests import AISERVER_REVIEW, CREATE, REVIEW, Bad


def follow(gate: Gate, plan: Plan, cursor: str = "") -> Any:
    """A stream that goes on after an approval."""
    return gate.agent.ReviewPlan(ReviewPlanRequest(plan_uri=plan.plan_uri, cursor=cursor, follow=True))


def aiserver_review(gate: Gate, plan: Plan, cursor: str = "") -> Any:
    """A stream that goes on after requested changes."""
    return gate.aiserver.ReviewPlan(AiserverReviewRequest(plan_uri=plan.plan_uri, cursor=cursor))


async def stop(gate: Gate, stream: Any, method: str = REVIEW) -> str:
    """Stop the server; give the cursor with which it ends the stream, which must tell nothing more."""
    await gate.stop()
    told, refusal = await cut_off(stream)
    cursor = refusal.metadata["cursor"]
    Bad(method, "SHUTTING_DOWN", b"", {"cursor": cursor}).check(refusal)
    assert told == []
    return cursor


async def test_a_waiting_stream_resumes_on_the_next_server(tmp_path: Path) -> None:
    """The cursor in the refusal leads a new server to what happens next, and only to that."""
    async with open_gate(tmp_path / "plangate.db") as gate:
        plan = await gate.propose()
        stream = gate.agent.ReviewPlan(ReviewPlanRequest(plan_uri=plan.plan_uri))
        snapshot = (await next_of(stream)).event
        cursor = await stop(gate, stream)
    assert cursor == snapshot.cursor
    async with open_gate(tmp_path / "plangate.db") as gate:
        await gate.decide(plan, "approve")
        request = ReviewPlanRequest(plan_uri=plan.plan_uri, cursor=cursor)
        events = [response.event for response in await rest_of(gate.agent.ReviewPlan(request))]
    assert types(events) == ["PLAN_APPROVED"]


@pytest.mark.parametrize(
    ("open_stream", "method", "option", "told"),
    [
        (follow, REVIEW, "approve", "PLAN_APPROVED"),
        (aiserver_review, AISERVER_REVIEW, "requestChanges", "PLAN_MODIFICATION_REQUESTED"),
    ],
)
async def test_what_was_told_is_not_told_again(
    tmp_path: Path, open_stream: Any, method: str, option: str, told: str
) -> None:
    """A stream that was cut off behind an event goes on behind it, however often it is cut off."""
    async with open_gate(tmp_path / "plangate.db") as gate:
        plan = await gate.propose()
        stream = open_stream(gate, plan)
        await next_of(stream)
        await gate.decide(plan, option, "Sweep twice")
        events = [(await next_of(stream)).event for _ in range(2)]
        assert types(events) == [told, "DECISION_DELIVERED"]
        cursor = await stop(gate, stream, method)
    assert cursor == events[-1].cursor
    for _ in range(2):
        async with open_gate(tmp_path / "plangate.db") as gate:
            stream, later = open_stream(gate, plan, cursor), open_stream(gate, plan)
            await next_of(later)  # so the server has the call that was made before it, too
            assert await stop(gate, stream, method) == cursor


async def test_every_stream_is_let_go(gate: Gate) -> None:
    """Of many streams over many plans, each ends with the reason and a cursor of its own."""
    plans = [await gate.propose() for _ in range(5)]
    requests = [ReviewPlanRequest(plan_uri=plan.plan_uri) for plan in plans * 4]
    streams = [gate.agent.ReviewPlan(request) for request in requests]
    cursors = [(await next_of(stream)).event.cursor for stream in streams]
    await gate.stop()
    refusals = [(await cut_off(stream))[1] for stream in streams]
    assert [refusal.metadata["cursor"] for refusal in refusals] == cursors
    assert {(refusal.status, refusal.reason) for refusal in refusals} == {("UNAVAILABLE", "SHUTTING_DOWN")}


async def test_a_write_under_way_is_answered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A call that has begun when the server stops is finished, answered and kept; a later one is refused."""
    monkeypatch.setattr(app, "GRACE_SECONDS", 2 * PATIENCE)
    begun, go_on = asyncio.Event(), asyncio.Event()

    async def create_plan_slowly(*args: Any) -> Any:
        begun.set()
        await go_on.wait()
        return await create_plan(*args)

    async with open_gate(tmp_path / "plangate.db") as gate:
        stream = follow(gate, await gate.propose(proposal("# First")))
        await next_of(stream)
        monkeypatch.setattr(plan_servicer, "create_plan", create_plan_slowly)
        write = asyncio.ensure_future(gate.propose(proposal("# Second")))
        await begun.wait()
        stopping = asyncio.ensure_future(gate.stop())
        await cut_off(stream)  # now it is shutting down
        refusal = await refused(gate.propose(proposal("# Third")))
        Bad(CREATE, "SHUTTING_DOWN", b"", {}).check(refusal)
        go_on.set()
        plan = await write
        await stopping
    async with open_gate(tmp_path / "plangate.db") as gate:
        assert await gate.get(plan.plan_uri) == plan
        assert len(await gate.plans()) == 2, "what was refused did not happen"
