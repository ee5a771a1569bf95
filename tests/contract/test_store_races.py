"""Commands that exclude each other, at once: exactly one wins, a thousand times out of a thousand."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import TypeVar

import pytest

from plangate_server.domain.building import BuildOrder
from plangate_server.domain.errors import AlreadyDecided, StaleRevision, TodoHeld
from plangate_server.domain.lifecycle import Amendment
from plangate_server.domain.plan import Plan, PlanState
from plangate_server.ports import World
from plangate_server.system import SystemClock, TimeOrderedIds
from plangate_server.usecases.audit import verify_audit
from plangate_server.usecases.build_todos import Started, build_todos
from plangate_server.usecases.create_plan import CreatePlan, create_plan
from plangate_server.usecases.read_plans import get_plan
from plangate_server.usecases.submit_review import SubmitReview, submit_review
from plangate_server.usecases.update_plan import UpdatePlan, update_plan
from tests.helpers.backends import BACKENDS, on
from tests.helpers.domain import a_draft, a_todo
from tests.helpers.nodes import two_nodes
from tests.helpers.profiles import rounds
from tests.helpers.world import AGENT, NO_POLICY, NOBODY, PERSON

Worlds = Sequence[World]
Result = TypeVar("Result")

ROUNDS = rounds(1000)
SIDE_BY_SIDE = 50
"""Rounds under way at a time."""
BUILDERS = 50
BUILT = {"sqlite": rounds(1000), "postgres": rounds(200), "two nodes": rounds(100)}
"""Rounds of many builders, each of which is many calls."""


@asynccontextmanager
async def open_worlds(kind: str, folder: Path) -> AsyncIterator[Worlds]:
    """Every node of a gate: the one over a database, or two over one PostgreSQL."""
    if kind == "two nodes":
        async with two_nodes(folder) as nodes:
            yield [node.world for node in nodes]
    else:
        async with BACKENDS[kind].open(folder) as node:
            yield [World(node.store, node.feed, SystemClock(), TimeOrderedIds(), NO_POLICY, NOBODY)]


@pytest.fixture(params=on("sqlite", "two nodes"))
async def worlds(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Worlds]:
    async with open_worlds(request.param, tmp_path) as opened:
        yield opened


async def play(rounds: int, one_round: Callable[[int], Awaitable[Result]]) -> list[Result]:
    results: list[Result] = []
    for first in range(0, rounds, SIDE_BY_SIDE):
        results += await asyncio.gather(*map(one_round, range(first, first + SIDE_BY_SIDE)))
    return results


async def propose(worlds: Worlds, number: int) -> Plan:
    command = CreatePlan(a_draft(f"# Plan {number}", todos=[a_todo("a")]))
    return await create_plan(worlds[number % len(worlds)], AGENT, command)


async def decide(world: World, plan: Plan, word: str) -> Plan:
    review = plan.review
    command = SubmitReview(review.approval_request_id, word, review.revision, review.digest)
    return await submit_review(world, PERSON, command)


async def chain_holds(world: World) -> bool:
    return (await verify_audit(world, AGENT, 0, "")).valid


@pytest.mark.thorough
async def test_of_approve_and_reject_one_wins(worlds: Worlds) -> None:
    """The other is refused and told what was decided and by whom, and every node shows the winner."""

    async def one_round(number: int) -> PlanState:
        plan = await propose(worlds, number)
        words = ("approve", "reject") if number % 2 else ("reject", "approve")
        answers = await asyncio.gather(
            decide(worlds[0], plan, words[0]), decide(worlds[-1], plan, words[1]), return_exceptions=True
        )
        (winner,) = [answer for answer in answers if isinstance(answer, Plan)]
        (loser,) = [answer for answer in answers if isinstance(answer, AlreadyDecided)]
        assert winner.review.outcome is not None
        assert loser.metadata["outcome"] == winner.review.outcome.name
        assert loser.metadata["decided_by"] == PERSON.name
        for world in worlds:
            assert await get_plan(world, AGENT, plan.uri) == winner
        return winner.state

    assert set(await play(ROUNDS, one_round)) <= {PlanState.APPROVED, PlanState.REJECTED}
    assert await chain_holds(worlds[-1])


@pytest.mark.thorough
async def test_new_words_are_never_approved_by_a_yes_to_the_old(worlds: Worlds) -> None:
    """Whichever of the two comes first, the plan with its new words waits for a decision of its own."""

    async def one_round(number: int) -> None:
        plan = await propose(worlds, number)
        calls = [
            update_plan(worlds[0], AGENT, UpdatePlan(plan.uri, 1, Amendment(a_draft("# Other words")))),
            decide(worlds[-1], plan, "approve"),
        ]
        order = 1 if number % 2 else -1
        changed, decided = (await asyncio.gather(*calls[::order], return_exceptions=True))[::order]
        assert isinstance(changed, Plan)
        assert isinstance(decided, Plan | StaleRevision)
        for world in worlds:
            after = await get_plan(world, AGENT, plan.uri)
            assert (after.state, after.revision.number) == (PlanState.IN_REVIEW, 2)
            assert not after.is_approved

    await play(ROUNDS, one_round)
    assert await chain_holds(worlds[-1])


@pytest.mark.thorough
@pytest.mark.parametrize("kind", on("sqlite", "postgres", "two nodes"))
async def test_of_fifty_builders_one_gets_the_todo(kind: str, tmp_path: Path) -> None:
    """The others are told which build has it, and the plan knows of no other builder."""

    async def one_round(worlds: Worlds, number: int) -> None:
        plan = await propose(worlds, number)
        await decide(worlds[0], plan, "approve")
        orders = [BuildOrder(f"agent-{builder}", ("a",), "", None) for builder in range(BUILDERS)]
        calls = [
            build_todos(worlds[place % len(worlds)], AGENT, plan.uri, order, None)
            for place, order in enumerate(orders)
        ]
        answers = await asyncio.gather(*calls, return_exceptions=True)
        (winner,) = [answer for answer in answers if isinstance(answer, Started)]
        refused = [answer for answer in answers if isinstance(answer, TodoHeld)]
        assert len(refused) == BUILDERS - 1
        assert {refusal.metadata["build_id"] for refusal in refused} == {winner.build.build_id}
        assert await get_plan(worlds[-1], AGENT, plan.uri) == winner.plan

    async with open_worlds(kind, tmp_path) as opened:
        await play(BUILT[kind], partial(one_round, opened))
