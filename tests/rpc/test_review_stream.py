"""ReviewPlan: an agent waits for the decision, breaks off, resumes, and misses nothing."""

import asyncio
from datetime import timedelta
from typing import Any

import grpc
import pytest

from plangate_proto.agent.v1 import session_state_pb2
from plangate_proto.agent.v1.plan_resource_pb2 import Plan
from plangate_proto.agent.v1.plan_service_pb2 import ReviewPlanRequest
from plangate_proto.agent.v1.review_event_pb2 import ReviewEvent
from plangate_server.storage.sole import SoleStore
from tests.helpers.gate import Gate
from tests.helpers.plans import filled_request
from tests.helpers.streams import WatchedHub, cut_off, next_of, rest_of, types
from tests.helpers.tokens import ADMIN


def waiting(plan: Plan, cursor: str = "", *, follow: bool = False) -> ReviewPlanRequest:
    return ReviewPlanRequest(plan_uri=plan.plan_uri, cursor=cursor, follow=follow)


async def snapshot_of(gate: Gate, plan: Plan) -> ReviewEvent:
    """The first event of a stream that is broken off right after it."""
    stream = gate.agent.ReviewPlan(waiting(plan))
    event = (await next_of(stream)).event
    stream.cancel()
    return event


async def events_of(gate: Gate, request: ReviewPlanRequest) -> list[ReviewEvent]:
    """Every event of a stream that ends by itself, with OK."""
    stream = gate.agent.ReviewPlan(request)
    events = [response.event for response in await rest_of(stream)]
    assert await stream.code() == grpc.StatusCode.OK
    return events


@pytest.mark.parametrize(
    ("option", "feedback", "told", "fsm_state"),
    [
        ("approve", "", "PLAN_APPROVED", "PLAN_EXECUTION"),
        ("reject", "Not in winter", "PLAN_REJECTED", "IDLE"),
        ("requestChanges", "Sweep twice", "PLAN_MODIFICATION_REQUESTED", "ARCHITECT_PLANNING"),
    ],
)
async def test_the_agent_learns_of_the_decision_as_it_is_made(
    gate: Gate, option: str, feedback: str, told: str, fsm_state: str
) -> None:
    """A stream begins with a snapshot, tells any decision with its words, and ends with OK."""
    plan = await gate.propose(filled_request())
    stream = gate.agent.ReviewPlan(waiting(plan))
    snapshot = (await next_of(stream)).event
    review = (await gate.decide(plan, option, feedback)).review
    decided = [response.event for response in await rest_of(stream)]
    assert types([snapshot, *decided]) == ["SNAPSHOT", told]
    assert await stream.code() == grpc.StatusCode.OK
    assert (decided[0].message, decided[0].actor) == (feedback, ADMIN)
    assert decided[0].review == review
    assert session_state_pb2.FsmState.Name(decided[0].fsm_state) == f"FSM_STATE_{fsm_state}"


async def test_a_snapshot_shows_the_plan(gate: Gate) -> None:
    """The first event of a stream carries the plan, its review and where the session stands."""
    plan = await gate.propose(filled_request())
    event = await snapshot_of(gate, plan)
    assert types([event]) == ["SNAPSHOT"]
    assert (event.plan, event.review) == (plan, plan.review)
    assert event.fsm_state == session_state_pb2.FSM_STATE_PLAN_REVIEW
    assert event.actor == "plangate"


async def test_every_event_says_what_it_is_about(gate: Gate) -> None:
    """Plan, review, session, revision and digest stand at the top of each event, with its time."""
    before = (await snapshot_of(gate, await gate.propose())).cursor
    plan = await gate.propose(filled_request())
    await gate.decide(plan, "approve")
    for event in await events_of(gate, waiting(plan, before)):
        assert (event.plan_uri, event.plan_id) == (plan.plan_uri, plan.plan_id)
        assert event.approval_request_id == plan.review.approval_request_id
        assert (event.session_id, event.revision, event.digest) == ("session-1", 1, plan.digest)
        assert event.event_time.seconds
        assert event.cursor
        assert event.plan_summary.goal == "Two afternoons"


async def test_the_summary_says_who_would_do_what_and_how_long(gate: Gate) -> None:
    """A person's first look has the goal, a line per todo with its hint, and the time in all."""
    summary = (await snapshot_of(gate, await gate.propose(filled_request()))).plan_summary
    assert (summary.goal, summary.subtasks_count) == ("Two afternoons", 2)
    assert [(s.id, s.description, s.agent) for s in summary.subtasks] == [
        ("sort", "Sort the boxes", "helper"),
        ("sweep", "Sweep the floor", ""),
    ]
    assert [s.estimated_time.ToTimedelta().total_seconds() for s in summary.subtasks] == [90, 30.5]
    assert summary.total_estimated_time.ToTimedelta() == timedelta(seconds=120.5)


async def test_a_plan_that_was_taken_can_be_reviewed(gate: Gate) -> None:
    """However long the todos would take, each as long as is allowed, people can look at the plan."""
    request = filled_request()
    for hint in request.todo_hints.values():
        hint.estimated_time.FromTimedelta(timedelta(days=3650))
    plan = await gate.propose(request)
    assert (await snapshot_of(gate, plan)).plan == plan


async def test_a_decision_made_before_is_in_the_snapshot(gate: Gate) -> None:
    """A stream that is opened after the decision shows it at once and ends."""
    plan = await gate.propose()
    review = (await gate.decide(plan, "approve")).review
    events = await events_of(gate, waiting(plan))
    assert types(events) == ["SNAPSHOT"]
    assert events[0].review == review


async def test_a_stream_resumes_after_its_cursor(gate: Gate) -> None:
    """What happened while nobody listened is told by the next stream, and nothing is told again."""
    plan = await gate.propose()
    snapshot = await snapshot_of(gate, plan)
    await gate.decide(plan, "approve")
    events = await events_of(gate, waiting(plan, snapshot.cursor))
    assert types(events) == ["PLAN_APPROVED"]


async def test_a_resumed_stream_waits_for_what_comes(gate: Gate, hub: WatchedHub) -> None:
    """A stream that resumes where nothing has happened since goes on live."""
    plan = await gate.propose()
    snapshot = await snapshot_of(gate, plan)
    await hub.until_followers(0)
    stream = gate.agent.ReviewPlan(waiting(plan, snapshot.cursor))
    await hub.until_followers(1)
    await gate.decide(plan, "approve")
    assert types([response.event for response in await rest_of(stream)]) == ["PLAN_APPROVED"]


async def test_a_stream_that_resumes_behind_the_decision_ends(gate: Gate) -> None:
    """A cursor of the decision leads to the receipt of its delivery and to an end with OK."""
    plan = await gate.propose()
    snapshot = await snapshot_of(gate, plan)
    await gate.decide(plan, "approve")
    decided = await events_of(gate, waiting(plan, snapshot.cursor))
    later = await events_of(gate, waiting(plan, decided[-1].cursor))
    assert types(later) == ["DECISION_DELIVERED"]
    assert await events_of(gate, waiting(plan, later[-1].cursor)) == []


async def test_a_stream_tells_of_its_plan_only(gate: Gate) -> None:
    """What happens to other plans meanwhile is not told."""
    plan = await gate.propose()
    snapshot = await snapshot_of(gate, plan)
    await gate.decide(await gate.propose(), "reject")
    await gate.decide(plan, "approve")
    events = await events_of(gate, waiting(plan, snapshot.cursor))
    assert [(event.plan_uri, *types([event])) for event in events] == [(plan.plan_uri, "PLAN_APPROVED")]


async def test_a_cursor_is_a_place_in_the_log_of_the_workspace(gate: Gate) -> None:
    """From a cursor older than the plan, its stream tells everything from its making on."""
    before = (await snapshot_of(gate, await gate.propose())).cursor
    plan = await gate.propose()
    await gate.decide(plan, "approve")
    events = await events_of(gate, waiting(plan, before))
    assert types(events) == ["PLAN_CREATED", "PLAN_APPROVAL_REQUIRED", "PLAN_APPROVED"]
    assert events[0].plan == plan
    assert len({event.cursor for event in events}) == 3


async def test_streams_agree_on_cursors(gate: Gate) -> None:
    """Live or resumed, an event has the same cursor and content in every stream."""
    plan = await gate.propose()
    live = [gate.agent.ReviewPlan(waiting(plan)) for _ in range(3)]
    snapshots = [(await next_of(stream)).event for stream in live]
    await gate.decide(plan, "approve")
    told = [await rest_of(stream) for stream in live]
    resumed = await events_of(gate, waiting(plan, snapshots[0].cursor))
    assert len({snapshot.cursor for snapshot in snapshots}) == 1
    assert [[response.event for response in responses] for responses in told] == [resumed] * 3


@pytest.mark.parametrize("resumes", [True, False], ids=["resumed", "new"])
async def test_an_event_between_looking_and_listening_is_told_once(
    gate: Gate, hub: WatchedHub, monkeypatch: pytest.MonkeyPatch, *, resumes: bool
) -> None:
    """A decision made while a stream is being opened is in what it looks up, and is not told again live."""
    plan = await gate.propose()
    cursor = (await snapshot_of(gate, plan)).cursor if resumes else ""
    await hub.until_followers(0)
    decided = asyncio.Event()

    def after_the_decision(look: Any) -> Any:
        async def wait_and_look(*args: Any) -> Any:
            await decided.wait()
            return await look(*args)

        return wait_and_look

    for name in ("read", "snapshot"):
        monkeypatch.setattr(SoleStore, name, after_the_decision(getattr(SoleStore, name)))
    stream = gate.agent.ReviewPlan(waiting(plan, cursor, follow=True))
    await hub.until_followers(1)
    await gate.decide(plan, "approve")
    decided.set()
    events = [(await next_of(stream)).event for _ in range(2)]
    await gate.stop()
    told, refusal = await cut_off(stream)
    assert types(events) == ["PLAN_APPROVED" if resumes else "SNAPSHOT", "DECISION_DELIVERED"]
    assert told == []
    assert refusal.metadata["cursor"] == events[-1].cursor


async def test_a_follower_is_told_of_a_rejection_and_let_go(gate: Gate) -> None:
    """With follow, a stream ends with OK when the plan has ended."""
    plan = await gate.propose()
    stream = gate.agent.ReviewPlan(waiting(plan, follow=True))
    await next_of(stream)
    await gate.decide(plan, "reject")
    assert types([response.event for response in await rest_of(stream)]) == ["PLAN_REJECTED"]
    assert await stream.code() == grpc.StatusCode.OK
