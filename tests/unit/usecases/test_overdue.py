"""What is overdue ends by itself, once, and in every workspace."""

from datetime import timedelta

import pytest
from msgspec.structs import replace

from plangate_server.domain.building import BuildOrder
from plangate_server.domain.errors import AlreadyDecided
from plangate_server.domain.events import EventType
from plangate_server.domain.identity import Principal
from plangate_server.domain.plan import Plan, PlanState
from plangate_server.domain.review import ReviewOptions, ReviewOutcome
from plangate_server.domain.todo_lists import TodoWrite
from plangate_server.domain.todos import TodoEdit, TodoStatus
from plangate_server.usecases.build_todos import Started, build_todos
from plangate_server.usecases.create_plan import CreatePlan, create_plan
from plangate_server.usecases.overdue import settle_overdue
from plangate_server.usecases.ownership import hand_of
from plangate_server.usecases.read_plans import get_plan
from plangate_server.usecases.submit_review import submit_review
from plangate_server.usecases.todo_tools import update_todos
from tests.helpers.backends import events_in
from tests.helpers.domain import a_draft, a_todo
from tests.helpers.world import AGENT, PERSON, STRANGER, Sandbox
from tests.unit.usecases.steps import about, decide

HOUR = timedelta(hours=1)


async def propose(sandbox: Sandbox, principal: Principal = AGENT) -> Plan:
    """A plan that waits for an hour."""
    draft = a_draft(todos=[a_todo("a"), a_todo("b")])
    command = CreatePlan(draft, options=ReviewOptions(expires_after=HOUR))
    return await create_plan(sandbox.world, principal, command)


async def build(sandbox: Sandbox, lease: timedelta = HOUR) -> Started:
    """A build whose agent has begun with its first todo."""
    plan = await decide(sandbox, await propose(sandbox))
    started = await build_todos(sandbox.world, AGENT, plan.uri, BuildOrder("coder", lease=lease), None)
    write = TodoWrite((TodoEdit("a", status=TodoStatus.IN_PROGRESS),), True, "coder", hand_of(AGENT, "coder"))
    await update_todos(sandbox.world, AGENT, plan.uri, write, None)
    return started


async def test_a_review_expires_when_its_time_is_over(sandbox: Sandbox) -> None:
    """Not a moment earlier, and once: it is an outcome of its own, by nobody."""
    plan = await propose(sandbox)
    sandbox.clock.advance(HOUR - timedelta(microseconds=1))
    assert await settle_overdue(sandbox.world) == 0
    sandbox.clock.advance(timedelta(microseconds=1))
    assert await settle_overdue(sandbox.world) == 1
    assert await settle_overdue(sandbox.world) == 0
    after = await get_plan(sandbox.world, AGENT, plan.uri)
    assert (after.state, after.review.outcome) == (PlanState.EXPIRED, ReviewOutcome.EXPIRED)
    assert after.review.decisions == ()
    assert [event.type for event in await events_in(sandbox.store, plan)][2:] == [EventType.REVIEW_EXPIRED]


async def test_every_workspace_is_looked_after(sandbox: Sandbox) -> None:
    """Time passes for everyone."""
    plans = {principal: await propose(sandbox, principal) for principal in (AGENT, STRANGER)}
    sandbox.clock.advance(HOUR)
    assert await settle_overdue(sandbox.world) == 2
    for principal, plan in plans.items():
        assert (await get_plan(sandbox.world, principal, plan.uri)).state is PlanState.EXPIRED


async def test_what_was_decided_in_time_does_not_expire(sandbox: Sandbox) -> None:
    """A decision stands, however late it is looked at."""
    plan = await decide(sandbox, await propose(sandbox))
    sandbox.clock.advance(24 * HOUR)
    assert await settle_overdue(sandbox.world) == 0
    assert await get_plan(sandbox.world, AGENT, plan.uri) == plan


async def test_too_late_is_too_late_before_anyone_has_looked(sandbox: Sandbox) -> None:
    """A decision after the time is refused as expired, also while the review still stands open."""
    plan = await propose(sandbox)
    sandbox.clock.advance(HOUR)
    with pytest.raises(AlreadyDecided) as refused:
        await submit_review(sandbox.world, PERSON, about(plan))
    assert refused.value.metadata["outcome"] == "EXPIRED"


async def test_an_agent_that_is_silent_gives_its_todos_back(sandbox: Sandbox) -> None:
    """What it had begun is pending again, the plan can be built anew, and the approval stands."""
    started = await build(sandbox)
    sandbox.clock.advance(HOUR)
    assert await settle_overdue(sandbox.world) == 1
    plan = await get_plan(sandbox.world, AGENT, started.plan.uri)
    assert (plan.state, plan.builds, plan.is_approved) == (PlanState.APPROVED, (), True)
    assert {entry.status for entry in plan.progress.values()} == {TodoStatus.PENDING}
    again = await build_todos(sandbox.world, AGENT, plan.uri, BuildOrder("other"), None)
    assert again.build.todo_ids == ("a", "b")


async def test_an_agent_that_is_heard_from_keeps_its_todos(sandbox: Sandbox) -> None:
    """Every write in the name of the build begins its lease anew, also one that changes nothing."""
    started = await build(sandbox)
    write = TodoWrite((), True, "coder", hand_of(AGENT, "coder", started.build.build_id))
    for _ in range(3):
        sandbox.clock.advance(HOUR - timedelta(seconds=1))
        written = await update_todos(sandbox.world, AGENT, started.plan.uri, write, None)
        assert written.lease_expire_time == sandbox.clock.now() + HOUR
        assert await settle_overdue(sandbox.world) == 0
    same = replace(started.build, lease_expire_time=sandbox.clock.now() + HOUR)
    assert (await get_plan(sandbox.world, AGENT, started.plan.uri)).builds == (same,)
