"""Every call that is finished is one line of the log, and has an id that its caller can ask for."""

import asyncio
import json
import logging
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import grpc
import pytest
from grpc_health.v1.health_pb2 import HealthCheckRequest

from plangate_proto.agent.v1.plan_service_pb2 import GetPlanRequest, ListPlansRequest, ReviewPlanRequest
from plangate_server.logs import Level, Written
from plangate_server.logs.records import line_of
from plangate_server.rpc import plan_servicer
from plangate_server.rpc.calls import CallLog, request_id
from tests.helpers.conditions import PATIENCE
from tests.helpers.gate import Gate, open_gate
from tests.helpers.refusals import refused
from tests.helpers.streams import WatchedHub, cut_off, next_of, rest_of
from tests.helpers.tokens import ADMIN
from tests.rpc.test_boundary import fail

MADE = r"[0-9a-f]{12}-[0-9a-f]+"


class Log:
    def __init__(self) -> None:
        self.lines: list[bytes] = []
        self.more = asyncio.Event()

    def write(self, entry: Written) -> None:
        self.lines.append(entry.line())
        self.more.set()

    def read(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.lines]

    async def last(self, count: int = 1) -> dict[str, Any]:
        """The last line, when there are so many."""
        async with asyncio.timeout(PATIENCE):
            while len(self.lines) < count:
                self.more.clear()
                await self.more.wait()
        assert len(self.lines) == count, self.lines
        return self.read()[-1]


@pytest.fixture
def log() -> Log:
    return Log()


@pytest.fixture
async def gate(tmp_path: Path, hub: WatchedHub, log: Log) -> AsyncIterator[Gate]:
    async with open_gate(tmp_path / "plangate.db", write_line=log.write) as gate:
        yield gate


async def test_a_call_with_one_answer(gate: Gate, log: Log) -> None:
    """Request id, principal, method, status and duration, and nothing else."""
    await gate.plans()
    line = await log.last()
    assert list(line) == [
        *("time", "level", "event", "message"),
        *("request_id", "principal", "method", "status", "duration_ms"),
    ]
    assert (line["level"], line["event"], line["principal"]) == ("info", "call", ADMIN)
    assert (line["method"], line["status"]) == ("/agent.v1.PlanService/ListPlans", "OK")
    assert re.fullmatch(MADE, line["request_id"])
    assert 0 < line["duration_ms"] < PATIENCE * 1000


async def test_a_stream_that_ends(gate: Gate, log: Log) -> None:
    """How many messages it sent is told as well."""
    plan = await gate.propose()
    stream = gate.agent.ReviewPlan(ReviewPlanRequest(plan_uri=plan.plan_uri))
    await next_of(stream)
    await gate.decide(plan, "approve")
    sent = 1 + len(await rest_of(stream))
    line = await log.last(3)
    assert (line["method"], line["status"]) == ("/agent.v1.PlanService/ReviewPlan", "OK")
    assert line["sent"] == sent


async def test_a_stream_that_is_cancelled(gate: Gate, log: Log) -> None:
    """Its caller hung up."""
    plan = await gate.propose()
    stream = gate.agent.ReviewPlan(ReviewPlanRequest(plan_uri=plan.plan_uri))
    await next_of(stream)
    stream.cancel()
    line = await log.last(2)
    assert (line["status"], line["sent"]) == ("CANCELLED", 1)


async def test_a_stream_whose_time_is_over(gate: Gate, log: Log) -> None:
    """To the server it is one whose caller hung up."""
    plan = await gate.propose()
    seconds = 0.1
    # The time may be over before the server has sent anything, or knows of the call: then it is given more.
    while ("CANCELLED", 1) not in {(line["status"], line.get("sent")) for line in log.read()}:
        seconds *= 2
        assert seconds < PATIENCE
        stream = gate.agent.ReviewPlan(ReviewPlanRequest(plan_uri=plan.plan_uri), timeout=seconds)
        _, end = await cut_off(stream)
        assert end.status == "DEADLINE_EXCEEDED"


async def test_a_refusal(gate: Gate, log: Log) -> None:
    """Its reason is told, what was refused is not."""
    await refused(gate.agent.GetPlan(GetPlanRequest(plan_uri="hunter2")))
    line = await log.last()
    assert (line["status"], line["reason"]) == ("INVALID_ARGUMENT", "MALFORMED_PLAN_URI")
    assert "hunter2" not in str(line)


async def test_a_fault(gate: Gate, log: Log, monkeypatch: pytest.MonkeyPatch) -> None:
    """The line has the id under which the log has the fault, and which the caller has."""
    monkeypatch.setattr(plan_servicer, "list_plans", fail)
    refusal = await refused(gate.agent.ListPlans(ListPlansRequest()))
    line = await log.last()
    assert (line["status"], line["error_id"]) == ("INTERNAL", refusal.metadata["error_id"])


async def test_a_method_that_there_is_not(gate: Gate, log: Log) -> None:
    """Its name, which can be anything, is cut short."""
    call: Any = gate.channel.unary_unary(f"/no.Such/{'x' * 500}")
    assert (await refused(call(b""))).status == "UNIMPLEMENTED"
    line = await log.last()
    assert (line["status"], line["method"]) == ("UNIMPLEMENTED", f"/no.Such/{'x' * 91}")


async def test_standard_services_are_not_logged(gate: Gate, log: Log) -> None:
    """A load balancer asks for health all day long."""
    call: Any = gate.channel.unary_unary("/grpc.health.v1.Health/Check")
    await call(HealthCheckRequest().SerializeToString())
    assert log.lines == []


def test_standard_services_are_heard_at_debug(caplog: pytest.LogCaptureFixture) -> None:
    """For whoever wonders whether the load balancer comes through."""
    caplog.set_level(logging.DEBUG)
    CallLog().passed(Unknown(), known=True)
    (line,) = [json.loads(line_of(record)) for record in caplog.records]
    assert (line["event"], line["method"]) == ("standard_call", Unknown.method)


async def test_a_handler_that_aborts_by_itself(
    tmp_path: Path, log: Log, monkeypatch: pytest.MonkeyPatch
) -> None:
    """None of ours does; the status that it chose is the one in the line."""

    async def abort(_: object, __: object, context: Any) -> None:
        await context.abort(grpc.StatusCode.DATA_LOSS, "gone")

    monkeypatch.setattr(plan_servicer.PlanServicer, "ListPlans", abort)
    async with open_gate(tmp_path / "plangate.db", write_line=log.write) as gate:
        assert (await refused(gate.agent.ListPlans(ListPlansRequest()))).status == "DATA_LOSS"
    assert (await log.last())["status"] == "DATA_LOSS"


@pytest.mark.parametrize("sane", ["a", "f" * 64, "00-4bf92f35-01", 'quote " and \\ back', "a b"])
async def test_the_callers_own_id_is_taken_and_given_back(gate: Gate, log: Log, sane: str) -> None:
    """In the trailing metadata, and in the line."""
    call = gate.agent.ListPlans(ListPlansRequest(), metadata=(("x-request-id", sane),))
    await call
    assert dict(iter(await call.trailing_metadata()))["x-request-id"] == sane
    assert (await log.last())["request_id"] == sane


@pytest.mark.parametrize("hostile", ["", "f" * 65, "x" * 4000])
async def test_an_id_that_is_not_sane_is_replaced(gate: Gate, log: Log, hostile: str) -> None:
    """The caller gets the one that is in the log."""
    call = gate.agent.ListPlans(ListPlansRequest(), metadata=(("x-request-id", hostile),))
    await call
    given = dict(iter(await call.trailing_metadata()))["x-request-id"]
    assert re.fullmatch(MADE, str(given))
    assert (await log.last())["request_id"] == given


@pytest.mark.parametrize("hostile", ["a\nb", "a\x1b[2J", "a\x7f", "\u202ea", "é", "a\0", b"bytes"])
def test_an_id_that_no_client_of_grpc_can_send_is_replaced(hostile: str | bytes) -> None:
    """Others may."""
    assert re.fullmatch(MADE, request_id((("user-agent", "x"), ("x-request-id", hostile))))


async def test_a_refused_call_gives_its_id_back_too(gate: Gate, log: Log) -> None:
    """Beside the details of the refusal, in a stream as well."""
    for call in (
        gate.agent.GetPlan(GetPlanRequest(), metadata=(("x-request-id", "mine"),)),
        gate.agent.ReviewPlan(ReviewPlanRequest(), metadata=(("x-request-id", "mine"),)),
    ):
        with pytest.raises(grpc.aio.AioRpcError) as refusal:
            await (call if isinstance(call, grpc.aio.UnaryUnaryCall) else rest_of(call))
        metadata = dict(iter(refusal.value.trailing_metadata()))
        assert metadata["x-request-id"] == "mine"
        assert metadata["grpc-status-details-bin"]


async def test_ids_that_are_made_are_all_different(gate: Gate, log: Log) -> None:
    """Also those of calls at once."""
    await asyncio.gather(*(gate.plans() for _ in range(50)))
    assert len({json.loads(line)["request_id"] for line in log.lines}) == 50


@pytest.mark.parametrize(("level", "lines"), [("debug", 1), ("info", 1), ("warning", 0), ("error", 0)])
def test_calls_are_logged_at_info(level: str, lines: int) -> None:
    """Whoever wants warnings only does not hear of them."""
    written: list[Written] = []
    calls = CallLog(written.append, Level(level))
    calls.passed(Unknown(), known=False)
    assert len(written) == lines


class Unknown(grpc.HandlerCallDetails):
    method = "/no.Such/Method"
    invocation_metadata = ()
