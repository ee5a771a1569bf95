"""ReviewPlan: the plan as it is, then what happens to it, and an end after the decision."""

import pytest

from plangate_server.domain.errors import MalformedPlanUri, PlanNotFound
from plangate_server.domain.events import EventType
from plangate_server.domain.plan import ENDED, Plan, PlanState
from plangate_server.domain.review import ReviewOutcome
from plangate_server.usecases.review_plan import Until, Waiter, review_plan
from tests.helpers.domain import NOW, plan_id
from tests.helpers.world import AGENT, STRANGER, Sandbox, events_of, next_of
from tests.unit.usecases.steps import FEEDBACK, decide, note, propose, reviewing, sequences, whole_review


async def test_a_review_is_a_snapshot_then_the_decision_then_the_end(sandbox: Sandbox, plan: Plan) -> None:
    """An agent that waits sees the plan as it is, then what was decided, and then nothing more."""
    async with reviewing(sandbox, plan) as stream:
        snapshot = await next_of(stream)
        assert (snapshot.type, snapshot.plan, snapshot.time) == (EventType.SNAPSHOT, plan, NOW)
        after = await decide(sandbox, plan)
        (decision,) = await events_of(stream)
    assert (decision.type, decision.plan.review, decision.sequence) == (
        EventType.PLAN_APPROVED,
        after.review,
        3,
    )


async def test_what_happens_before_the_decision_is_told(sandbox: Sandbox, plan: Plan) -> None:
    """Events that decide nothing pass through, and the stream goes on."""
    async with reviewing(sandbox, plan) as stream:
        await next_of(stream)
        await note(sandbox, plan, times=2)
        await decide(sandbox, plan)
        assert sequences(await events_of(stream)) == [3, 4, 5]


async def test_a_decided_plan_is_a_snapshot_and_the_end(sandbox: Sandbox, plan: Plan) -> None:
    """Who comes after the decision sees it in the snapshot, and does not wait."""
    after = await decide(sandbox, plan)
    (snapshot,) = await whole_review(sandbox, plan)
    assert (snapshot.type, snapshot.plan) == (EventType.SNAPSHOT, after)


async def test_other_plans_are_not_told(sandbox: Sandbox, plan: Plan) -> None:
    """A stream is about its plan, whatever else happens in the workspace."""
    async with reviewing(sandbox, plan) as stream:
        await next_of(stream)
        await decide(sandbox, await propose(sandbox))
        await decide(sandbox, plan)
        assert sequences(await events_of(stream)) == [6]


async def test_a_plan_that_is_not_there_cannot_be_reviewed(sandbox: Sandbox, plan: Plan) -> None:
    """An unknown plan, a malformed name and another workspace's plan are refused, and nobody waits."""
    for principal, plan_uri, refusal in (
        (AGENT, f"plangate://plans/{plan_id(99)}", PlanNotFound),
        (AGENT, "plangate://plans/..", MalformedPlanUri),
        (STRANGER, plan.uri, PlanNotFound),
    ):
        with pytest.raises(refusal):
            await events_of(review_plan(sandbox.world, principal, Waiter(plan_uri)))


async def test_a_decision_may_be_a_wish_for_changes(sandbox: Sandbox, plan: Plan) -> None:
    """A stream until the decision ends with requested changes too: it is the agent's turn."""
    async with reviewing(sandbox, plan) as stream:
        await next_of(stream)
        await decide(sandbox, plan, "requestChanges")
        (event,) = await events_of(stream)
    assert event.type is EventType.PLAN_MODIFICATION_REQUESTED
    assert event.message == FEEDBACK


async def test_a_result_is_waited_for_through_changes(sandbox: Sandbox, plan: Plan) -> None:
    """A stream until the result tells of requested changes and goes on."""
    async with reviewing(sandbox, plan, until=Until.RESULT) as stream:
        await next_of(stream)
        after = await decide(sandbox, plan, "requestChanges")
        assert (await next_of(stream)).plan.review.outcome is ReviewOutcome.CHANGES_REQUESTED
        await note(sandbox, after)
        assert (await next_of(stream)).sequence == 4


@pytest.mark.parametrize("selected_option", ["approve", "reject"])
async def test_yes_and_no_are_results(sandbox: Sandbox, plan: Plan, selected_option: str) -> None:
    """A stream until the result ends when the plan is approved or will not be."""
    await decide(sandbox, plan, selected_option)
    events = await whole_review(sandbox, plan, sandbox.cursor(2), until=Until.RESULT)
    assert sequences(events) == [3]


async def test_the_end_is_waited_for_through_the_build(sandbox: Sandbox, plan: Plan) -> None:
    """A stream until the end goes on after the approval, until nothing more can happen."""
    async with reviewing(sandbox, plan, until=Until.END) as stream:
        await next_of(stream)
        await decide(sandbox, plan)
        await note(sandbox, plan, state=PlanState.BUILDING)
        await note(sandbox, plan, state=PlanState.COMPLETED)
        states = [event.plan.state for event in await events_of(stream)]
    assert states == [PlanState.APPROVED, PlanState.BUILDING, PlanState.COMPLETED]


@pytest.mark.parametrize("state", sorted(ENDED))
async def test_every_end_is_an_end(sandbox: Sandbox, plan: Plan, state: PlanState) -> None:
    """A plan to which nothing more can happen has no stream that waits."""
    await note(sandbox, plan, state=state)
    assert sequences(await whole_review(sandbox, plan, until=Until.END)) == [3]


async def test_what_falls_between_stream_and_snapshot_is_told_once(sandbox: Sandbox, plan: Plan) -> None:
    """An event committed after following began and before the snapshot was taken is in the snapshot only."""
    world = sandbox.interrupted(lambda: note(sandbox, plan))
    async with reviewing(sandbox, plan, world=world) as stream:
        snapshot = await next_of(stream)
        await decide(sandbox, plan)
        assert [snapshot.sequence, *sequences(await events_of(stream))] == [3, 4]


async def test_a_decision_that_falls_between_is_not_waited_for(sandbox: Sandbox, plan: Plan) -> None:
    """A decision made while the stream was being opened is in the snapshot, and the stream ends."""
    world = sandbox.interrupted(lambda: decide(sandbox, plan))
    async with reviewing(sandbox, plan, world=world) as stream:
        (snapshot,) = await events_of(stream)
    assert snapshot.plan.state is PlanState.APPROVED
