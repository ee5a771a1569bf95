"""Nothing leaves the server but what is meant for the caller, and no caller leaves anything behind."""

import json
from collections.abc import AsyncGenerator
from typing import Any, NoReturn

import pytest

from plangate_proto.agent.v1.plan_service_pb2 import ReviewPlanRequest
from plangate_server.logs.records import line_of
from plangate_server.rpc import aiserver_plan_servicer, plan_servicer, review_servicer
from plangate_server.usecases.review_plan import review_plan
from tests.helpers.gate import Gate, connected, proposal
from tests.helpers.raw_calls import raw_call
from tests.helpers.refusals import Refused, refused
from tests.helpers.streams import WatchedHub, next_of, rest_of
from tests.rpc.bad_requests import AISERVER_CREATE, CREATE, LIST, REVIEW, SUBMIT, Bad

SECRET = "postgresql://user:hunter2@db.example/plans"


async def fail(*_: object, **__: object) -> NoReturn:
    raise ConnectionError(f"cannot reach {SECRET}")


async def fail_after_one(*args: Any, **kwargs: Any) -> AsyncGenerator[Any]:
    """A stream that tells its first event and then breaks."""
    async for event in review_plan(*args, **kwargs):
        yield event
        await fail()


def check_hidden(refusal: Refused, method: str, caplog: pytest.LogCaptureFixture) -> None:
    """The caller has an id and nothing else; the log has the place of the fault under that id, no words."""
    error_id = refusal.metadata["error_id"]
    Bad(method, "INTERNAL", b"", {"error_id": error_id}).check(refusal)
    assert "hunter2" not in refusal.text
    assert "postgresql" not in refusal.text
    lines = [json.loads(line_of(record)) for record in caplog.records]
    (fault,) = [line for line in lines if line.get("error_id") == error_id]
    assert (fault["level"], fault["event"], fault["method"]) == ("error", "fault", method)
    assert fault["exception"] == "ConnectionError"
    assert fault["frames"][-1].endswith(" fail")
    assert "hunter2" not in json.dumps(lines)


FAULTS = {
    "a read": (plan_servicer, "list_plans", LIST),
    "a write": (plan_servicer, "create_plan", CREATE),
    "a decision": (review_servicer, "submit_review", SUBMIT),
    "a write that streams": (aiserver_plan_servicer, "create_plan", AISERVER_CREATE),
}


@pytest.mark.parametrize("where", FAULTS)
async def test_a_fault_keeps_its_words_to_itself(
    gate: Gate, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, where: str
) -> None:
    """An exception becomes INTERNAL with an id; its text goes nowhere; the log has its place."""
    servicer, use_case, method = FAULTS[where]
    monkeypatch.setattr(servicer, use_case, fail)
    check_hidden(await refused(raw_call(gate.channel, method, b"")), method, caplog)


async def test_a_fault_in_the_middle_of_a_stream_is_hidden_too(
    gate: Gate, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """What was told before a fault arrives; then the stream ends with INTERNAL and an id."""
    plan = await gate.propose()
    monkeypatch.setattr(plan_servicer, "review_plan", fail_after_one)
    stream = gate.agent.ReviewPlan(ReviewPlanRequest(plan_uri=plan.plan_uri))
    assert (await next_of(stream)).event.plan == plan
    check_hidden(await refused(rest_of(stream)), REVIEW, caplog)


async def test_a_fault_does_not_stay(gate: Gate, monkeypatch: pytest.MonkeyPatch) -> None:
    """The call after a fault is served as if nothing had been."""
    with monkeypatch.context() as broken:
        broken.setattr(plan_servicer, "create_plan", fail)
        ids = {(await refused(gate.agent.CreatePlan(proposal()))).metadata["error_id"] for _ in range(3)}
    assert len(ids) == 3
    plan = await gate.propose()
    assert await gate.plans() == [plan]


@pytest.mark.parametrize("streams", [1, 20])
async def test_a_stream_that_is_cancelled_leaves_nothing_behind(
    gate: Gate, hub: WatchedHub, streams: int
) -> None:
    """When callers hang up, the server stops listening on their behalf."""
    plan = await gate.propose()
    request = ReviewPlanRequest(plan_uri=plan.plan_uri)
    calls = [gate.agent.ReviewPlan(request) for _ in range(streams)]
    for call in calls:
        await next_of(call)
    await hub.until_followers(streams)
    for call in calls:
        call.cancel()
    await hub.until_followers(0)


async def test_a_connection_that_is_lost_leaves_nothing_behind(gate: Gate, hub: WatchedHub) -> None:
    """When a caller is gone altogether, so is its stream; the review goes on without it."""
    plan = await gate.propose()
    async with connected(gate.address) as lost:
        await next_of(lost.agent.ReviewPlan(ReviewPlanRequest(plan_uri=plan.plan_uri)))
        await hub.until_followers(1)
    await hub.until_followers(0)
    assert await gate.get(plan.plan_uri) == plan
