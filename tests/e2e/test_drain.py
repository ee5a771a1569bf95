"""SIGTERM under load: what was begun is answered, and every watcher goes on where it was."""

from __future__ import annotations

import asyncio
import signal
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from plangate_proto.agent.v1.plan_resource_pb2 import Plan
from tests.e2e.processes import serving
from tests.e2e.watchers import Watcher, all_watching, approvals, until_told
from tests.e2e.wholeness import check_whole
from tests.e2e.workload import Ledger, send, work
from tests.helpers.conditions import PATIENCE
from tests.helpers.gate import Gate, connected
from tests.helpers.health import told, watch
from tests.helpers.refusals import Refused, refused

pytestmark = pytest.mark.load

WATCHERS = 1000
CHANNELS = 4
WRITERS = 8
STOPS = 4
ANSWERED_BEFORE = 60
"""Writes that are answered when the server is told to stop; others are under way then."""


async def write_until_refused(gate: Gate, ledger: Ledger, name: str) -> Refused:
    return await refused(work(gate, ledger, name))


async def ended_before_health_changed(gate: Gate, ends: list[asyncio.Task[Refused]]) -> int:
    """How many streams had ended when health said that it does not serve any more."""
    stream = watch(gate, "")
    assert await told([stream]) == {"SERVING"}
    assert await told([stream]) == {"NOT_SERVING"}
    stream.cancel()
    return sum(end.done() for end in ends)


async def test_a_thousand_watchers_and_running_writes(database: str) -> None:
    """Writes are answered or refused before they begin, streams end with a cursor, and it exits with 0."""
    watchers, ledger = [Watcher() for _ in range(WATCHERS)], Ledger()
    async with AsyncExitStack() as stack:
        server = await stack.enter_async_context(serving(database))
        gates = [await stack.enter_async_context(connected(server.address)) for _ in range(CHANNELS)]
        writers = await stack.enter_async_context(connected(server.address))
        ends = await stack.enter_async_context(all_watching(watchers, gates))
        # In order on one connection only: a channel that has a quarter of the streams.
        health = asyncio.create_task(ended_before_health_changed(gates[0], ends[::CHANNELS]))
        ledger.want(ANSWERED_BEFORE)
        writing = [
            asyncio.create_task(write_until_refused(writers, ledger, f"w{number}"))
            for number in range(WRITERS)
        ]
        async with asyncio.timeout(PATIENCE):
            await ledger.enough.wait()
        ended = await server.exit(signal.SIGTERM)
        stopped = await asyncio.gather(*writing, *ends)
        assert await health == 0
    assert ended.code == 0
    assert {end.status for end in stopped} == {"UNAVAILABLE"}
    assert {end.reason for end in stopped[WRITERS:]} == {"SHUTTING_DOWN"}
    assert all(watcher.cursor for watcher in watchers)
    async with serving(database) as server, connected(server.address) as gate:
        await check_whole(gate)
        await check_answers(gate, ledger)
        await check_whole(gate)
        await check_resumed(watchers, gate)


async def test_who_comes_back_at_once_is_no_fault(tmp_path: Path) -> None:
    """Streams that are opened again and again while the server stops are refused or cut off."""
    for _ in range(STOPS):
        async with AsyncExitStack() as stack:
            server = await stack.enter_async_context(serving(tmp_path / "plangate.db"))
            gates = [await stack.enter_async_context(connected(server.address)) for _ in range(WRITERS)]
            watching = [Watcher() for _ in gates]
            ends = await stack.enter_async_context(all_watching(watching, gates))
            coming_back = [asyncio.create_task(until_gone(gate)) for gate in gates]
            ended = await server.exit(signal.SIGTERM)
            await asyncio.gather(*coming_back, *ends)
        assert ended.code == 0
        assert set(ended.events) <= {"started", "call", "stopping"}
        assert {line["status"] for line in ended.log if line["event"] == "call"} == {"UNAVAILABLE"}


async def until_gone(gate: Gate) -> None:
    """Watch, and watch again, until nobody is there."""
    while True:
        end = await Watcher().watch(gate)
        if "failed to connect" in end.message:
            return


async def check_answers(gate: Gate, ledger: Ledger) -> None:
    """Every writer was refused once: sent again, that is done. What was answered is answered as it was."""
    assert len(ledger.sent.keys() - ledger.answered.keys()) == WRITERS
    for request_id, (kind, request) in ledger.sent.items():
        answer = await send(gate, kind, request)
        assert plan_of(ledger.answered.get(request_id, answer)) == plan_of(answer)


def plan_of(answer: Any) -> Any:
    """What an answer says of the plan; how many watch is as it is now."""
    plan = Plan()
    plan.CopyFrom(answer.plan) if hasattr(answer, "plan") else plan.review.CopyFrom(answer.review)
    plan.review.reviewers_watching = 0
    return plan


async def check_resumed(watchers: list[Watcher], gate: Gate) -> None:
    """From their cursors they tell the rest of the log, without a gap or a repeat."""
    expected = await approvals(gate)
    async with AsyncExitStack() as stack:
        gates = [await stack.enter_async_context(connected(gate.address)) for _ in range(CHANNELS)]
        async with all_watching(watchers, gates):
            await until_told(watchers, len(expected))
    assert all(watcher.told == expected for watcher in watchers)
