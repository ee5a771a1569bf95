"""A node is killed under its streams: their readers go on at another, without a gap or a repeat."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from typing import Any

import grpc
import psycopg
import pytest

from plangate_proto.agent.v1.plan_resource_pb2 import Plan
from plangate_proto.agent.v1.plan_service_pb2 import ReviewPlanRequest
from plangate_proto.aiserver.v1.plan_review_service_pb2 import AddCommentRequest, WatchReviewsRequest
from tests.e2e.processes import ServerProcess, serving
from tests.helpers.conditions import PATIENCE
from tests.helpers.deaf_proxy import deaf
from tests.helpers.gate import Gate, connected, proposal
from tests.helpers.resuming import Reader, log_of

WATCHERS = 5
WRITERS = 3
TOLD_BEFORE = 60
"""Events that the node has told when it is killed."""
TOLD_AFTER = 300


@asynccontextmanager
async def node(url: str) -> AsyncIterator[tuple[ServerProcess, Gate]]:
    async with serving(url) as server, connected(server.address) as gate:
        yield server, gate


@asynccontextmanager
async def three_nodes(url: str, others: str) -> AsyncIterator[list[tuple[ServerProcess, Gate]]]:
    """The first two go the other way to the database, if there is one."""
    async with AsyncExitStack() as stack:
        yield list(
            await asyncio.gather(*(stack.enter_async_context(node(at)) for at in (others, others, url)))
        )


async def write(gate: Gate, plan: Plan, enough: asyncio.Event) -> None:
    """Propose plans and comment on one of them, until there is enough or the node is gone."""
    number = 0
    with suppress(grpc.aio.AioRpcError):
        while not enough.is_set():
            number += 1
            await gate.propose(proposal(f"# Plan {number}"))
            comment = AddCommentRequest(plan_uri=plan.plan_uri, revision=1, text=f"Comment {number}")
            await gate.reviews.AddComment(comment)


async def test_a_deaf_way_lets_all_but_notifications_through(postgres_url: str) -> None:
    """What the next test blocks is blocked: one session hears, the other does not, and both get answers."""
    async with deaf(postgres_url) as around, AsyncExitStack() as stack:
        sessions = [
            await stack.enter_async_context(await psycopg.AsyncConnection.connect(url, autocommit=True))
            for url in (postgres_url, around)
        ]
        for session in sessions:
            await session.execute("LISTEN news")
        await sessions[0].execute("NOTIFY news")
        async with asyncio.timeout(PATIENCE):
            assert [told.channel async for told in sessions[0].notifies(stop_after=1)] == ["news"]
        # What it was to hear would have come before this answer.
        assert [await (await session.execute("SELECT 1")).fetchone() for session in sessions] == [(1,)] * 2
        assert [told async for told in sessions[1].notifies(timeout=0)] == []


def watch(gate: Gate, cursor: str) -> Any:
    return gate.reviews.WatchReviews(WatchReviewsRequest(cursor=cursor))


@pytest.mark.parametrize("hears", [True, False], ids=["notified", "NOTIFY blocked"])
async def test_streams_of_a_killed_node_go_on_elsewhere(postgres_url: str, *, hears: bool) -> None:
    """Every stream tells exactly what the log holds, while others write through two nodes all the time."""
    async with AsyncExitStack() as stack:
        others = postgres_url if hears else await stack.enter_async_context(deaf(postgres_url))
        (doomed, first), (_, second), (_, third) = await stack.enter_async_context(
            three_nodes(postgres_url, others)
        )
        plan = await third.propose()

        def follow(gate: Gate, cursor: str) -> Any:
            request = ReviewPlanRequest(plan_uri=plan.plan_uri, cursor=cursor, follow=True)
            return gate.agent.ReviewPlan(request)

        readers = [Reader(follow), *(Reader(watch) for _ in range(WATCHERS))]
        reading = [asyncio.create_task(reader.read([first, second])) for reader in readers]
        async with asyncio.timeout(PATIENCE):
            await asyncio.gather(*(reader.until_open() for reader in readers))
            before = await log_of(third)
            enough = asyncio.Event()
            writing = [asyncio.create_task(write(at, plan, enough)) for at in [first, third] * WRITERS]
            await readers[-1].until_told(TOLD_BEFORE)
            await doomed.exit(signal.SIGKILL)
            await readers[-1].until_told(TOLD_BEFORE + TOLD_AFTER)
            enough.set()
            await asyncio.gather(*writing)
            logs = [await log_of(third, plan.plan_uri), *[await log_of(third)] * WATCHERS]
            for reader, log in zip(readers, logs, strict=True):
                expected = [event for event in log if event not in before]
                await reader.until_told(len(expected))
                assert reader.events == expected
        for task in reading:
            task.cancel()
        await asyncio.gather(*reading, return_exceptions=True)
