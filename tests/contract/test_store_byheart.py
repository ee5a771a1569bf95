"""A store may run commands on what it remembers, but nobody can tell: not by an answer, not by the order."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from plangate_server.domain.errors import AlreadyDecided
from plangate_server.domain.plan import Plan
from plangate_server.ports import PlanFilter, RequestKey, World
from plangate_server.system import SystemClock, TimeOrderedIds
from plangate_server.usecases.audit import verify_audit
from plangate_server.usecases.create_plan import CreatePlan, create_plan
from plangate_server.usecases.submit_review import SubmitReview, submit_review
from tests.helpers.backends import ALL, Backend, Node, every_database
from tests.helpers.conditions import PATIENCE
from tests.helpers.domain import a_draft
from tests.helpers.nodes import PostgresNode, two_nodes
from tests.helpers.world import AGENT, NO_POLICY, NOBODY

MANY = 30
"""Enough for any store to count on its memory."""

Nodes = tuple[PostgresNode, PostgresNode]


def a_world(node: Node) -> World:
    return World(node.store, node.feed, SystemClock(), TimeOrderedIds(), NO_POLICY, NOBODY)


def proposal(number: int, session_id: str = "") -> CreatePlan:
    key = RequestKey("bot", f"r-{number}", "same")
    return CreatePlan(a_draft(name=f"Plan {number}"), session_id=session_id, key=key)


def approval(plan: Plan) -> SubmitReview:
    review = plan.review
    return SubmitReview(review.approval_request_id, "approve", review.revision, review.digest)


async def propose_many(world: World, numbers: range) -> list[Plan]:
    return [await create_plan(world, AGENT, proposal(number)) for number in numbers]


@every_database
async def test_a_repeated_request_among_new_ones_is_done_once(backend: Backend, tmp_path: Path) -> None:
    """Whatever is committed together with it, it gets its first answer, and the others get theirs."""
    async with backend.open(tmp_path) as node:
        world = a_world(node)
        first = await propose_many(world, range(MANY))
        again = await asyncio.gather(*(create_plan(world, AGENT, proposal(n)) for n in range(2 * MANY)))
        plans = await node.store.read("acme", lambda r: r.plans(PlanFilter(), after="", limit=ALL))
        assert list(again[:MANY]) == first
        assert [plan.plan_id for plan in plans] == sorted({plan.plan_id for plan in again})
        assert (await verify_audit(world, AGENT, 0, "")).valid


@every_database
async def test_a_request_of_before_a_restart_is_known(backend: Backend, tmp_path: Path) -> None:
    """A store that has forgotten it all by heart still has it in the database."""
    async with backend.open(tmp_path) as node:
        first = await propose_many(a_world(node), range(2))
    async with backend.open(tmp_path) as node:
        world = a_world(node)
        await propose_many(world, range(2, MANY))
        assert await propose_many(world, range(2)) == first


@every_database
async def test_what_must_be_read_does_not_wait_for_ever(backend: Backend, tmp_path: Path) -> None:
    """A command that needs the database gets its turn, however many come that need only the memory."""
    async with backend.open(tmp_path) as node:
        world = a_world(node)
        await propose_many(world, range(MANY))
        numbers, enough = iter(range(MANY, ALL)), asyncio.Event()

        async def agent() -> None:
            while not enough.is_set():
                await create_plan(world, AGENT, proposal(next(numbers)))

        agents = [asyncio.create_task(agent()) for _ in range(8)]
        async with asyncio.timeout(PATIENCE):
            plan = await create_plan(world, AGENT, proposal(-1, session_id="s-1"))
        enough.set()
        await asyncio.gather(*agents)
        assert plan.session_id == "s-1"


@pytest.fixture
async def nodes(tmp_path: Path) -> AsyncIterator[Nodes]:
    async with two_nodes(tmp_path) as opened:
        yield opened


@pytest.mark.postgres
async def test_a_memory_that_is_out_of_date_decides_nothing(nodes: Nodes) -> None:
    """What another node decided counts, also for a node that remembers the plan as undecided."""
    here, elsewhere = nodes
    plans = await propose_many(here.world, range(MANY))
    for plan in plans[:3]:
        await submit_review(elsewhere.world, AGENT, approval(plan))
        with pytest.raises(AlreadyDecided):
            await submit_review(here.world, AGENT, approval(plan))
    for plan in plans[3:6]:
        await submit_review(here.world, AGENT, approval(plan))
    assert (await verify_audit(here.world, AGENT, 0, "")).valid
