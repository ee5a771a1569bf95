"""What a token opened ends with it, and can be gone on with by another."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from plangate_proto.agent.v1.access_token_service_pb2 import WhoAmIRequest
from plangate_proto.agent.v1.agent_session_service_pb2 import WatchSessionRequest
from plangate_proto.agent.v1.plan_service_pb2 import ReviewPlanRequest
from plangate_proto.agent.v1.tool_approval_service_pb2 import WatchApprovalsRequest
from plangate_proto.aiserver.v1.plan_review_service_pb2 import WatchReviewsRequest
from plangate_proto.aiserver.v1.plan_service_pb2 import ReviewPlanRequest as AiserverReviewPlanRequest
from plangate_server.rpc import door
from tests.helpers.clock import SkippingClock
from tests.helpers.gate import Gate, connected
from tests.helpers.identities import make_token, revoke
from tests.helpers.refusals import Refused, refused
from tests.helpers.streams import cut_off, next_of, types
from tests.helpers.tool_calls import call


@pytest.fixture(autouse=True)
def look_often(monkeypatch: pytest.MonkeyPatch) -> None:
    """The gate looks every second for what has ended; how long that takes is not what is tested."""
    monkeypatch.setattr(door, "LOOK_SECONDS", 0.1)


Open = Callable[[Gate, str], Any]

STREAMS: dict[str, Open] = {
    "ReviewPlan": lambda gate, plan: gate.agent.ReviewPlan(ReviewPlanRequest(plan_uri=plan)),
    "aiserver ReviewPlan": lambda gate, plan: gate.aiserver.ReviewPlan(
        AiserverReviewPlanRequest(plan_uri=plan)
    ),
    "WatchReviews": lambda gate, _: gate.reviews.WatchReviews(WatchReviewsRequest()),
    "WatchApprovals": lambda gate, _: gate.approvals.WatchApprovals(WatchApprovalsRequest()),
    "WatchSession": lambda gate, _: gate.sessions.WatchSession(WatchSessionRequest(session_id="s")),
    "RequestApproval": lambda gate, _: gate.approvals.RequestApproval(call(call_id="c2")),
}


def cursor_in(response: Any) -> str:
    """Where the stream stands, if its messages say so."""
    event = getattr(response, "event", response)
    return str(getattr(event, "cursor", ""))


async def ended_by(stream: Any, end: Awaitable[object]) -> tuple[list[Any], Refused]:
    """What the stream tells while its token ends, and how it ends itself."""
    await end
    return await cut_off(stream)


@pytest.mark.parametrize("name", STREAMS)
async def test_revoking_ends_its_streams(gate: Gate, name: str) -> None:
    """With INVALID_CREDENTIALS and the cursor behind the last message."""
    plan = await gate.propose()
    await gate.ask(call())
    made = await make_token(gate, "admin")
    async with connected(gate.address, token=made.secret) as bearer:
        stream = STREAMS[name](bearer, plan.plan_uri)
        first = await next_of(stream)
        told, refusal = await ended_by(stream, revoke(gate, made.token))
    assert (refusal.status, refusal.reason) == ("UNAUTHENTICATED", "INVALID_CREDENTIALS")
    assert refusal.metadata.get("cursor", "") == cursor_in([first, *told][-1])
    assert (name == "RequestApproval") == ("cursor" not in refusal.metadata)


async def test_expiry_ends_its_streams(gate: Gate, clock: SkippingClock) -> None:
    """The same, and nobody has to do anything."""
    made = await make_token(gate, "observer", seconds=3600)
    async with connected(gate.address, token=made.secret) as bearer:
        stream = bearer.reviews.WatchReviews(WatchReviewsRequest())
        first = await next_of(stream)
        clock.skip(hours=1)
        _, refusal = await cut_off(stream)
        assert (await refused(bearer.plans())).reason == "INVALID_CREDENTIALS"
    assert (refusal.reason, refusal.metadata["cursor"]) == ("INVALID_CREDENTIALS", first.event.cursor)


async def test_another_token_goes_on_where_it_ended(gate: Gate) -> None:
    """With the cursor of the refusal nothing is missed and nothing told twice."""
    made, next_one = await make_token(gate, "observer"), await make_token(gate, "observer")
    async with connected(gate.address, token=made.secret) as bearer:
        stream = bearer.reviews.WatchReviews(WatchReviewsRequest())
        await next_of(stream)
        *_, refusal = await ended_by(stream, revoke(gate, made.token))
    plan = await gate.propose()
    async with connected(gate.address, token=next_one.secret) as bearer:
        stream = bearer.reviews.WatchReviews(WatchReviewsRequest(cursor=refusal.metadata["cursor"]))
        told = [(await next_of(stream)).event for _ in range(2)]
        stream.cancel()
    assert types(told) == ["PLAN_CREATED", "PLAN_APPROVAL_REQUIRED"]
    assert {event.plan_uri for event in told} == {plan.plan_uri}


async def test_streams_of_others_go_on(gate: Gate) -> None:
    """Also those of another token of the same name."""
    ended, other = await make_token(gate, "observer"), await make_token(gate, "observer")
    async with (
        connected(gate.address, token=ended.secret) as theirs,
        connected(gate.address, token=other.secret) as mine,
    ):
        streams = [each.reviews.WatchReviews(WatchReviewsRequest()) for each in (theirs, mine)]
        for stream in streams:
            await next_of(stream)
        await ended_by(streams[0], revoke(gate, ended.token))
        await gate.propose()
        assert types([(await next_of(streams[1])).event]) == ["PLAN_CREATED"]
        streams[1].cancel()


async def test_what_was_asked_for_waits_on(gate: Gate) -> None:
    """An agent whose token is revoked has lost its stream, not its place in the queue."""
    made = await make_token(gate, "agent")
    async with connected(gate.address, token=made.secret) as bearer:
        stream = bearer.approvals.RequestApproval(call())
        await next_of(stream)
        await ended_by(stream, revoke(gate, made.token))
    assert (await gate.prompt()).call_id == "c1"


async def test_a_token_is_ended_though_many_are_open(gate: Gate) -> None:
    """All its streams end, and not only the first."""
    made = await make_token(gate, "observer")
    async with connected(gate.address, token=made.secret) as bearer:
        streams = [bearer.reviews.WatchReviews(WatchReviewsRequest()) for _ in range(50)]
        for stream in streams:
            await next_of(stream)
        await revoke(gate, made.token)
        ends = await asyncio.gather(*(cut_off(stream) for stream in streams))
    assert {refusal.reason for _, refusal in ends} == {"INVALID_CREDENTIALS"}
    assert (await gate.tokens.WhoAmI(WhoAmIRequest())).name
