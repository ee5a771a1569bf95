"""Many callers at once: of what excludes each other exactly one happens, every time."""

import asyncio
from collections.abc import Awaitable
from typing import Any

import grpc
import pytest

from plangate_proto.agent.v1.plan_resource_pb2 import Plan, PlanState
from plangate_proto.agent.v1.review_resource_pb2 import ReviewOutcome
from tests.helpers.gate import Gate, proposal
from tests.helpers.profiles import rounds
from tests.helpers.refusals import refused
from tests.rpc.steps import approved, build, updated, with_todos

ROUNDS = rounds(1000)
SIDE_BY_SIDE = 50
"""Rounds under way at a time."""
BUILD_ROUNDS = rounds(50)
BUILDERS = 50

pytestmark = pytest.mark.thorough


async def reason(call: Awaitable[Any]) -> str:
    """Why the call was refused; empty if it was not."""
    try:
        await call
    except grpc.aio.AioRpcError as error:
        again = asyncio.get_running_loop().create_future()
        again.set_exception(error)
        return (await refused(again)).reason
    return ""


async def played(gate: Gate, play: Any, count: int) -> list[Any]:
    async def one_round(number: int) -> Any:
        return await play(await gate.propose(proposal(f"# {number}")), number)

    results: list[Any] = []
    for first in range(0, count, SIDE_BY_SIDE):
        results += await asyncio.gather(*map(one_round, range(first, min(first + SIDE_BY_SIDE, count))))
    return results


async def test_of_yes_and_no_at_once_one_counts(gate: Gate) -> None:
    """One of the two is recorded, the other is told so, and the plan is what the one said."""

    async def play(plan: Plan, number: int) -> str:
        options = ["approve", "reject"] if number % 2 else ["reject", "approve"]
        refusals = await asyncio.gather(*(reason(gate.decide(plan, option)) for option in options))
        assert sorted(refusals) == ["", "ALREADY_DECIDED"]
        winner = options[refusals.index("")]
        review = (await gate.get(plan.plan_uri)).review
        expected = {"approve": "APPROVED", "reject": "REJECTED"}[winner]
        assert ReviewOutcome.Name(review.outcome) == f"REVIEW_OUTCOME_{expected}"
        assert len(review.decisions) == 1
        return winner

    assert len(await played(gate, play, ROUNDS)) == ROUNDS


async def test_an_approval_never_covers_what_came_meanwhile(gate: Gate) -> None:
    """Whether the change or the yes comes first, the new text is not approved by a yes to the old."""

    async def play(plan: Plan, number: int) -> None:
        calls = [reason(updated(gate, plan, "# Burn it")), reason(gate.decide(plan, "approve"))]
        answers = await asyncio.gather(*(calls if number % 2 else calls[::-1]))
        change, decision = answers if number % 2 else answers[::-1]
        now = await gate.get(plan.plan_uri)
        assert change == ""
        assert decision in {"", "STALE_REVISION"}
        assert (now.revision, now.state) == (2, PlanState.PLAN_STATE_IN_REVIEW)
        assert await reason(build(gate, plan)) in {"NOT_APPROVED", "STALE_APPROVAL"}

    await played(gate, play, ROUNDS)


async def test_a_todo_has_one_winner(gate: Gate) -> None:
    """Of fifty agents that want one todo at once, one gets it and the others are told who has it."""
    for _ in range(BUILD_ROUNDS):
        plan = await approved(gate, with_todos())
        wanted = (build(gate, plan, f"agent-{n}", todo_ids=["a"]) for n in range(BUILDERS))
        refusals = await asyncio.gather(*map(reason, wanted))
        assert sorted(refusals) == ["", *["TODO_HELD"] * (BUILDERS - 1)]
        winner = f"agent-{refusals.index('')}"
        assert list((await gate.get(plan.plan_uri)).built_by) == [winner]
