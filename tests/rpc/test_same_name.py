"""Two callers of one name are two: neither gets the other's answers, nor pays for the other's calls."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import pytest

from plangate_proto.agent.v1.plan_resource_pb2 import PlanState
from plangate_proto.agent.v1.review_resource_pb2 import ReviewOptions
from plangate_proto.aiserver.v1.plan_review_service_pb2 import WatchReviewsRequest
from plangate_server.domain.limits import Limits
from tests.helpers.gate import Gate, connected, decision, open_gate, proposal
from tests.helpers.identities import make_token
from tests.helpers.refusals import refused
from tests.helpers.streams import next_of


@asynccontextmanager
async def desks(gate: Gate, *persons: str) -> AsyncIterator[list[Gate]]:
    """The gate for reviewers that are all called the same, one of each person."""
    async with AsyncExitStack() as stack:
        secrets = [(await make_token(gate, "reviewer", "reviewer", person=each)).secret for each in persons]
        yield [await stack.enter_async_context(connected(gate.address, token=each)) for each in secrets]


async def test_one_request_id_of_two_persons_is_two_decisions(gate: Gate) -> None:
    """Word for word the same request: both approvals are recorded, and a repeat of one is still the one."""
    plan = await gate.propose(proposal(review=ReviewOptions(required_approvals=2)))
    request = decision(plan, "approve", request_id="r-1")
    async with desks(gate, "alice", "bob") as (alice, bob):
        first = await alice.reviews.SubmitReview(request)
        assert await alice.reviews.SubmitReview(request) == first
        assert (await gate.get(plan.plan_uri)).state == PlanState.PLAN_STATE_IN_REVIEW
        await bob.reviews.SubmitReview(request)
    after = await gate.get(plan.plan_uri)
    assert [(each.reviewer, each.person) for each in after.review.decisions] == [
        ("reviewer", "alice"),
        ("reviewer", "bob"),
    ]
    assert after.state == PlanState.PLAN_STATE_APPROVED


async def test_one_request_id_of_one_person_is_one_decision(gate: Gate) -> None:
    """Whichever of their tokens it comes with, if both are called the same."""
    plan = await gate.propose(proposal(review=ReviewOptions(required_approvals=2)))
    request = decision(plan, "approve", request_id="r-1")
    async with desks(gate, "alice", "alice") as (old, new):
        assert await new.reviews.SubmitReview(request) == await old.reviews.SubmitReview(request)
    assert len((await gate.get(plan.plan_uri)).review.decisions) == 1


async def test_one_request_id_of_two_persons_can_say_different_things(gate: Gate) -> None:
    """Nobody hears that an id was used that only somebody else has used."""
    one, other = await gate.propose(proposal("# One")), await gate.propose(proposal("# Other"))
    async with desks(gate, "alice", "bob") as (alice, bob):
        await alice.reviews.SubmitReview(decision(one, "approve", request_id="r-1"))
        await bob.reviews.SubmitReview(decision(other, "reject", "No", request_id="r-1"))
        again = await refused(bob.reviews.SubmitReview(decision(one, "approve", request_id="r-1")))
    assert again.reason == "REQUEST_ID_REUSED"


@pytest.fixture
async def narrow(tmp_path: Path) -> AsyncIterator[Gate]:
    """A gate that has one stream, and few calls, for each."""
    limits = Limits(streams_per_principal=1, calls_per_second=1)
    async with open_gate(tmp_path / "narrow.db", limits=limits) as gate:
        yield gate


async def test_streams_of_two_persons_are_counted_apart(narrow: Gate) -> None:
    """Who has all of theirs open takes none from a namesake."""
    async with desks(narrow, "alice", "bob") as (alice, bob):
        first = alice.reviews.WatchReviews(WatchReviewsRequest())
        await next_of(first)
        second = alice.reviews.WatchReviews(WatchReviewsRequest())
        assert (await refused(second.read())).metadata["limit"] == "streams_per_principal"
        theirs = bob.reviews.WatchReviews(WatchReviewsRequest())
        await next_of(theirs)
        for stream in (first, theirs):
            stream.cancel()


async def test_calls_of_two_persons_are_counted_apart(narrow: Gate) -> None:
    """Who calls too often keeps no namesake out."""

    async def until_refused(desk: Gate) -> str:
        while True:
            await desk.plans()

    async with desks(narrow, "alice", "bob") as (alice, bob):
        assert (await refused(until_refused(alice))).reason == "RATE_LIMITED"
        assert await bob.plans() == []
