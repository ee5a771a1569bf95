"""A session has only so many open reviews, in every store, however many ask at once and from wherever."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace

from plangate_server.domain.errors import LimitExceeded
from plangate_server.domain.lifecycle import Amendment
from plangate_server.domain.limits import Limits
from plangate_server.domain.plan import Plan, PlanState
from plangate_server.domain.policy import AutoRule, Policy
from plangate_server.domain.review import ReviewOptions
from plangate_server.ports import PlanFilter, RequestKey, World
from plangate_server.usecases.create_plan import CreatePlan, create_plan
from plangate_server.usecases.draft_plan import DraftPart, draft_plan
from plangate_server.usecases.overdue import settle_overdue
from plangate_server.usecases.read_plans import list_plans
from plangate_server.usecases.submit_review import SubmitReview, submit_review
from plangate_server.usecases.update_plan import UpdatePlan, update_plan
from plangate_server.usecases.withdraw_plan import withdraw_plan
from tests.helpers.backends import BACKENDS, on
from tests.helpers.domain import a_draft
from tests.helpers.nodes import two_nodes
from tests.helpers.world import AGENT, NO_POLICY, NOBODY, PERSON, CountingIds, FixedPolicy, ManualClock

MOST = 3
ASKED = 20
ROUNDS = 10


@asynccontextmanager
async def open_worlds(kind: str, folder: Path) -> AsyncIterator[Sequence[World]]:
    """Every node of a gate in which a session can have so many open reviews."""
    limits = Limits(open_reviews=MOST)
    if kind == "two nodes":
        async with two_nodes(folder) as nodes:
            yield [replace(node.world, limits=limits) for node in nodes]
    else:
        async with BACKENDS[kind].open(folder) as node:
            yield [World(node.store, node.feed, ManualClock(), CountingIds(), NO_POLICY, NOBODY, limits)]


@pytest.fixture(params=on(*BACKENDS, "two nodes"))
async def worlds(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Sequence[World]]:
    async with open_worlds(request.param, tmp_path) as opened:
        yield opened


@pytest.fixture(params=on(*BACKENDS))
async def world(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[World]:
    async with open_worlds(request.param, tmp_path) as (opened,):
        yield opened


def proposal(name: str, session_id: str = "s", key: RequestKey | None = None) -> CreatePlan:
    return CreatePlan(a_draft(name=name), session_id=session_id, multi_plan=True, key=key)


async def full(world: World) -> list[Plan]:
    """The plans of a session in which no more reviews can be opened."""
    return [await create_plan(world, AGENT, proposal(f"Plan {number}")) for number in range(MOST)]


async def decide(world: World, plan: Plan, word: str) -> Plan:
    review = plan.review
    command = SubmitReview(review.approval_request_id, word, review.revision, review.digest, "Because.")
    return await submit_review(world, PERSON, command)


async def is_full(world: World) -> bool:
    try:
        await create_plan(world, AGENT, proposal("One more"))
    except LimitExceeded as refusal:
        return refusal.metadata == {
            "limit": "open_reviews",
            "maximum": str(MOST),
            "actual": str(MOST + 1),
        }
    return False


async def test_of_many_at_once_as_many_as_may_are_opened(worlds: Sequence[World]) -> None:
    """The others are refused with the limit, and nothing of them is stored."""
    for turn in range(ROUNDS):
        session = f"s-{turn}"
        answers = await asyncio.gather(
            *(
                create_plan(worlds[number % len(worlds)], AGENT, proposal(f"Plan {number}", session))
                for number in range(ASKED)
            ),
            return_exceptions=True,
        )
        assert Counter(type(answer) for answer in answers) == {Plan: MOST, LimitExceeded: ASKED - MOST}
        stored, _ = await list_plans(worlds[-1], AGENT, PlanFilter(session_id=session), 1000, "")
        assert len(stored) == MOST


async def test_other_sessions_are_not_touched(world: World) -> None:
    """Each session counts for itself, and plans without a session are not counted."""
    await full(world)
    assert await is_full(world)
    await create_plan(world, AGENT, proposal("Elsewhere", "t"))
    for number in range(MOST + 1):
        await create_plan(world, AGENT, proposal(f"Nowhere {number}", ""))


@pytest.mark.parametrize("word", ["approve", "reject", "requestChanges", "withdraw"])
async def test_whatever_ends_a_review_makes_room(world: World, word: str) -> None:
    """One that was decided or taken back waits for nobody."""
    first, *_ = await full(world)
    if word == "withdraw":
        await withdraw_plan(world, AGENT, first.uri, reason="", agent_id="", key=None)
    else:
        await decide(world, first, word)
    assert not await is_full(world)
    assert await is_full(world)


async def test_a_review_whose_time_is_over_makes_room(world: World) -> None:
    """What nobody can decide any more is not open."""
    options = ReviewOptions(expires_after=timedelta(minutes=1))
    assert isinstance(world.clock, ManualClock)
    for number in range(MOST):
        await create_plan(world, AGENT, replace(proposal(f"Plan {number}"), options=options))
    assert await is_full(world)
    world.clock.advance(timedelta(minutes=2))
    await settle_overdue(world)
    assert not await is_full(world)


async def test_a_new_revision_of_an_open_review_passes(world: World) -> None:
    """A plan that is asked about anew takes no more room than before, also under a limit lowered since."""
    first, *_ = await full(world)
    lowered = replace(world, limits=Limits(open_reviews=1))
    amendment = Amendment(a_draft("# Other words", name="Plan 0"))
    revised = await update_plan(lowered, AGENT, UpdatePlan(first.uri, 1, amendment))
    assert (revised.state, revised.revision.number) == (PlanState.IN_REVIEW, 2)
    assert (await decide(lowered, revised, "approve")).state is PlanState.APPROVED


async def test_every_way_to_a_review_is_counted(world: World) -> None:
    """A decided plan with new words, and a draft that is submitted, open a review like a new plan does."""
    first, *_ = await full(world)
    approved = await decide(world, first, "approve")
    await create_plan(world, AGENT, proposal("In its place"))
    with pytest.raises(LimitExceeded):
        await update_plan(world, AGENT, UpdatePlan(approved.uri, 1, Amendment(a_draft("# Other words"))))

    async def parts() -> AsyncIterator[DraftPart]:
        yield DraftPart(a_draft(name="A draft"), session_id="s", agent_id="another")
        yield DraftPart(a_draft(name="A draft"), submit=True)

    with pytest.raises(LimitExceeded):
        await draft_plan(world, AGENT, parts())


async def test_a_repeated_request_gets_its_answer(world: World) -> None:
    """A client that asks again for what it has got is not refused, however full the session is by now."""
    key = RequestKey(AGENT.name, "r-1", "same")
    answer = await create_plan(world, AGENT, proposal("Plan 0", key=key))
    await create_plan(world, AGENT, proposal("Plan 1"))
    await create_plan(world, AGENT, proposal("Plan 2"))
    assert await is_full(world)
    assert await create_plan(world, AGENT, proposal("Plan 0", key=key)) == answer


async def test_what_a_rule_approves_waits_for_nobody(world: World) -> None:
    """Auto-approved plans are not counted."""
    await full(world)
    passing = replace(world, policies=FixedPolicy(Policy(auto_approve=(AutoRule("small", max_todos=3),))))
    plan = await create_plan(passing, AGENT, proposal("Small"))
    assert plan.state is PlanState.APPROVED
    assert await is_full(world)
