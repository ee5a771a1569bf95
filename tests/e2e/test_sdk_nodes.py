"""A gate of several nodes: whoever works with one that is killed goes on with another, by themselves."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator
from typing import NamedTuple

import pytest

from tests.e2e.processes import ServerProcess, serving
from tests.helpers.conditions import PATIENCE
from tests.helpers.either_client import KINDS, Awaited, client_of
from tests.helpers.gate import connected
from tests.helpers.resuming import log_of
from tests.helpers.scraping import scrape_until
from tests.helpers.streams import types
from tests.helpers.tokens import local_token


class Nodes(NamedTuple):
    one: ServerProcess
    other: ServerProcess

    @property
    def target(self) -> str:
        """Both, as one target; the first is tried first."""
        return f"insecure://ipv4:{self.one.address},{self.other.address}"


@pytest.fixture
async def nodes(postgres_url: str) -> AsyncIterator[Nodes]:
    async with serving(postgres_url) as one, serving(postgres_url) as other:
        yield Nodes(one, other)


@pytest.fixture(params=KINDS)
async def agent(request: pytest.FixtureRequest, nodes: Nodes) -> AsyncIterator[Awaited]:
    async with client_of(request.param, nodes.target, token=local_token("agent")) as agent:
        yield agent


async def test_waiting_and_building_go_on_at_the_other_node(nodes: Nodes, agent: Awaited) -> None:
    """A node is killed while the agent waits; the decision is made and the plan built at the other, once."""
    plan = await agent.create_plan("# Tidy the cellar", todos=["sweep the floor"])
    waiting = asyncio.create_task(agent.wait(plan))
    await scrape_until(nodes.one.web, lambda numbers: numbers.streams("ReviewPlan") > 0)
    await nodes.one.exit(signal.SIGKILL)
    async with client_of("async", nodes.other.address) as person, asyncio.timeout(PATIENCE):
        await person.decide(plan, "approve")
        decision = await waiting
    assert decision.approved
    build = await agent.build(decision)
    await build.done(build.todos[0])
    await build.finish()
    async with connected(nodes.other.address) as gate:
        told = types(await log_of(gate, plan.plan_uri))
    assert [told.count(each) for each in ("PLAN_APPROVED", "BUILD_STARTED", "EXECUTION_COMPLETED")] == [1] * 3
