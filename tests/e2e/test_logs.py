"""The log of a server process: what a line looks like, and what is never in one."""

import asyncio
import json
import re
import signal
from pathlib import Path

import grpc
import pytest

from plangate_proto.agent.v1.plan_service_pb2 import GetPlanRequest, ListPlansRequest, ReviewPlanRequest
from tests.e2e.processes import Exit, run, serving
from tests.helpers.conditions import PATIENCE
from tests.helpers.gate import Gate, connected, proposal
from tests.helpers.refusals import refused
from tests.helpers.streams import next_of
from tests.helpers.tool_calls import NO, call

CANARY = "cAnArY-hunter2"

BROKEN = f"""
import sys
from plangate_server.rpc import plan_servicer
from plangate_server.__main__ import main

async def fail(*_, **__):
    raise ConnectionError("cannot reach postgresql://gate:{CANARY}@db.example.com/plans")

plan_servicer.list_plans = fail
sys.exit(main())
"""
CRASHING = f"""
import sys
from plangate_server import app
from plangate_server.__main__ import main

def fail(*_, **__):
    raise ZeroDivisionError("{CANARY}")

app.RpcServer = fail
sys.exit(main())
"""


def check_shape(ended: Exit) -> None:
    """Lines of printable ASCII, each a table that begins in the same way."""
    for line in ended.errors.splitlines():
        assert re.fullmatch(r"[\x20-\x7e]+", line)
    for event in ended.log:
        assert list(event)[:4] == ["time", "level", "event", "message"]
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", event["time"])
        assert event["level"] in {"debug", "info", "warning", "error"}
        assert re.fullmatch(r"[a-z_]+", event["event"])
    times = [event["time"] for event in ended.log if event["event"] == "call"]
    assert times == sorted(times)


async def one_of_each(gate: Gate) -> None:
    """A call that is answered, one that is refused, a stream that is cancelled, and a fault."""
    plan = await gate.propose(proposal(f"# Plan {CANARY}"))
    await refused(gate.agent.GetPlan(GetPlanRequest(plan_uri=CANARY)))
    stream = gate.agent.ReviewPlan(ReviewPlanRequest(plan_uri=plan.plan_uri))
    await next_of(stream)
    stream.cancel()
    fault = await refused(gate.agent.ListPlans(ListPlansRequest()))
    assert CANARY not in fault.text


async def test_every_kind_of_call_has_its_line(tmp_path: Path) -> None:
    """Answered, refused, streamed and broken, with the place of the fault and none of its words."""
    async with (
        serving(tmp_path / "plangate.db", program=("-c", BROKEN)) as server,
        connected(server.address) as gate,
    ):
        await one_of_each(gate)
        ended = await server.exit(signal.SIGTERM)
    check_shape(ended)
    calls = {event["method"].rpartition("/")[2]: event for event in ended.log if event["event"] == "call"}
    assert {name: call["status"] for name, call in calls.items()} == {
        "CreatePlan": "OK",
        "GetPlan": "INVALID_ARGUMENT",
        "ReviewPlan": "CANCELLED",
        "ListPlans": "INTERNAL",
    }
    (fault,) = [event for event in ended.log if event["event"] == "fault"]
    assert fault["error_id"] == calls["ListPlans"]["error_id"]
    assert fault["request_id"] == calls["ListPlans"]["request_id"]
    assert fault["exception"] == "ConnectionError"
    assert any(frame.startswith("plangate_server/rpc/boundary.py:") for frame in fault["frames"])
    assert CANARY not in ended.errors


async def test_what_callers_say_is_not_in_the_log(tmp_path: Path) -> None:
    """Plans, todos, feedback, commands, metadata and wrong names, at the level that says most."""
    async with (
        serving(tmp_path / "plangate.db", "--log-level", "debug") as server,
        connected(server.address) as gate,
    ):
        plan = await gate.propose(proposal(f"# Plan {CANARY}", agent_id=CANARY))
        await gate.decide(plan, "reject", feedback=f"because {CANARY}")
        await gate.ask(call(f"echo {CANARY}"))
        await gate.answer(NO, feedback_text=CANARY)
        secret = (("cookie", f"session={CANARY}"), ("x-other", CANARY))
        await gate.agent.ListPlans(ListPlansRequest(), metadata=secret)
        refusal = await refused(gate.agent.GetPlan(GetPlanRequest(plan_uri="x"), metadata=secret))
        assert CANARY not in refusal.text
        await refused(gate.agent.GetPlan(GetPlanRequest(plan_uri=f"plangate://plans/{CANARY}")))
        await refused(gate.agent.ListPlans(ListPlansRequest(page_token=CANARY)))
        twice = (("authorization", f"Bearer {CANARY}"),)
        await refused(gate.agent.ListPlans(ListPlansRequest(), metadata=twice))
        ended = await server.exit(signal.SIGTERM)
    check_shape(ended)
    assert len([event for event in ended.log if event["event"] == "call"]) >= 8
    assert CANARY not in ended.errors + ended.output + server.welcome


async def test_a_database_url_is_not_in_the_log(tmp_path: Path, postgres_url: str) -> None:
    """Neither when it serves nor when it does not; the password stays out of the welcome, too."""
    url = f"{postgres_url}{'&' if '?' in postgres_url else '?'}application_name={CANARY}"
    async with serving(url, "--log-level", "debug") as server, connected(server.address) as gate:
        await gate.propose()
        ended = await server.exit(signal.SIGTERM)
    check_shape(ended)
    assert CANARY not in ended.errors + ended.output + server.welcome
    wrong = f"postgresql://gate:{CANARY}@127.0.0.1:1/plans?password={CANARY}"
    refusal = await run("--listen", "127.0.0.1:0", "--database", wrong)
    assert refusal.code == 1
    assert CANARY not in refusal.errors + refusal.output


async def test_a_crash_is_a_line_too(tmp_path: Path) -> None:
    """What nobody foresaw ends the server with 1, told by type and place."""
    database = f"sqlite:///{tmp_path / 'plangate.db'}"
    ended = await run("--listen", "127.0.0.1:0", "--database", database, program=("-c", CRASHING))
    check_shape(ended)
    assert ended.code == 1
    assert [(event["event"], event["exception"]) for event in ended.log] == [("crashed", "ZeroDivisionError")]
    assert CANARY not in ended.errors


@pytest.mark.parametrize("level", ["warning", "error"])
async def test_whoever_wants_less_gets_less(tmp_path: Path, level: str) -> None:
    """Without calls there is nothing to tell; a fault is told at every level."""
    async with (
        serving(tmp_path / "plangate.db", "--log-level", level, program=("-c", BROKEN)) as server,
        connected(server.address) as gate,
    ):
        await one_of_each(gate)
        ended = await server.exit(signal.SIGTERM)
    assert ended.events == ["fault"]


async def test_a_log_that_nobody_reads_stops_nothing(tmp_path: Path) -> None:
    """Thousands of lines into a full pipe: every call is answered all the same."""
    async with serving(tmp_path / "plangate.db") as server, connected(server.address) as gate:
        identity = (("x-request-id", "x" * 64),)
        assert server.process.stderr
        transport = server.process.stderr._transport  # type: ignore[attr-defined]
        transport.pause_reading()
        for _ in range(20):
            calls = (gate.agent.ListPlans(ListPlansRequest(), metadata=identity) for _ in range(100))
            await asyncio.gather(*calls)
        transport.resume_reading()
        told: list[str] = []
        async with asyncio.timeout(PATIENCE):
            while len(told) < 2000:
                line = (await server.process.stderr.readline()).decode()
                told += [line] if json.loads(line)["event"] == "call" else []
        assert (await server.exit(signal.SIGTERM)).code == 0
    assert "".join(told).count("x" * 64) == 2000


async def test_an_id_finds_the_call_in_the_log(tmp_path: Path) -> None:
    """What the caller got is what the log says."""
    async with serving(tmp_path / "plangate.db") as server, connected(server.address) as gate:
        with pytest.raises(grpc.aio.AioRpcError) as refusal:
            await gate.agent.GetPlan(GetPlanRequest())
        given = dict(iter(refusal.value.trailing_metadata()))["x-request-id"]
        ended = await server.exit(signal.SIGTERM)
    (line,) = [event for event in ended.log if event.get("request_id") == given]
    assert (line["method"], line["reason"]) == ("/agent.v1.PlanService/GetPlan", "MALFORMED_PLAN_URI")
