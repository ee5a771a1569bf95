"""Two nodes over one database are restarted one after the other, and who works with them loses nothing."""

from __future__ import annotations

import asyncio
import itertools
import signal
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import Any

import grpc

from plangate_proto.aiserver.v1.plan_review_service_pb2 import WatchReviewsRequest
from tests.e2e.processes import ServerProcess, serving
from tests.e2e.wholeness import all_plans, check_whole
from tests.e2e.workload import Ledger, send, work
from tests.helpers.conditions import PATIENCE
from tests.helpers.gate import Gate, connected
from tests.helpers.resuming import Reader, log_of

WRITERS = 6
WATCHERS = 20
WRITES = 60
"""Answered before, between and after the restarts."""
PAUSE = 0.05
"""Seconds that a client waits before it tries again."""


@dataclass(slots=True)
class Patient(Ledger):
    """Where a node is not available, the other is asked the same, under the same request_id."""

    nodes: list[Gate] = field(default_factory=list)
    refusals: int = 0

    async def call(self, gate: Gate, kind: str, request: Any) -> Any:
        self.sent[request.request_id] = (kind, request)
        turns = itertools.cycle([gate, *(node for node in self.nodes if node is not gate)])
        while (answer := await self._try(next(turns), kind, request)) is None:
            pass
        self.answered[request.request_id] = answer
        if len(self.answered) >= self.wanted:
            self.enough.set()
        return answer

    async def _try(self, node: Gate, kind: str, request: Any) -> Any:
        try:
            return await send(node, kind, request)
        except grpc.aio.AioRpcError as error:
            if error.code() is not grpc.StatusCode.UNAVAILABLE:
                raise
            self.refusals += 1
            await asyncio.sleep(PAUSE)
            return None


def watch(gate: Gate, cursor: str) -> Any:
    return gate.reviews.WatchReviews(WatchReviewsRequest(cursor=cursor))


async def restarted(stack: AsyncExitStack, server: ServerProcess, url: str) -> ServerProcess:
    """The node, stopped as an operator stops it, and opened again at its address."""
    ended = await server.exit(signal.SIGTERM)
    assert ended.code == 0
    return await stack.enter_async_context(serving(url, "--listen", server.address))


async def test_two_nodes_are_restarted_in_turn(postgres_url: str) -> None:
    """Every write is answered and done once, and every watcher tells what the log holds."""
    ledger = Patient()
    async with asyncio.timeout(3 * PATIENCE), AsyncExitStack() as stack:
        servers = [await stack.enter_async_context(serving(postgres_url)) for _ in range(2)]
        ledger.nodes = [await stack.enter_async_context(connected(each.address)) for each in servers]
        readers = [Reader(watch) for _ in range(WATCHERS)]
        homes = itertools.cycle([ledger.nodes, ledger.nodes[::-1]])
        reading = [
            asyncio.create_task(reader.read(itertools.cycle(home)))
            for reader, home in zip(readers, homes, strict=False)
        ]
        await asyncio.gather(*(reader.until_open() for reader in readers))
        writing = [
            asyncio.create_task(work(ledger.nodes[number % 2], ledger, f"w{number}"))
            for number in range(WRITERS)
        ]
        for server in servers:
            await until_answered(ledger, writing)
            await restarted(stack, server, postgres_url)
        await until_answered(ledger, writing)
        await cancelled(writing)
        gate = ledger.nodes[0]
        await check_nothing_is_lost(gate, ledger, readers)
        await cancelled(reading)
    assert ledger.refusals >= 2, "both nodes were left"


async def until_answered(ledger: Patient, writing: list[asyncio.Task[None]]) -> None:
    """Until so many more writes were answered; raises what a writer could not go on after."""
    ledger.want(WRITES)
    enough = asyncio.create_task(ledger.enough.wait())
    done, _ = await asyncio.wait([enough, *writing], return_when=asyncio.FIRST_COMPLETED)
    for each in done:
        each.result()


async def cancelled(tasks: list[asyncio.Task[None]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def check_nothing_is_lost(gate: Gate, ledger: Patient, readers: list[Reader]) -> None:
    for request_id in ledger.sent.keys() - ledger.answered.keys():  # under way when the writers stopped
        await send(gate, *ledger.sent[request_id])
    await check_whole(gate)
    assert len(await all_plans(gate)) == sum(kind == "create" for kind, _ in ledger.sent.values())
    expected = await log_of(gate)
    for reader in readers:
        await reader.until_told(len(expected))
        assert reader.events == expected
