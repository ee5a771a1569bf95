"""SIGKILL at any moment: what was answered is there once, and nothing is there by halves."""

from __future__ import annotations

import asyncio
import random
import signal
from contextlib import AsyncExitStack

import grpc
import pytest

from tests.e2e.processes import ServerProcess, serving
from tests.e2e.wholeness import all_plans, check_whole
from tests.e2e.workload import Ledger, send, work
from tests.helpers.conditions import PATIENCE
from tests.helpers.gate import Gate, connected

ROUNDS = 5
CLIENTS = 3
AGENTS = 4
"""How many are at work at a time in each client."""
MOST_WRITES = 150
"""Writes answered before the server is killed, at most."""


async def until_killed(gate: Gate, ledger: Ledger, name: str) -> None:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await work(gate, ledger, name)
    assert caught.value.code() is grpc.StatusCode.UNAVAILABLE


async def check_answers(gate: Gate, ledger: Ledger, since: set[str]) -> None:
    """Sent again, an answered write gets its answer again; one that was not is done once."""

    async def send_again(request_id: str) -> None:
        kind, request = ledger.sent[request_id]
        answer = await send(gate, kind, request)
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
