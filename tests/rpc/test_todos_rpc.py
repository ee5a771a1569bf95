"""The todo tools of both vocabularies: reading, progress, and changes that people are asked about."""

from typing import Any

import pytest

from plangate_proto.agent.v1.plan_resource_pb2 import Plan, PlanState
from plangate_proto.agent.v1.plan_service_pb2 import ReadTodosRequest
from plangate_proto.agent.v1.todo_tools_pb2 import ReadTodosArgs, TodoItem, TodoStatus
from plangate_proto.aiserver.v1 import todo_read_write_tools_pb2 as words
from plangate_proto.aiserver.v1.plan_service_pb2 import TodoReadRequest, TodoWriteRequest, TodoWriteResponse
from tests.helpers.gate import Gate
from tests.helpers.refusals import refused
from tests.rpc.steps import (
    CANCELLED,
    COMPLETED,
    IN_PROGRESS,
    PENDING,
    approved,
    build,
    now,
    statuses,
    told,
    with_todos,
    write,
)

FILTERS: dict[str, tuple[ReadTodosArgs, list[str]]] = {
    "none": (ReadTodosArgs(), ["a", "b", "c"]),
    "status": (ReadTodosArgs(status_filter=[PENDING]), ["b", "c"]),
    "statuses": (ReadTodosArgs(status_filter=[COMPLETED, PENDING]), ["a", "b", "c"]),
    "ids": (ReadTodosArgs(id_filter=["c", "a", "nothing"]), ["a", "c"]),
    "both": (ReadTodosArgs(status_filter=[PENDING], id_filter=["a", "b"]), ["b"]),
}


@pytest.mark.parametrize("name", FILTERS)
async def test_filters_hold_at_once(gate: Gate, name: str) -> None:
    """Todos come in the plan's order, those that pass every filter, and their count."""
    args, expected = FILTERS[name]
    plan = await gate.propose(with_todos())
    await write(gate, plan, now("a", COMPLETED))
    answer = await gate.agent.ReadTodos(ReadTodosRequest(plan_uri=plan.plan_uri, args=args))
    success = answer.result.success
    assert [todo.id for todo in success.todos] == expected
    assert success.total_count == len(expected)


async def test_a_status_is_progress(gate: Gate) -> None:
    """A change of status keeps revision, digest and approval, and is told with the todo that moved."""
    plan = await approved(gate)
    answer = await write(gate, plan, now("a", IN_PROGRESS), agent_id="agent-1")
    assert answer.revision == 1
    after = await gate.get(plan.plan_uri)
    assert (after.digest, after.state) == (plan.digest, PlanState.PLAN_STATE_APPROVED)
    assert statuses(after.todos) == {"a": "IN_PROGRESS", "b": "PENDING", "c": "PENDING"}
    assert after.todos[0].updated_at >= plan.todos[0].updated_at
    assert (await told(gate, plan))[-1] == "TODOS_CHANGED"


async def test_a_merge_keeps_what_is_left_empty(gate: Gate) -> None:
    """Known ids are changed, unknown ones appended, everything else stays; content goes to review."""
    plan = await approved(gate)
    answer = await write(gate, plan, TodoItem(id="b", content="Sweep twice"), TodoItem(content="Paint"))
    success = answer.result.success
    assert [(todo.id, todo.content, list(todo.dependencies)) for todo in success.todos] == [
        ("a", "Sort the boxes", []),
        ("b", "Sweep twice", ["a"]),
        ("c", "Air it", []),
        ("todo-2", "Paint", []),
    ]
    assert (success.total_count, success.was_merge, answer.revision) == (4, True, 2)
    assert (await gate.get(plan.plan_uri)).state == PlanState.PLAN_STATE_IN_REVIEW


async def test_a_replacement_is_the_whole_list(gate: Gate) -> None:
    """Without merge the list is what was sent; what is kept by id keeps its progress."""
    plan = await gate.propose(with_todos())
    await write(gate, plan, now("c", COMPLETED))
    kept = TodoItem(id="c", content="Air it", status=COMPLETED)
    answer = await write(gate, plan, kept, TodoItem(content="Paint"), merge=False)
    success = answer.result.success
    assert (answer.revision, success.was_merge, success.total_count) == (2, False, 2)
    assert list(statuses(success.todos).values()) == ["COMPLETED", "PENDING"]


async def test_a_write_that_changes_nothing_is_no_event(gate: Gate) -> None:
    """Saying again what is so is neither a revision nor told."""
    plan = await gate.propose(with_todos())
    await write(gate, plan, now("a", COMPLETED))
    before = await told(gate, plan)
    answer = await write(gate, plan, now("a", COMPLETED))
    assert answer.revision == 1
    assert await told(gate, plan) == before


async def test_what_can_begin_is_named(gate: Gate) -> None:
    """Ready is what is pending and comes after completed todos only; a cancelled one does not count."""
    plan = await gate.propose(with_todos())
    first = await write(gate, plan, now("c", CANCELLED))
    assert (list(first.ready_todo_ids), first.needs_in_progress_todos) == (["a"], True)
    second = await write(gate, plan, now("a", IN_PROGRESS))
    assert (list(second.ready_todo_ids), second.needs_in_progress_todos) == ([], False)
    third = await write(gate, plan, now("a", CANCELLED))
    assert list(third.ready_todo_ids) == []
    fourth = await write(gate, plan, now("a", COMPLETED))
    assert (list(fourth.ready_todo_ids), fourth.needs_in_progress_todos) == (["b"], True)


async def todo_write(
    gate: Gate, plan: Plan, *todos: words.TodoItem, merge: bool = True, **fields: Any
) -> TodoWriteResponse:
    params = words.TodoWriteParams(todos=todos, merge=merge)
    return await gate.aiserver.TodoWrite(TodoWriteRequest(plan_uri=plan.plan_uri, params=params, **fields))


async def test_the_same_todos_in_words(gate: Gate) -> None:
    """TodoRead shows what UpdateTodos wrote, its statuses as words."""
    plan = await gate.propose(with_todos())
    await write(gate, plan, now("a", COMPLETED))
    answer = await gate.aiserver.TodoRead(TodoReadRequest(plan_uri=plan.plan_uri))
    assert list(answer.result.todos) == [
        words.TodoItem(id="a", content="Sort the boxes", status="completed"),
        words.TodoItem(id="b", content="Sweep the floor", status="pending", dependencies=["a"]),
        words.TodoItem(id="c", content="Air it", status="pending"),
    ]


async def test_a_write_in_words_says_before_and_after(gate: Gate) -> None:
    """TodoWrite gives the todos as they were and as they are, and what can begin."""
    plan = await gate.propose(with_todos())
    answer = await todo_write(gate, plan, words.TodoItem(id="a", status="completed"))
    result = answer.result
    assert (result.success, result.was_merge, answer.revision) == (True, True, 1)
    assert [todo.status for todo in result.initial_todos] == ["pending"] * 3
    assert [todo.status for todo in result.final_todos] == ["completed", "pending", "pending"]
    assert (list(result.ready_task_ids), result.needs_in_progress_todos) == (["b", "c"], True)
    assert statuses((await gate.get(plan.plan_uri)).todos)["a"] == "COMPLETED"


async def test_a_replacement_in_words_is_a_new_revision(gate: Gate) -> None:
    """Content that is changed in either vocabulary puts the plan back in review."""
    plan = await approved(gate)
    answer = await todo_write(gate, plan, words.TodoItem(id="x", content="Paint"), merge=False)
    assert (answer.revision, [todo.id for todo in answer.result.final_todos]) == (2, ["x"])
    assert (await gate.get(plan.plan_uri)).state == PlanState.PLAN_STATE_IN_REVIEW


async def test_a_retried_write_is_one_write(gate: Gate) -> None:
    """The same write under the same id has one effect and the first answer, before and after included."""
    plan = await gate.propose(with_todos())
    first = await write(gate, plan, TodoItem(content="Paint"), request_id="r1")
    assert await write(gate, plan, TodoItem(content="Paint"), request_id="r1") == first
    one = words.TodoItem(id="a", status="completed")
    second = await todo_write(gate, plan, one, request_id="r2")
    assert await todo_write(gate, plan, one, request_id="r2") == second
    assert (await gate.get(plan.plan_uri)).revision == 2


BAD: dict[str, tuple[list[TodoItem], str, str]] = {
    "dependency": (
        [TodoItem(id="a", dependencies=["x"])],
        "UNKNOWN_DEPENDENCY",
        "args.todos[0].dependencies[0]",
    ),
    "cycle": ([TodoItem(id="a", dependencies=["b"])], "DEPENDENCY_CYCLE", "args.todos"),
    "twice": ([now("a", PENDING), now("a", COMPLETED)], "DUPLICATE_TODO_ID", "args.todos[1].id"),
    "status": ([now("a", 9)], "INVALID_FIELD", "args.todos[0].status"),  # type: ignore[arg-type]
    "no content": ([TodoItem(id="new")], "MISSING_FIELD", "args.todos[0].content"),
    "no content behind another": (
        [TodoItem(id="c", content="Air"), TodoItem(id="new")],
        "MISSING_FIELD",
        "args.todos[1].content",
    ),
    "dependency behind another": (
        [TodoItem(id="c", content="Air"), TodoItem(id="a", dependencies=["b", "x"])],
        "UNKNOWN_DEPENDENCY",
        "args.todos[1].dependencies[1]",
    ),
}


@pytest.mark.parametrize("name", BAD)
async def test_a_bad_write_is_refused_by_name(gate: Gate, name: str) -> None:
    """What is not sound is refused with the field at fault, and nothing of it is stored."""
    todos, reason, field = BAD[name]
    plan = await gate.propose(with_todos())
    refusal = await refused(write(gate, plan, *todos))
    assert (refusal.reason, refusal.metadata["field"]) == (reason, field)
    assert await gate.get(plan.plan_uri) == plan


async def test_a_build_of_another_plan_is_named(gate: Gate) -> None:
    """Whoever writes under a live build of another plan is told which plan it is of."""
    plan, other = await approved(gate), await approved(gate)
    started = await build(gate, other)
    for written in (
        write(gate, plan, now("a", COMPLETED), build_id=started.build_id),
        todo_write(gate, plan, words.TodoItem(id="a", status="completed"), build_id=started.build_id),
    ):
        refusal = await refused(written)
        assert (refusal.reason, refusal.metadata["field"]) == ("INVALID_FIELD", "build_id")
        assert other.plan_uri in refusal.message
    assert await gate.get(plan.plan_uri) == plan


async def test_a_word_that_is_no_status_is_refused(gate: Gate) -> None:
    """TodoWrite knows four words, and refuses any other by its place."""
    plan = await gate.propose(with_todos())
    refusal = await refused(todo_write(gate, plan, words.TodoItem(id="a", status="done")))
    assert (refusal.reason, refusal.metadata["field"]) == ("INVALID_FIELD", "params.todos[0].status")


async def test_every_status_survives_both_vocabularies(gate: Gate) -> None:
    """Whatever status a todo is given in words, it has by number, and the other way round."""
    plan = await gate.propose(with_todos())
    for number in (IN_PROGRESS, COMPLETED, CANCELLED, PENDING):
        word = TodoStatus.Name(number).removeprefix("TODO_STATUS_").lower()
        await todo_write(gate, plan, words.TodoItem(id="a", status=word))
        assert (await gate.get(plan.plan_uri)).todos[0].status == number
