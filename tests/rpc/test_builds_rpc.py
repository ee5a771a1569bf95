"""Todos in the hands of agents: only what was approved, each todo one agent's at a time."""

import pytest
from google.protobuf.duration_pb2 import Duration

from plangate_proto.agent.v1.plan_resource_pb2 import BuildOutcome, PlanProgress, PlanState
from plangate_proto.agent.v1.plan_service_pb2 import FinishBuildRequest, FinishBuildResponse
from plangate_proto.aiserver.v1 import plan_service_pb2 as aiserver_pb
from tests.helpers.clock import SkippingClock
from tests.helpers.gate import Gate
from tests.helpers.refusals import refused
from tests.helpers.streams import rest_of, types
from tests.rpc.steps import (
    COMPLETED,
    IN_PROGRESS,
    approved,
    build,
    now,
    statuses,
    told,
    until,
    updated,
    waiting,
    with_todos,
    write,
)

DONE, FAILED = BuildOutcome.BUILD_OUTCOME_COMPLETED, BuildOutcome.BUILD_OUTCOME_FAILED


async def finish(
    gate: Gate, build_id: str, outcome: BuildOutcome.ValueType = DONE, **fields: str
) -> FinishBuildResponse:
    return await gate.agent.FinishBuild(FinishBuildRequest(build_id=build_id, outcome=outcome, **fields))


async def test_an_approved_plan_is_handed_over(gate: Gate) -> None:
    """All unfinished todos in dependency order, in waves, with words for the agent and a lease."""
    plan = await approved(gate)
    started = await build(gate, plan, expected_digest=plan.digest)
    assert [list(wave.todo_ids) for wave in started.waves] == [["a", "c"], ["b"]]
    assert [todo.id for todo in started.todos] == ["a", "c", "b"]
    assert (started.revision, started.digest) == (1, plan.digest)
    assert "Implement 3 todos" in started.prompt
    assert all(f"[{todo.id}] {todo.content}" in started.prompt for todo in plan.todos)
    after = await gate.get(plan.plan_uri)
    assert (after.state, after.progress) == (
        PlanState.PLAN_STATE_BUILDING,
        PlanProgress.PLAN_PROGRESS_IN_PROGRESS,
    )
    assert {agent: list(ids.todo_ids) for agent, ids in after.built_by.items()} == {
        "builder": ["a", "c", "b"]
    }
    lease = started.lease_expire_time.ToDatetime() - after.update_time.ToDatetime()
    assert lease.total_seconds() == 600


@pytest.mark.parametrize("option", ["", "reject", "requestChanges"])
async def test_what_is_not_approved_is_not_built(gate: Gate, option: str) -> None:
    """Undecided, rejected or to be changed: refused, and nobody is registered."""
    plan = await gate.propose(with_todos())
    if option:
        await gate.decide(plan, option, "Sweep twice")
    refusal = await refused(build(gate, plan))
    assert (refusal.status, refusal.reason) == ("FAILED_PRECONDITION", "NOT_APPROVED")
    assert not (await gate.get(plan.plan_uri)).built_by


async def test_another_digest_is_not_built(gate: Gate) -> None:
    """Who means to build another text than the approved one is told both digests."""
    plan = await approved(gate)
    refusal = await refused(build(gate, plan, expected_digest="0" * 64))
    assert (refusal.status, refusal.reason) == ("FAILED_PRECONDITION", "STALE_APPROVAL")
    assert refusal.metadata["approved_digest"] == plan.digest
    assert refusal.metadata["digest"] == "0" * 64


async def test_a_todo_is_one_agents_at_a_time(gate: Gate) -> None:
    """Held todos are refused to others by name; what is free can be had beside them."""
    plan = await approved(gate)
    first = await build(gate, plan, "one", todo_ids=["a"])
    refusal = await refused(build(gate, plan, "two", todo_ids=["c", "a"]))
    assert (refusal.status, refusal.reason) == ("FAILED_PRECONDITION", "TODO_HELD")
    assert (refusal.metadata["todo_id"], refusal.metadata["build_id"]) == ("a", first.build_id)
    second = await build(gate, plan, "two")
    assert [todo.id for todo in second.todos] == ["b", "c"]
    assert (await refused(build(gate, plan, "three"))).reason == "TODO_HELD"
    for fields in ({"agent_id": "two"}, {"build_id": second.build_id}):
        assert (await refused(write(gate, plan, now("a", COMPLETED), **fields))).reason == "TODO_HELD"
    after = await gate.get(plan.plan_uri)
    assert {agent: list(ids.todo_ids) for agent, ids in after.built_by.items()} == {
        "one": ["a"],
        "two": ["b", "c"],
    }


async def test_a_lease_that_runs_out_gives_the_todos_back(gate: Gate, clock: SkippingClock) -> None:
    """Todos of an agent that is not heard from are pending again and anybody's; its build is over."""
    plan = await approved(gate)
    started = await build(gate, plan, "one", lease=Duration(seconds=3600))
    await write(gate, plan, now("a", IN_PROGRESS), now("c", COMPLETED), build_id=started.build_id)
    stream = waiting(gate, plan, follow=True)
    clock.skip(hours=1)
    returned = (await until(stream, "TODOS_CHANGED"))[-1]
    stream.cancel()
    assert "lease" in returned.message
    after = await gate.get(plan.plan_uri)
    assert statuses(after.todos) == {"a": "PENDING", "b": "PENDING", "c": "COMPLETED"}
    assert after.state == PlanState.PLAN_STATE_APPROVED
    late = write(gate, plan, now("a", COMPLETED), build_id=started.build_id)
    assert (await refused(late)).reason == "BUILD_ENDED"
    assert (await refused(finish(gate, started.build_id))).reason == "BUILD_ENDED"
    again = await build(gate, plan, "two")
    assert [todo.id for todo in again.todos] == ["a", "b"]


async def test_a_sign_of_life_renews_the_lease(gate: Gate) -> None:
    """UpdateTodos on behalf of the build begins its lease anew and says until when."""
    plan = await approved(gate)
    started = await build(gate, plan, lease=Duration(seconds=3600))
    answer = await write(gate, plan, now("a", IN_PROGRESS), build_id=started.build_id)
    assert answer.lease_expire_time.ToDatetime() > started.lease_expire_time.ToDatetime()


async def test_a_finished_build_is_counted(gate: Gate) -> None:
    """Completed and not, of how many, in which time; the plan is completed when all of it is."""
    plan = await approved(gate)
    started = await build(gate, plan)
    done = [now(id, COMPLETED) for id in ("a", "b", "c")]
    await write(gate, plan, *done, build_id=started.build_id)
    answer = await finish(gate, started.build_id, summary="Clean", request_id="r1")
    assert (answer.completed, answer.failed, answer.total) == (3, 0, 3)
    assert answer.duration.ToNanoseconds() > 0
    assert answer.plan.state == PlanState.PLAN_STATE_COMPLETED
    assert answer.plan.progress == PlanProgress.PLAN_PROGRESS_COMPLETE
    assert await finish(gate, started.build_id, summary="Clean", request_id="r1") == answer
    assert (await refused(finish(gate, started.build_id))).reason == "BUILD_ENDED"
    assert (await told(gate, plan))[-3:] == ["BUILD_STARTED", "TODOS_CHANGED", "EXECUTION_COMPLETED"]


async def test_a_failed_build_is_counted(gate: Gate) -> None:
    """What was not done counts as failed, and the plan failed with it."""
    plan = await approved(gate)
    started = await build(gate, plan)
    await write(gate, plan, now("a", COMPLETED), build_id=started.build_id)
    answer = await finish(gate, started.build_id, FAILED, summary="The roof leaks")
    assert (answer.completed, answer.failed, answer.total) == (1, 2, 3)
    assert answer.plan.state == PlanState.PLAN_STATE_FAILED
    assert (await told(gate, plan))[-1] == "EXECUTION_FAILED"


async def test_a_build_of_some_leaves_the_rest(gate: Gate) -> None:
    """While todos are left that nobody builds, the plan is approved still, and they can be had."""
    plan = await approved(gate)
    started = await build(gate, plan, todo_ids=["a"])
    await write(gate, plan, now("a", COMPLETED), build_id=started.build_id)
    assert (await finish(gate, started.build_id)).plan.state == PlanState.PLAN_STATE_APPROVED
    assert [todo.id for todo in (await build(gate, plan)).todos] == ["b", "c"]


async def test_a_follower_is_told_to_the_end(gate: Gate) -> None:
    """With follow, a stream goes from the decision through the build to its end, and closes."""
    plan = await gate.propose(with_todos())
    stream = waiting(gate, plan, follow=True)
    await gate.decide(plan, "approve")
    started = await build(gate, plan)
    done = [now(id, COMPLETED) for id in ("a", "b", "c")]
    await write(gate, plan, *done, build_id=started.build_id)
    await finish(gate, started.build_id, summary="Clean")
    events = [response.event for response in await rest_of(stream)]
    assert types(events)[-3:] == ["BUILD_STARTED", "TODOS_CHANGED", "EXECUTION_COMPLETED"]
    assert events[-3].build.build_id == events[-1].build.build_id == started.build_id
    assert statuses(events[-2].todos) == {"a": "COMPLETED", "b": "COMPLETED", "c": "COMPLETED"}
    assert (events[-1].message, events[-1].build.summary) == ("Clean", "Clean")


async def test_a_content_change_ends_a_build(gate: Gate) -> None:
    """Nobody goes on building a text that is no longer the approved one."""
    plan = await approved(gate)
    started = await build(gate, plan)
    await write(gate, plan, now("a", IN_PROGRESS), build_id=started.build_id)
    after = await updated(gate, plan, "# Burn the cellar")
    assert statuses(after.todos)["a"] == "PENDING"
    late = write(gate, plan, now("a", COMPLETED), build_id=started.build_id)
    assert (await refused(late)).reason == "BUILD_ENDED"


async def test_the_same_builds_in_words(gate: Gate) -> None:
    """aiserver.v1 hands over the same todos with statuses as words, and its build is as good."""
    plan = await approved(gate)
    request = aiserver_pb.BuildTodosRequest(plan_uri=plan.plan_uri, agent_id="theirs", request_id="r1")
    started = await gate.aiserver.BuildTodos(request)
    assert [(todo.id, todo.status) for todo in started.todos] == [
        ("a", "pending"),
        ("c", "pending"),
        ("b", "pending"),
    ]
    assert [list(wave.todo_ids) for wave in started.waves] == [["a", "c"], ["b"]]
    assert (started.revision, started.digest) == (1, plan.digest)
    assert await gate.aiserver.BuildTodos(request) == started
    assert (await refused(build(gate, plan))).reason == "TODO_HELD"
    assert (await finish(gate, started.build_id)).total == 3


async def test_a_retried_build_is_one_build(gate: Gate) -> None:
    """The same request under the same id gives the build that was begun, not TODO_HELD."""
    plan = await approved(gate)
    first = await build(gate, plan, request_id="r1")
    assert await build(gate, plan, request_id="r1") == first
    assert (await told(gate, plan)).count("BUILD_STARTED") == 1


@pytest.mark.parametrize(
    ("fields", "reason", "field"),
    [
        ({"agent_id": ""}, "MISSING_FIELD", "agent_id"),
        ({"todo_ids": ["a", "x"]}, "TODO_NOT_FOUND", "todo_ids[1]"),
        ({"lease": Duration(nanos=1)}, "INVALID_FIELD", "lease"),
        ({"lease": Duration(seconds=86401)}, "INVALID_FIELD", "lease"),
        ({"lease": Duration(seconds=10**15)}, "INVALID_FIELD", "lease"),
    ],
)
async def test_a_bad_order_is_refused_by_name(
    gate: Gate, fields: dict[str, object], reason: str, field: str
) -> None:
    """What is wrong with an order is named, and nothing is handed over."""
    plan = await approved(gate)
    refusal = await refused(build(gate, plan, **{"agent_id": "builder", **fields}))  # type: ignore[arg-type]
    assert (refusal.reason, refusal.metadata["field"]) == (reason, field)
    assert not (await gate.get(plan.plan_uri)).built_by


async def test_a_build_that_is_not_there(gate: Gate) -> None:
    """An unknown build and an end without an outcome are refused by name."""
    plan = await approved(gate)
    started = await build(gate, plan)
    assert (await refused(finish(gate, "nothing"))).reason == "BUILD_NOT_FOUND"
    assert (
        await refused(write(gate, plan, now("a", COMPLETED), build_id="nothing"))
    ).reason == "BUILD_NOT_FOUND"
    refusal = await refused(gate.agent.FinishBuild(FinishBuildRequest(build_id=started.build_id)))
    assert (refusal.reason, refusal.metadata["field"]) == ("MISSING_FIELD", "outcome")
