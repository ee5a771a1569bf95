"""WatchReviews: what is open, a marker, then everything that happens, without a gap or a repeat."""

import asyncio
from typing import Any

import pytest

from plangate_proto.agent.v1.plan_resource_pb2 import Plan
from plangate_proto.agent.v1.review_event_pb2 import ReviewEvent
from plangate_proto.agent.v1.review_resource_pb2 import ReviewOptions
from plangate_proto.aiserver.v1.create_plan_tool_pb2 import CreatePlanParams
from plangate_proto.aiserver.v1.plan_review_service_pb2 import ListEventsRequest, WatchReviewsRequest
from plangate_proto.aiserver.v1.plan_service_pb2 import CreatePlanRequest
from plangate_server.usecases import streams
from tests.helpers.gate import Gate, proposal
from tests.helpers.refusals import refused
from tests.helpers.streams import WatchedHub, cut_off, next_of, rest_of, types
from tests.rpc.steps import kinds, until, updated, watching

DEMANDING = ReviewOptions(require_reviewer=True)


async def take(stream: Any, count: int) -> list[ReviewEvent]:
    return [(await next_of(stream)).event for _ in range(count)]


async def test_a_watch_begins_with_what_is_open(gate: Gate) -> None:
    """A snapshot for each plan that waits, oldest first, and a marker; what is decided is left out."""
    first, decided, last = [await gate.propose(proposal(f"# {number}")) for number in range(3)]
    await gate.decide(decided, "reject")
    stream, events = await watching(gate, snapshot=True)
    stream.cancel()
    assert types(events) == ["SNAPSHOT", "SNAPSHOT", "CHECKPOINT"]
    assert [event.plan.plan for event in events[:2]] == [first.plan, last.plan]
    # Whoever breaks off among the snapshots must not resume behind those that were still to come.
    assert [bool(event.cursor) for event in events] == [False, False, True]


async def test_without_a_snapshot_a_watch_begins_now(gate: Gate) -> None:
    """Only the marker comes before what happens next."""
    await gate.propose()
    stream, events = await watching(gate)
    assert types(events) == ["CHECKPOINT"]
    plan = await gate.propose()
    live = await take(stream, 2)
    stream.cancel()
    assert types(live) == ["PLAN_CREATED", "PLAN_APPROVAL_REQUIRED"]
    assert live[0].plan.plan_uri == plan.plan_uri


async def test_a_watch_tells_of_everything_in_order(gate: Gate) -> None:
    """What many callers do at once comes as the log has it, each event once."""
    stream, _ = await watching(gate)
    plans = await asyncio.gather(*(gate.propose(proposal(f"# {number}")) for number in range(20)))
    await asyncio.gather(*(gate.decide(plan, "approve") for plan in plans))
    live = await take(stream, 60)
    stream.cancel()
    log = await gate.reviews.ListEvents(ListEventsRequest(page_size=1000))
    assert live == [entry.event for entry in log.entries]


async def make(gate: Gate) -> tuple[Plan, Plan]:
    """A plan in each of two sessions, one approved and one rejected."""
    ours = await gate.propose(proposal("# Ours", session_id="ours"))
    theirs = await gate.propose(proposal("# Theirs", session_id="theirs"))
    await gate.decide(ours, "approve")
    await gate.decide(theirs, "reject")
    return ours, theirs


FILTERS: dict[str, tuple[dict[str, Any], list[str]]] = {
    "session": ({"session_id": "ours"}, ["PLAN_CREATED", "PLAN_APPROVAL_REQUIRED", "PLAN_APPROVED"]),
    "type": ({"types": kinds("PLAN_REJECTED")}, ["PLAN_REJECTED"]),
    "types": ({"types": kinds("PLAN_REJECTED", "PLAN_APPROVED")}, ["PLAN_APPROVED", "PLAN_REJECTED"]),
    "both": ({"session_id": "ours", "types": kinds("PLAN_REJECTED", "PLAN_CREATED")}, ["PLAN_CREATED"]),
}


@pytest.mark.parametrize("name", FILTERS)
async def test_filters_are_exact_live_and_from_a_cursor(gate: Gate, name: str) -> None:
    """What is told live and what is told from a cursor are the same events, those that fit."""
    fields, expected = FILTERS[name]
    stream, begun = await watching(gate, **fields)
    await make(gate)
    live = await take(stream, len(expected))
    stream.cancel()
    again, resumed = await watching(gate, cursor=begun[-1].cursor, **fields)
    again.cancel()
    assert types(live) == expected
    assert resumed[:-1] == live


async def test_a_watch_resumes_from_any_cursor(gate: Gate) -> None:
    """From each event of a log, a new watch tells exactly those after it, then the marker, then live."""
    stream, begun = await watching(gate)
    await make(gate)
    events = await take(stream, 6)
    stream.cancel()
    for place, cursor in enumerate([begun[-1].cursor, *(event.cursor for event in events)]):
        resumed, told = await watching(gate, cursor=cursor, snapshot=True)
        assert told[:-1] == events[place:]
        resumed.cancel()
    resumed, _ = await watching(gate, cursor=events[-1].cursor)
    await gate.propose()
    assert types(await take(resumed, 1)) == ["PLAN_CREATED"]
    resumed.cancel()


async def test_a_cursor_that_is_none_is_refused(gate: Gate) -> None:
    """A cursor that the service did not give out is refused by name."""
    _, refusal = await cut_off(gate.reviews.WatchReviews(WatchReviewsRequest(cursor="nonsense")))
    assert (refusal.status, refusal.reason) == ("INVALID_ARGUMENT", "INVALID_CURSOR")


async def test_who_watches_is_counted(gate: Gate, hub: WatchedHub) -> None:
    """An agent learns how many reviewers watch, and that they have gone."""
    assert (await gate.agent.CreatePlan(proposal())).reviewers_watching == 0
    watches = [(await watching(gate))[0] for _ in range(2)]
    answer = await gate.agent.CreatePlan(proposal())
    assert (answer.reviewers_watching, answer.plan.review.reviewers_watching) == (2, 2)
    for watch in watches:
        watch.cancel()
    await hub.until_followers(0)
    assert (await gate.agent.CreatePlan(proposal())).reviewers_watching == 0


async def test_a_reviewer_can_be_demanded(gate: Gate) -> None:
    """With nobody watching, both vocabularies refuse and store nothing; with somebody, they take it."""
    demanded = proposal(review=DEMANDING, session_id="s")
    stream = gate.aiserver.CreatePlan(
        CreatePlanRequest(params=CreatePlanParams(plan="# Plan"), review=DEMANDING, session_id="s")
    )
    for call in (gate.propose(demanded), rest_of(stream)):
        refusal = await refused(call)
        assert (refusal.status, refusal.reason) == ("FAILED_PRECONDITION", "NO_REVIEWER")
        assert refusal.metadata["session_id"] == "s"
    assert await gate.plans() == []
    watch, _ = await watching(gate)
    assert (await gate.propose(demanded)).revision == 1
    watch.cancel()


async def test_a_reviewer_can_be_demanded_for_a_revision(gate: Gate) -> None:
    """UpdatePlan refuses like CreatePlan, and the plan stays as it is."""
    plan = await gate.propose()
    refusal = await refused(updated(gate, plan, "# Second", review=DEMANDING))
    assert (refusal.status, refusal.reason) == ("FAILED_PRECONDITION", "NO_REVIEWER")
    assert await gate.get(plan.plan_uri) == plan


async def test_a_retry_needs_no_reviewer(gate: Gate, hub: WatchedHub) -> None:
    """What was stored while somebody watched is answered again when they have gone."""
    request = proposal(review=DEMANDING, request_id="r1")
    watch, _ = await watching(gate)
    first = await gate.propose(request)
    watch.cancel()
    await hub.until_followers(0)
    assert (await gate.propose(request)).plan_uri == first.plan_uri


async def test_an_idle_watch_moves_on(gate: Gate, monkeypatch: pytest.MonkeyPatch) -> None:
    """A watch whose filter lets nothing through gets a checkpoint, from which it resumes without a gap."""
    monkeypatch.setattr(streams, "CHECKPOINT_SECONDS", 0.02)
    stream, begun = await watching(gate, session_id="quiet")
    await gate.propose(proposal(session_id="loud"))
    moved = await take(stream, 1)
    assert types(moved) == ["CHECKPOINT"]
    assert moved[0].cursor != begun[-1].cursor
    plan = await gate.propose(proposal(session_id="quiet"))
    live = (await until(stream, "PLAN_CREATED"))[-1]
    stream.cancel()
    again, resumed = await watching(gate, cursor=moved[0].cursor, session_id="quiet")
    again.cancel()
    assert resumed[0] == live
    assert live.plan_uri == plan.plan_uri


async def test_a_watch_is_let_go_when_the_server_stops(gate: Gate) -> None:
    """A stop ends it with SHUTTING_DOWN and the cursor to resume from."""
    stream, begun = await watching(gate)
    await gate.stop()
    told, refusal = await cut_off(stream)
    assert told == []
    assert (refusal.status, refusal.reason) == ("UNAVAILABLE", "SHUTTING_DOWN")
    assert refusal.metadata["cursor"] == begun[-1].cursor
