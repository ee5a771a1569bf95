"""Builds and todos, on a real gate and on the fake one alike."""

from __future__ import annotations

import pytest

from plangate import errors
from plangate_proto.agent.v1.todo_tools_pb2 import TodoItem, TodoStatus
from tests.contract.sdk.steps import TODOS, approved, ids, state
from tests.helpers.either_client import Awaited

DONE = TodoStatus.TODO_STATUS_COMPLETED


async def test_only_what_was_approved_is_built(gate: Awaited) -> None:
    """Neither before the decision, nor after a no, nor with another text."""
    plan = await gate.create_plan("# Tidy the cellar", todos=TODOS)
    with pytest.raises(errors.NotApproved):
        await gate.build(plan)
    await gate.decide(plan, "approve")
    await gate.update_plan(plan, "# Tidy the attic")
    with pytest.raises(errors.StaleApproval):
        await gate.build(plan)


async def test_a_build(gate: Awaited) -> None:
    """Todos come in dependency order; each that is done lets others begin; then the plan is completed."""
    decision = await approved(gate)
    build = await gate.build(decision, agent_id="builder")
    assert ids(build.todos) == ["sort", "sweep", "paint"]
    assert build.waves == [["sort"], ["sweep"], ["paint"]]
    assert all(todo_id in build.prompt for todo_id in ids(build.todos))
    assert await build.start("sort") == []
    assert await build.done("sort") == ["sweep"]
    await build.done("sweep", "paint")
    await build.renew()
    finished = await build.finish("done")
    assert (finished.completed, finished.failed, finished.total) == (3, 0, 3)
    assert state(finished.plan) == "COMPLETED"
    assert list(finished.plan.built_by["builder"].todo_ids) == ["sort", "sweep", "paint"]
    assert [todo.status for todo in await gate.read_todos(decision.plan)] == [DONE] * 3
    with pytest.raises(errors.BuildEnded):
        await build.done("sort")


async def test_a_build_that_fails(gate: Awaited) -> None:
    """The plan is failed, and says how far it came."""
    build = await gate.build(await approved(gate))
    await build.done("sort")
    finished = await build.fail("the floor is wet")
    assert (finished.completed, finished.failed, state(finished.plan)) == (1, 2, "FAILED")


async def test_todos_are_held_by_one_build(gate: Awaited) -> None:
    """Who comes later gets what is left, and nothing that is in other hands."""
    decision = await approved(gate)
    first = await gate.build(decision, agent_id="one", todo_ids=["sort"])
    with pytest.raises(errors.TodoHeld):
        await gate.build(decision, agent_id="two", todo_ids=["sort"])
    with pytest.raises(errors.TodoNotFound):
        await gate.build(decision, agent_id="two", todo_ids=["polish"])
    second = await gate.build(decision, agent_id="two")
    assert ids(second.todos) == ["sweep", "paint"]
    with pytest.raises(errors.TodoHeld):
        await second.done("sort")
    await first.done("sort")
    await first.finish()
    assert state(await gate.get_plan(decision.plan)) == "BUILDING"


async def test_todos_are_written(gate: Awaited) -> None:
    """A status is progress; anything else is a new revision, about which people are asked."""
    decision = await approved(gate)
    moved = await gate.update_todos(decision.plan, [TodoItem(id="sort", status=DONE)])
    assert (moved.revision, list(moved.ready_todo_ids)) == (1, ["sweep"])
    added = await gate.update_todos(decision.plan, ["polish the door"])
    assert added.revision == 2
    plan = await gate.get_plan(decision.plan)
    assert (state(plan), ids(plan.todos)) == ("IN_REVIEW", ["paint", "sort", "sweep", "todo-1"])
    assert ids(await gate.read_todos(plan, statuses=[DONE])) == ["sort"]
    replaced = await gate.update_todos(plan, ["only this"], merge=False)
    assert ids(replaced.result.success.todos) == ["todo-1-2"]
