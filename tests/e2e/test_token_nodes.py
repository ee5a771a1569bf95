"""Tokens of a gate with several nodes: made on one, known on all; revoked on one, ended on all."""

from collections.abc import AsyncIterator
from typing import Any, NamedTuple

import pytest

from plangate_proto.agent.v1.agent_session_service_pb2 import WatchSessionRequest
from plangate_proto.aiserver.v1.plan_review_service_pb2 import WatchReviewsRequest
from tests.e2e.processes import serving
from tests.helpers.gate import Gate, connected
from tests.helpers.identities import make_token, revoke
from tests.helpers.refusals import refused
from tests.helpers.streams import cut_off, next_of, types
from tests.helpers.tool_calls import call


class Nodes(NamedTuple):
    one: Gate
    other: Gate


@pytest.fixture
async def nodes(postgres_url: str) -> AsyncIterator[Nodes]:
    """Two processes over one database."""
    async with (
        serving(postgres_url) as first,
        serving(postgres_url) as second,
        connected(first.address) as one,
        connected(second.address) as other,
    ):
        yield Nodes(one, other)


async def test_a_token_is_known_everywhere_at_once(nodes: Nodes) -> None:
    """The first call with it on another node is answered: nobody waits for a look."""
    for number in range(5):
        made = await make_token(nodes.one, "agent", f"bot-{number}")
        async with connected(nodes.other.address, token=made.secret) as bearer:
            assert await bearer.plans() == []


@pytest.mark.parametrize("stream", ["WatchReviews", "WatchSession"])
async def test_revoking_ends_streams_on_the_other_node(nodes: Nodes, stream: str) -> None:
    """At its next look, with INVALID_CREDENTIALS and a cursor that another token goes on from, anywhere."""
    await nodes.one.ask(call())
    made, other = await make_token(nodes.one, "observer"), await make_token(nodes.one, "observer")
    async with connected(nodes.other.address, token=made.secret) as bearer:
        open_stream: Any = (
            bearer.reviews.WatchReviews(WatchReviewsRequest())
            if stream == "WatchReviews"
            else bearer.sessions.WatchSession(WatchSessionRequest(session_id="s"))
        )
        await next_of(open_stream)
        await revoke(nodes.one, made.token)
        _, refusal = await cut_off(open_stream)
        assert (refusal.status, refusal.reason) == ("UNAUTHENTICATED", "INVALID_CREDENTIALS")
        assert (await refused(bearer.plans())).reason == "INVALID_CREDENTIALS"
    if stream == "WatchReviews":
        await nodes.other.propose()
        async with connected(nodes.one.address, token=other.secret) as bearer:
            again = bearer.reviews.WatchReviews(WatchReviewsRequest(cursor=refusal.metadata["cursor"]))
            assert types([(await next_of(again)).event]) == ["PLAN_CREATED"]
            again.cancel()


async def test_a_revoked_token_is_unknown_to_a_new_node(nodes: Nodes, postgres_url: str) -> None:
    """What was revoked before it started never holds there."""
    made = await make_token(nodes.one, "agent")
    await revoke(nodes.other, made.token)
    async with serving(postgres_url) as third, connected(third.address, token=made.secret) as bearer:
        assert (await refused(bearer.plans())).reason == "INVALID_CREDENTIALS"
