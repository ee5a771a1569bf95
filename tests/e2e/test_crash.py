"""SIGKILL at any moment: what was answered is there once, and nothing is there by halves."""

from __future__ import annotations

import asyncio
import random
import signal
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import Any

import grpc
import pytest

from plangate_proto.agent.v1.create_plan_tool_pb2 import CreatePlanArgs
from plangate_proto.agent.v1.plan_resource_pb2 import Plan
from plangate_proto.agent.v1.plan_service_pb2 import UpdatePlanRequest
from tests.e2e.processes import PATIENCE, ServerProcess, serving
from tests.e2e.wholeness import all_plans, check_whole
from tests.helpers.gate import Gate, connected, decision, proposal

ROUNDS = 5
CLIENTS = 3
AGENTS = 4
"""How many are at work at a time in each client."""
MOST_WRITES = 150
"""Writes answered before the server is killed, at most."""


@dataclass(slots=True)
class Ledger:
    """Every write that was sent, and what was answered."""

    sent: dict[str, tuple[str, Any]] = field(default_factory=dict)
    answered: dict[str, Any] = field(default_factory=dict)
    wanted: int = 0
    enough: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when as many writes were answered as are wanted."""

    def want(self, more: int) -> None:
        self.wanted = len(self.answered) + more
        self.enough.clear()

    async def call(self, gate: Gate, kind: str, request: Any) -> Any:
        self.sent[request.request_id] = (kind, request)
        answer = await _CALLS[kind](gate)(request)
        self.answered[request.request_id] = answer
        if len(self.answered) >= self.wanted:
            self.enough.set()
        return answer


_CALLS: dict[str, Any] = {
    "create": lambda gate: gate.agent.CreatePlan,
    "update": lambda gate: gate.agent.UpdatePlan,
    "decide": lambda gate: gate.reviews.SubmitReview,
}


async def work(gate: Gate, ledger: Ledger, name: str) -> None:
    """Propose, revise and approve plan after plan, until the server is gone."""
    number = 0
    while True:
        number += 1
        key = f"{name}-{number}"
        plan: Plan = (await ledger.call(gate, "create", proposal(f"# {key}", request_id=f"{key}-c"))).plan
        change = UpdatePlanRequest(
            plan_uri=plan.plan_uri,
            expected_revision=1,
            args=CreatePlanArgs(plan=f"# {key}, revised"),
            request_id=f"{key}-u",
        )
        revised: Plan = (await ledger.call(gate, "update", change)).plan
        await ledger.call(gate, "decide", decision(revised, "approve", request_id=f"{key}-d"))


async def until_killed(gate: Gate, ledger: Ledger, name: str) -> None:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await work(gate, ledger, name)
    assert caught.value.code() is grpc.StatusCode.UNAVAILABLE


async def check_answers(gate: Gate, ledger: Ledger, since: set[str]) -> None:
    """Sent again, an answered write gets its answer again; one that was not is done once."""

    async def send_again(request_id: str) -> None:
        kind, request = ledger.sent[request_id]
        answer = await _CALLS[kind](gate)(request)
        assert ledger.answered.setdefault(request_id, answer) == answer

    await asyncio.gather(*map(send_again, ledger.sent.keys() - since))


async def work_until_killed(server: ServerProcess, ledger: Ledger, round_number: int, writes: int) -> None:
    """Several clients write until so many writes are answered; at that moment the server is killed."""
    ledger.want(writes)
    async with AsyncExitStack() as stack:
        clients = [await stack.enter_async_context(connected(server.address)) for _ in range(CLIENTS)]
        workers = [
            asyncio.create_task(until_killed(gate, ledger, f"{round_number}-{place}-{agent}"))
            for place, gate in enumerate(clients)
            for agent in range(AGENTS)
        ]
        async with asyncio.timeout(PATIENCE):
            await ledger.enough.wait()
        await server.exit(signal.SIGKILL)
        await asyncio.gather(*workers)


async def test_a_killed_server_has_forgotten_nothing(database: str) -> None:
    """Round after round: work, kill, restart; then everything is whole, and every retry has one effect."""
    moments = random.Random(20261116)
    ledger = Ledger()
    checked: set[str] = set()
    for number in range(ROUNDS + 1):
        async with serving(database) as server, connected(server.address) as gate:
            await check_answers(gate, ledger, checked)
            checked = set(ledger.sent)
            if checked:
                await check_whole(gate)
            created = {answer.plan.plan_uri for key, answer in ledger.answered.items() if key.endswith("-c")}
            assert {plan.plan_uri for plan in await all_plans(gate)} == created
            if number < ROUNDS:
                await work_until_killed(server, ledger, number, moments.randrange(1, MOST_WRITES))
