"""With --traces otlp every call is a span, and belongs to the trace of whoever made it."""

import asyncio
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from opentelemetry import propagate, trace
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status
from opentelemetry.sdk.trace import TracerProvider

from plangate import Client
from plangate_proto.agent.v1.plan_service_pb2 import GetPlanRequest, ListPlansRequest
from tests.e2e.processes import run, server_with, serving
from tests.helpers.collector import Collector, collecting
from tests.helpers.conditions import PATIENCE, eventually
from tests.helpers.gate import connected, proposal
from tests.helpers.refusals import refused

TRACE, PARENT = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
SENDS_ALL = server_with(traces__spans__LAST_SECONDS=PATIENCE)
CANARY = "c4nary-in-the-plan"
WITHOUT = """
import sys
sys.modules["opentelemetry"] = None
from plangate_server.__main__ import main
sys.exit(main())
"""


@pytest.fixture
def collector(monkeypatch: pytest.MonkeyPatch) -> Iterator[Collector]:
    """One that the servers of the test send their spans to."""
    with collecting() as collector:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url)
        monkeypatch.setenv("OTEL_BSP_SCHEDULE_DELAY", "50")
        yield collector


def attributes(span: Span) -> dict[str, str]:
    return {each.key: each.value.string_value for each in span.attributes}


async def test_a_call_is_a_part_of_its_callers_trace(tmp_path: Path, collector: Collector) -> None:
    """Trace and parent are those of the traceparent that came with it; the span says method and status."""
    async with (
        serving(tmp_path / "plangate.db", "--traces", "otlp", program=SENDS_ALL) as server,
        connected(server.address) as gate,
    ):
        sent = (("traceparent", f"00-{TRACE}-{PARENT}-01"), ("x-request-id", "mine"))
        await gate.agent.ListPlans(ListPlansRequest(), metadata=sent)
        await eventually(lambda: bool(collector.spans))
        done = await server.exit(signal.SIGTERM)
    (span,) = collector.spans
    assert (span.trace_id.hex(), span.parent_span_id.hex()) == (TRACE, PARENT)
    assert (span.name, span.kind) == ("agent.v1.PlanService/ListPlans", Span.SPAN_KIND_SERVER)
    assert attributes(span) == {
        "rpc.system": "grpc",
        "rpc.service": "agent.v1.PlanService",
        "rpc.method": "ListPlans",
        "rpc.grpc.status": "OK",
        "plangate.request_id": "mine",
    }
    assert done.code == 0


async def test_a_refusal_has_its_reason_and_nothing_of_the_request(
    tmp_path: Path, collector: Collector
) -> None:
    """It is no fault of the server; no text, no token and no name is in any span."""
    async with (
        serving(tmp_path / "plangate.db", "--traces", "otlp", program=SENDS_ALL) as server,
        connected(server.address) as gate,
    ):
        await gate.propose(proposal(f"# {CANARY}", session_id=CANARY, agent_id=CANARY))
        await refused(gate.agent.GetPlan(GetPlanRequest(plan_uri=CANARY)))
        await server.exit(signal.SIGTERM)  # which sends what is left
    assert [attributes(span).get("plangate.reason") for span in collector.spans] == [
        None,
        "MALFORMED_PLAN_URI",
    ]
    assert {span.status.code for span in collector.spans} == {Status.STATUS_CODE_UNSET}
    sent = b"".join(collector.received)
    assert CANARY.encode() not in sent
    assert b"plangate_" not in sent


async def test_a_collector_that_is_away_holds_nobody_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Calls are answered, and the server ends as quickly as ever."""
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1")
    async with (
        serving(tmp_path / "plangate.db", "--traces", "otlp") as server,
        connected(server.address) as gate,
    ):
        await gate.propose()
        assert (await server.exit(signal.SIGTERM)).code == 0


async def test_without_the_extra_it_says_what_to_install(tmp_path: Path) -> None:
    """A gate that is to be traced and cannot be does not start."""
    done = await run("--traces", "otlp", "--database", f"sqlite:///{tmp_path}/p.db", program=("-c", WITHOUT))
    assert (done.code, done.errors) == (
        1,
        "plangate: traces need OpenTelemetry: pip install 'plangate[otel]'\n",
    )


async def test_the_client_carries_the_span_it_is_called_in(tmp_path: Path, collector: Collector) -> None:
    """A program that uses OpenTelemetry needs nothing else."""
    assert "opentelemetry.propagate" in sys.modules, propagate
    tracer = TracerProvider().get_tracer("an agent")

    def work(address: str) -> str:
        with Client(address) as client, tracer.start_as_current_span("plan the day") as span:
            list(client.list_plans())
            return trace.format_trace_id(span.get_span_context().trace_id)

    async with serving(tmp_path / "plangate.db", "--traces", "otlp", program=SENDS_ALL) as server:
        mine = await asyncio.to_thread(work, server.address)
        await server.exit(signal.SIGTERM)
    assert [span.trace_id.hex() for span in collector.spans] == [mine]
