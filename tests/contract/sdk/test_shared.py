"""What holds for a real gate and for the fake one alike; each test is run against both, by both clients."""

from __future__ import annotations

import asyncio
import uuid
from typing import Any

import pytest

from plangate import Decision, TimedOut, errors
from plangate_proto.agent.v1.plan_resource_pb2 import Plan, PlanState
from plangate_proto.agent.v1.review_event_pb2 import ReviewEvent
from plangate_proto.agent.v1.todo_tools_pb2 import TodoItem, TodoStatus
from plangate_proto.aiserver.v1.create_plan_tool_pb2 import CreatePlanParams
from plangate_proto.aiserver.v1.todo_read_write_tools_pb2 import TodoItem as ServerTodoItem
from tests.helpers.conditions import PATIENCE
from tests.helpers.either_client import Awaited, first_of
from tests.helpers.streams import types

TODOS = [
    TodoItem(id="paint", content="paint the wall", dependencies=["sort", "sweep"]),
    TodoItem(id="sort", content="sort the boxes"),
    TodoItem(id="sweep", content="sweep the floor", dependencies=["sort"]),
]
DONE = TodoStatus.TODO_STATUS_COMPLETED


def state(plan: Plan) -> str:
    return PlanState.Name(plan.state).removeprefix("PLAN_STATE_")


def ids(todos: list[TodoItem]) -> list[str]:
    return [todo.id for todo in todos]


async def approved(gate: Awaited, **options: Any) -> Decision:
    plan = await gate.create_plan("# Tidy the cellar", **{"todos": TODOS, **options})
    await gate.decide(plan, "approve")
    decision: Decision = await gate.wait(plan)
    return decision


async def test_a_new_plan(gate: Awaited) -> None:
    """It is in review at its first revision, named after its heading, with an id for each todo."""
    plan = await gate.create_plan("Some words\n\n## Tidy the cellar\n", todos=["sort", "sweep"], agent_id="a")
    assert (state(plan), plan.revision, plan.name) == ("IN_REVIEW", 1, "Tidy the cellar")
    assert ids(plan.todos) == ["todo-1", "todo-2"]
    assert {todo.status for todo in plan.todos} == {TodoStatus.TODO_STATUS_PENDING}
    assert (plan.created_by, list(plan.edited_by)) == ("a", ["a"])
    assert (plan.review.revision, plan.review.digest) == (1, plan.digest)
    assert await gate.get_plan(plan) == await gate.get_plan(plan.plan_uri)


async def test_the_digest_is_that_of_the_content(gate: Awaited) -> None:
    """It is the same for the same content, whoever computes it."""
    plan = await gate.create_plan("# Tidy the cellar", todos=TODOS, overview="Make room.")
    assert plan.digest == "175d44d63c2bf5658899abb5c7c08b96016c20d447240417686ce514d376cc82"


@pytest.mark.parametrize(
    ("options", "error", "field"),
    [
        ({"plan": ""}, errors.MissingField, "args.plan"),
        (
            {"todos": [TodoItem(id="a", content="x"), TodoItem(id="a", content="y")]},
            errors.DuplicateTodoId,
            "args.todos[1].id",
        ),
        (
            {"todos": [TodoItem(id="a", content="x", dependencies=["b"])]},
            errors.UnknownDependency,
            "args.todos[0].dependencies[0]",
        ),
        (
            {"todos": [TodoItem(id="a", content="x", dependencies=["a"])]},
            errors.DependencyCycle,
            "args.todos",
        ),
        ({"todos": [TodoItem(id="a")]}, errors.MissingField, "args.todos[0].content"),
    ],
    ids=["no text", "same id twice", "unknown dependency", "circle", "no content"],
)
async def test_a_plan_that_is_not_sound(
    gate: Awaited, options: dict[str, Any], error: type[errors.PlangateError], field: str
) -> None:
    """It is refused, and the refusal names the field."""
    with pytest.raises(error) as caught:
        await gate.create_plan(**{"plan": "# Tidy the cellar", **options})
    assert caught.value.field == field


async def test_what_is_not_there(gate: Awaited) -> None:
    """A plan, a revision, a review and a build that nobody made are told apart."""
    plan = await gate.create_plan("# Tidy the cellar")
    with pytest.raises(errors.PlanNotFound):
        await gate.get_plan(f"plangate://plans/{uuid.uuid4().hex}")
    with pytest.raises(errors.MalformedPlanUri):
        await gate.get_plan("cellar")
    with pytest.raises(errors.RevisionNotFound):
        await gate.get_plan(plan, revision=2)
    plan.review.approval_request_id = uuid.uuid4().hex
    with pytest.raises(errors.ReviewNotFound):
        await gate.decide(plan, "approve")
    with pytest.raises(errors.BuildNotFound):
        await gate.update_todos(plan, [], build_id=uuid.uuid4().hex)


@pytest.mark.parametrize(
    ("option", "outcome", "after"),
    [
        ("approve", "APPROVED", "APPROVED"),
        ("reject", "REJECTED", "REJECTED"),
        ("requestChanges", "CHANGES_REQUESTED", "CHANGES_REQUESTED"),
    ],
)
async def test_a_decision(gate: Awaited, option: str, outcome: str, after: str) -> None:
    """Whoever waits gets it with its words; the plan is in the state that follows."""
    plan = await gate.create_plan("# Tidy the cellar")
    waiting = asyncio.create_task(gate.wait(plan))
    await gate.decide(plan, option, "my words")
    async with asyncio.timeout(PATIENCE):
        decision = await waiting
    assert (decision.outcome, decision.feedback) == (outcome, "my words")
    assert decision.approved == (outcome == "APPROVED")
    assert state(await gate.get_plan(plan)) == after


async def test_a_whole_update(gate: Awaited) -> None:
    """What is left out is taken away, what stays keeps its status; a part of the text does not fit to it."""
    plan = await gate.create_plan("# Tidy the cellar", overview="Why", todos=TODOS, is_spec=True)
    await gate.update_todos(plan, [TodoItem(id="sort", status=DONE)])
    with pytest.raises(errors.InvalidField):
        await gate.update_plan(plan, whole=True, old_str="cellar", new_str="attic")
    with pytest.raises(errors.MissingField):
        await gate.update_plan(plan, whole=True, todos=TODOS)
    sort = TodoItem(id="sort", content="sort half of the boxes")
    plan = await gate.update_plan(plan, "# Tidy it", whole=True, todos=[sort], is_project=True)
    assert (plan.name, plan.overview, plan.is_project, plan.is_spec) == ("Tidy it", "", True, False)
    assert [(todo.id, todo.status) for todo in plan.todos] == [("sort", DONE)]


async def test_a_whole_edit(gate: Awaited) -> None:
    """Whoever approves as edited can leave no todo; without whole they stay."""
    plan = await gate.create_plan("# Tidy the cellar", todos=TODOS)
    await gate.decide(plan, "edit", edited="# Leave the cellar", whole=True)
    assert len((await gate.wait(plan)).plan.todos) == 0
    plan = await gate.create_plan("# Tidy the cellar", todos=TODOS)
    params = CreatePlanParams(todos=[ServerTodoItem(id="sort", content="sort half of the boxes")])
    await gate.decide(plan, "edit", edited=params)
    decided = (await gate.wait(plan)).plan
    assert (decided.plan, [todo.content for todo in decided.todos]) == (plan.plan, ["sort half of the boxes"])


async def test_an_edit(gate: Awaited) -> None:
    """The edited text is a revision of its own, and the one that may be built."""
    plan = await gate.create_plan("# Tidy the cellar", todos=TODOS)
    await gate.decide(plan, "edit", edited="# Tidy half of the cellar")
    decision = await gate.wait(plan)
    assert (decision.outcome, decision.approved, decision.edited) == ("MODIFIED", True, True)
    assert (decision.plan.plan, decision.plan.revision) == ("# Tidy half of the cellar", 2)
    with pytest.raises(errors.StaleApproval):
        await gate.build(plan)
    assert (await gate.build(decision)).digest == decision.plan.digest


async def test_the_first_decision_wins(gate: Awaited) -> None:
    """Another one learns what was decided."""
    plan = await gate.create_plan("# Tidy the cellar")
    await gate.decide(plan, "approve")
    with pytest.raises(errors.AlreadyDecided) as caught:
        await gate.decide(plan, "reject", "no")
    assert caught.value.metadata["outcome"] == "APPROVED"


@pytest.mark.parametrize(
    ("option", "feedback", "error"),
    [("perhaps", "", errors.UnknownOption), ("requestChanges", "", errors.MissingField)],
)
async def test_no_decision_at_all(
    gate: Awaited, option: str, feedback: str, error: type[errors.PlangateError]
) -> None:
    """A word that is no choice, and a wish for changes without words, decide nothing."""
    plan = await gate.create_plan("# Tidy the cellar")
    with pytest.raises(error):
        await gate.decide(plan, option, feedback)
    assert state(await gate.get_plan(plan)) == "IN_REVIEW"


async def test_a_text_that_moved_on(gate: Awaited) -> None:
    """A decision and a revision about an older text are refused, and change nothing."""
    plan = await gate.create_plan("# Tidy the cellar")
    newer = await gate.update_plan(plan, "# Tidy the attic")
    assert (newer.revision, state(newer)) == (2, "IN_REVIEW")
    for call in (gate.decide(plan, "approve"), gate.update_plan(plan, "# Tidy the roof")):
        with pytest.raises(errors.StaleRevision):
            await call
    other = Plan()
    other.CopyFrom(newer)
    other.digest = "0" * 64
    with pytest.raises(errors.StaleRevision):
        await gate.decide(other, "approve")
    assert await gate.get_plan(plan, revision=1) != newer


async def test_a_part_of_the_text(gate: Awaited) -> None:
    """One place is replaced; a place that is not there, or twice, is refused."""
    plan = await gate.create_plan("one two two")
    with pytest.raises(errors.TextNotFound):
        await gate.update_plan(plan, old_str="three", new_str="four")
    with pytest.raises(errors.TextNotUnique):
        await gate.update_plan(plan, old_str="two", new_str="four")
    assert (await gate.update_plan(plan, old_str="one", new_str="three")).plan == "three two two"


async def test_changes_are_asked_for_and_made(gate: Awaited) -> None:
    """The new revision is asked about anew, and its decision is another one."""
    plan = await gate.create_plan("# Tidy the cellar")
    await gate.decide(plan, "requestChanges", "smaller")
    assert (await gate.wait(plan)).changes_requested
    smaller = await gate.update_plan(plan, "# Sweep the cellar")
    assert smaller.review.approval_request_id != plan.review.approval_request_id
    await gate.decide(smaller, "approve")
    assert (await gate.wait(smaller)).approved


async def test_the_plan_of_a_session(gate: Awaited) -> None:
    """A second proposal of a session is a revision of the first, until that is being built."""
    session = uuid.uuid4().hex
    plan = await gate.create_plan("# One", session_id=session)
    again = await gate.create_plan("# Two", session_id=session)
    assert (again.plan_uri, again.revision) == (plan.plan_uri, 2)
    other = await gate.create_plan("# Three", session_id=session, multi_plan=True)
    assert other.plan_uri != plan.plan_uri
    assert [each.plan for each in await gate.list_plans(session_id=session)] == ["# Two", "# Three"]


async def test_a_withdrawn_plan(gate: Awaited) -> None:
    """Nobody decides about it any more, also if it had been approved."""
    plan = await gate.create_plan("# Tidy the cellar")
    await gate.withdraw(plan, "not needed")
    decision = await gate.wait(plan)
    assert (decision.outcome, decision.approved) == ("WITHDRAWN", False)
    decision = await approved(gate)
    await gate.withdraw(decision.plan)
    assert (await gate.wait(decision.plan)).outcome == "WITHDRAWN"
    with pytest.raises(errors.WrongState):
        await gate.withdraw(plan)
    with pytest.raises(errors.NotApproved):
        await gate.build(decision)


async def test_nobody_decides_in_the_callers_time(gate: Awaited) -> None:
    """The wait ends, the review does not."""
    plan = await gate.create_plan("# Tidy the cellar")
    with pytest.raises(TimedOut):
        await gate.wait(plan, timeout=0.2)
    assert state(await gate.get_plan(plan)) == "IN_REVIEW"


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


async def test_the_events_of_a_life(gate: Awaited) -> None:
    """Everything that happens to a plan is told once, in order, to its end."""
    plan = await gate.create_plan("# Tidy the cellar", todos=["sweep"])
    snapshot: ReviewEvent = await first_of(gate, "events", plan)
    assert types([snapshot]) == ["SNAPSHOT"]
    newer = await gate.update_plan(plan, "# Tidy the attic")
    await gate.decide(newer, "approve", "my words")
    decision = await gate.wait(newer)
    await gate.acknowledge(decision)
    build = await gate.build(decision)
    await build.done(build.todos[0])
    await build.finish("all swept")
    events: list[ReviewEvent] = await gate.events(plan, follow=True, cursor=snapshot.cursor)
    assert [(kind, event.message) for kind, event in zip(types(events), events, strict=True)] == [
        ("PLAN_UPDATED", ""),
        ("PLAN_APPROVAL_REQUIRED", ""),
        ("PLAN_APPROVED", "my words"),
        ("DECISION_DELIVERED", ""),
        ("DECISION_ACKNOWLEDGED", ""),
        ("BUILD_STARTED", ""),
        ("TODOS_CHANGED", ""),
        ("EXECUTION_COMPLETED", "all swept"),
    ]


async def test_what_waits(gate: Awaited) -> None:
    """A review is listed until somebody decides."""
    session = uuid.uuid4().hex
    plan = await gate.create_plan("# Tidy the cellar", session_id=session)
    assert [item.plan.plan_uri for item in await gate.reviews(session_id=session)] == [plan.plan_uri]
    await gate.decide(plan, "reject", "no")
    assert await gate.reviews(session_id=session) == []
