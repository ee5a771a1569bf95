"""Whoever watches a gate where nothing has happened yet gets a place to go on from, from every method."""

from collections.abc import Awaitable, Callable
from typing import NamedTuple

import pytest

from plangate_proto.agent.v1.agent_session_service_pb2 import WatchSessionRequest
from plangate_proto.agent.v1.tool_approval_service_pb2 import WatchApprovalsRequest
from plangate_proto.aiserver.v1.plan_review_service_pb2 import ListEventsRequest, WatchReviewsRequest
from tests.helpers.gate import Gate, proposal
from tests.helpers.streams import next_of
from tests.helpers.tool_calls import call


class First(NamedTuple):
    """What a stream or list says first."""

    cursor: str
    what: str
    """What it tells of; empty for nothing but the place."""


async def reviews(gate: Gate, request: WatchReviewsRequest) -> First:
    stream = gate.reviews.WatchReviews(request)
    event = (await next_of(stream)).event
    stream.cancel()
    return First(event.cursor, event.plan_uri)


async def approvals(gate: Gate, request: WatchApprovalsRequest) -> First:
    stream = gate.approvals.WatchApprovals(request)
    told = await next_of(stream)
    stream.cancel()
    return First(told.cursor, told.prompt.call_id)


async def entries(gate: Gate, request: ListEventsRequest) -> First:
    page = await gate.reviews.ListEvents(request)
    return First(page.next_cursor, page.entries[0].event.plan_uri if page.entries else "")


WATCHES: dict[str, Callable[[Gate, str], Awaitable[First]]] = {
    "WatchReviews": lambda gate, cursor: reviews(gate, WatchReviewsRequest(cursor=cursor)),
    "WatchReviews with a snapshot": lambda gate, cursor: reviews(
        gate, WatchReviewsRequest(cursor=cursor, snapshot=True)
    ),
    "WatchReviews of a session": lambda gate, cursor: reviews(
        gate, WatchReviewsRequest(cursor=cursor, session_id="s")
    ),
    "WatchApprovals": lambda gate, cursor: approvals(gate, WatchApprovalsRequest(cursor=cursor)),
    "WatchApprovals of a session": lambda gate, cursor: approvals(
        gate, WatchApprovalsRequest(cursor=cursor, session_id="s")
    ),
    "ListEvents": lambda gate, cursor: entries(gate, ListEventsRequest(cursor=cursor)),
    "ListEvents of a session": lambda gate, cursor: entries(
        gate, ListEventsRequest(cursor=cursor, session_id="s")
    ),
}


@pytest.mark.parametrize("name", WATCHES)
async def test_the_first_place_of_an_empty_log_leads_to_what_comes(gate: Gate, name: str) -> None:
    """It is there, and from it nothing is missed: what happened first is told first, as an event."""
    first = await WATCHES[name](gate, "")
    assert first.cursor
    assert first.what == ""
    plan = await gate.propose(proposal("# Tidy", session_id="s"))
    await gate.ask(call())
    assert (await WATCHES[name](gate, first.cursor)).what in {plan.plan_uri, call().call_id}


async def test_the_first_place_of_a_session_leads_to_what_comes(gate: Gate) -> None:
    """There is no session before something happened in it; from then on, it is the same."""
    await gate.ask(call())
    stream = gate.sessions.WatchSession(WatchSessionRequest(session_id="s"))
    first = await next_of(stream)
    stream.cancel()
    assert first.cursor
    await gate.ask(call(call_id="c2"))
    stream = gate.sessions.WatchSession(WatchSessionRequest(session_id="s", cursor=first.cursor))
    assert (await next_of(stream)).session.queue_length == 2
    stream.cancel()
