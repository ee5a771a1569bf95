"""What Prometheus reads from a running gate."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import grpc
import pytest

from plangate_proto.agent.v1.create_plan_tool_pb2 import CreatePlanArgs
from plangate_proto.agent.v1.plan_service_pb2 import CreatePlanRequest, GetPlanRequest
from plangate_proto.agent.v1.todo_tools_pb2 import TodoItem
from plangate_server.rpc import plan_servicer
from plangate_server.web import scrape as scrape_module
from plangate_server.web import waiting
from tests.helpers.conditions import PATIENCE
from tests.helpers.gate import Gate, open_gate
from tests.helpers.refusals import refused
from tests.helpers.scraping import ask, scrape, scrape_until
from tests.helpers.tool_calls import NO, call
from tests.rpc.bad_requests import CREATE, LIST, SUBMIT
from tests.rpc.steps import watching
from tests.rpc.test_boundary import fail

WATCH = "/aiserver.v1.PlanReviewService/WatchReviews"
CANARY = "cAnArY-hunter2"


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every scrape looks anew, and asks the database."""
    for kept in (scrape_module, waiting):
        monkeypatch.setattr(kept, "FRESH_SECONDS", 0)
    monkeypatch.setattr(waiting, "PATIENCE_SECONDS", PATIENCE)


async def test_a_call_is_counted_and_timed(gate: Gate) -> None:
    """Under its method and its status, once; the event loop of the web port does not show."""
    before = await scrape(gate.web)
    await gate.propose()
    numbers = await scrape(gate.web)
    assert (before.calls(CREATE, "OK"), numbers.calls(CREATE, "OK")) == (0, 1)
    assert numbers("plangate_call_seconds_count", method=CREATE) == 1
    assert 0 < numbers("plangate_call_seconds_sum", method=CREATE) < PATIENCE
    told = numbers("plangate_event_lag_seconds_count") - before("plangate_event_lag_seconds_count")
    assert told == 2, "the plan and that people are asked"
    assert numbers("plangate_writer_batch_size_count") > before("plangate_writer_batch_size_count")


async def test_a_refusal_and_a_fault_are_told_apart(gate: Gate, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each counts under its own status."""
    await refused(gate.agent.GetPlan(GetPlanRequest(plan_uri="nonsense")))
    monkeypatch.setattr(plan_servicer, "list_plans", fail)
    await refused(gate.plans())
    numbers = await scrape(gate.web)
    assert numbers.calls("/agent.v1.PlanService/GetPlan", "INVALID_ARGUMENT") == 1
    assert numbers.calls(LIST, "INTERNAL") == 1
    assert numbers.calls(LIST, "OK") == 0
    assert "hunter2" not in numbers.text


async def test_a_review_waits_until_it_is_decided(gate: Gate) -> None:
    """And how long that took is counted when a person has decided."""
    plan = await gate.propose()
    before = await scrape(gate.web)
    await gate.decide(plan, "approve")
    after = await scrape(gate.web)
    name = "plangate_pending_reviews"
    assert (before(name), after(name)) == (1, 0)
    assert after.calls(SUBMIT, "OK") == 1
    name = "plangate_decision_seconds_count"
    assert (before(name), after(name)) == (0, 1)


async def test_a_tool_call_waits_until_it_is_answered(gate: Gate) -> None:
    """In the queue or at its head."""
    await gate.ask(call(call_id="c1"))
    await gate.ask(call("make lint", call_id="c2"))
    assert (await scrape(gate.web))("plangate_waiting_tool_calls") == 2
    for left in (1, 0):
        await gate.answer(NO)
        assert (await scrape(gate.web))("plangate_waiting_tool_calls") == left


async def test_a_stream_is_open_until_its_reader_leaves(gate: Gate) -> None:
    """Then the number is as it was before, and the stream counts as a call."""
    streams = [(await watching(gate))[0] for _ in range(3)]
    numbers = await scrape(gate.web)
    assert numbers("plangate_open_streams", method=WATCH) == 3
    assert numbers.calls(WATCH, "CANCELLED") == 0
    for stream in streams:
        stream.cancel()
    numbers = await scrape_until(
        gate.web, lambda numbers: numbers("plangate_open_streams", method=WATCH) == 0
    )
    assert numbers.calls(WATCH, "CANCELLED") == 3
    assert numbers("plangate_stream_queue_length") == 0


async def test_many_calls_at_once_are_all_counted(gate: Gate) -> None:
    """None is lost, none counts twice, while others scrape."""
    calls = (gate.propose() for _ in range(100))
    await asyncio.gather(*calls, *(scrape(gate.web) for _ in range(5)))
    numbers = await scrape(gate.web)
    assert numbers.calls(CREATE, "OK") == numbers("plangate_pending_reviews") == 100
    assert numbers("plangate_call_seconds_bucket", method=CREATE, le="+Inf") == 100
    assert numbers("plangate_writer_queue_length") == 0


async def test_nothing_that_callers_wrote_is_told(gate: Gate) -> None:
    """Neither texts nor ids nor the names of methods that they made up, whatever became of the call."""
    request = CreatePlanRequest(
        args=CreatePlanArgs(plan=f"# {CANARY}", name=CANARY, todos=[TodoItem(id=CANARY, content=CANARY)]),
        session_id=CANARY,
        agent_id=CANARY,
        tool_call_id=CANARY,
        request_id=CANARY,
    )
    metadata = (("x-request-id", CANARY), ("x-canary", CANARY))
    plan = (await gate.agent.CreatePlan(request, metadata=metadata)).plan
    stream, _ = await watching(gate)
    await gate.decide(plan, "requestChanges", CANARY)
    await gate.ask(call(CANARY, CANARY, session_id=CANARY, agent_id=CANARY, tool_name=CANARY))
    await refused(gate.agent.GetPlan(GetPlanRequest(plan_uri=CANARY)))
    made_up: Any = gate.channel.unary_unary(f"/{CANARY}/{CANARY}")
    with pytest.raises(grpc.aio.AioRpcError, match="UNIMPLEMENTED"):
        await made_up(CANARY.encode(), metadata=metadata)
    numbers = await scrape(gate.web)
    stream.cancel()
    assert numbers.calls("unknown", "UNIMPLEMENTED") == 1
    assert CANARY.lower() not in numbers.text.lower()
    elsewhere = await ask(gate.web, f"/{CANARY}?{CANARY}", **{CANARY: CANARY})
    assert (elsewhere.status, CANARY in elsewhere.text) == (404, False)
    assert CANARY.lower() not in (await scrape(gate.web)).text.lower()


async def test_labels_are_bounded(gate: Gate) -> None:
    """Methods that exist, statuses of gRPC, the version and the ends of buckets: nothing else is a label."""
    plan = await gate.propose()
    await gate.decide(plan, "approve")
    numbers = await scrape(gate.web)
    assert {name for name, _ in numbers.labels} == {"method", "status", "version", "le"}
    statuses = {value for name, value in numbers.labels if name == "status"}
    assert statuses <= {status.name for status in grpc.StatusCode}
    methods = {value for name, value in numbers.labels if name == "method"}
    assert {method.split("/")[1] for method in methods - {"unknown"}} == {
        *("agent.v1.PlanService", "agent.v1.ApprovalService", "agent.v1.SessionService"),
        "agent.v1.TokenService",
        *("aiserver.v1.PlanService", "aiserver.v1.PlanReviewService"),
    }


async def test_a_flood_of_scrapes_costs_one(gate: Gate, monkeypatch: pytest.MonkeyPatch) -> None:
    """Within a second, everyone gets the same text."""
    monkeypatch.setattr(scrape_module, "FRESH_SECONDS", 3600)
    before = await scrape(gate.web)
    await gate.propose()
    again = await asyncio.gather(*(scrape(gate.web) for _ in range(20)))
    assert {numbers.text for numbers in again} == {before.text}


async def test_two_gates_in_one_process_count_for_themselves(tmp_path: Path, gate: Gate) -> None:
    """What one does is not among the other's numbers."""
    async with open_gate(tmp_path / "other.db") as other:
        await gate.propose()
        counted = [(await scrape(each.web)).calls(CREATE, "OK") for each in (gate, other)]
    assert counted == [1, 0]
