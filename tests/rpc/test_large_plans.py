"""Plans as large as the limits allow reach clients that take what gRPC takes by default: 4 MiB."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from plangate_proto.agent.v1.create_plan_tool_pb2 import CreatePlanArgs, Phase
from plangate_proto.agent.v1.plan_resource_pb2 import Plan, TodoHint
from plangate_proto.agent.v1.plan_service_pb2 import CreatePlanRequest, ListPlansRequest, ReviewPlanRequest
from plangate_proto.agent.v1.todo_tools_pb2 import TodoItem
from plangate_proto.aiserver.v1.plan_review_service_pb2 import ListEventsRequest, ListReviewsRequest
from plangate_server.domain.limits import DEPENDENCIES, HINT_BYTES, MOST_TODOS, Limits
from tests.helpers.gate import Gate, open_gate, proposal
from tests.helpers.refusals import refused
from tests.helpers.streams import next_of

MEGABYTE = 1024 * 1024
TODOS = [TodoItem(id=str(number), content="x" * 2000) for number in range(500)]
ROOM = MEGABYTE - sum(len(todo.id) + len(todo.content) for todo in TODOS) - len("All of it") - len("Name")
LARGEST = {
    "text": CreatePlanArgs(plan="x" * (MEGABYTE - len("Name")), name="Name"),
    "todos": CreatePlanArgs(plan="x" * ROOM, name="Name", todos=TODOS),
    "phases": CreatePlanArgs(
        plan="x" * (ROOM - 2000), name="Name", phases=[Phase(name="All of it", todos=TODOS)]
    ),
}


@pytest.mark.parametrize("kind", LARGEST)
async def test_the_largest_plan_comes_back_in_every_way(gate: Gate, kind: str) -> None:
    """It is stored, read, listed, reviewed and in the log, whatever makes it large."""
    await comes_back(gate, CreatePlanRequest(args=LARGEST[kind]))


async def comes_back(gate: Gate, request: CreatePlanRequest) -> None:
    plan = await gate.propose(request)
    assert await gate.get(plan.plan_uri) == plan
    assert await gate.plans() == [plan]
    stream = gate.agent.ReviewPlan(ReviewPlanRequest(plan_uri=plan.plan_uri))
    assert (await next_of(stream)).event.plan == plan
    stream.cancel()
    assert [item.plan for item in (await gate.reviews.ListReviews(ListReviewsRequest())).reviews] == [plan]
    entries = (await gate.reviews.ListEvents(ListEventsRequest(page_size=1))).entries
    assert entries[0].event.plan.plan == plan.plan


async def test_all_texts_of_a_plan_count_together(gate: Gate) -> None:
    """What fits by itself and not together is refused, and nothing is stored."""
    args = CreatePlanArgs(plan="x" * (MEGABYTE - 100), overview="x" * 200)
    refusal = await refused(gate.agent.CreatePlan(CreatePlanRequest(args=args)))
    assert (refusal.status, refusal.reason) == ("RESOURCE_EXHAUSTED", "LIMIT_EXCEEDED")
    assert refusal.metadata["limit"] == "plan_bytes"
    assert refusal.metadata["maximum"] == str(MEGABYTE)
    assert await gate.plans() == []


async def propose_large(gate: Gate) -> list[Plan]:
    text = "x" * (MEGABYTE - 2000)
    return await asyncio.gather(*(gate.propose(proposal(text)) for _ in range(5)))


async def test_large_plans_are_listed(gate: Gate) -> None:
    """A list of large plans comes in pages that a client can take, each plan once."""
    plans = await propose_large(gate)
    listed: list[str] = []
    token = ""
    while not listed or token:
        page = await gate.agent.ListPlans(ListPlansRequest(page_token=token))
        listed, token = [*listed, *(plan.plan_uri for plan in page.plans)], page.next_page_token
    assert sorted(listed) == sorted(plan.plan_uri for plan in plans)


async def test_events_of_large_plans_are_listed(gate: Gate) -> None:
    """A page of the log is one that a client can take, too, and none is left out."""
    await propose_large(gate)
    sequences: list[int] = []
    cursor = ""
    while page := (answer := await gate.reviews.ListEvents(ListEventsRequest(cursor=cursor))).entries:
        sequences += [entry.sequence for entry in page]
        cursor = answer.next_cursor
    assert sequences == list(range(1, 11))


async def test_a_summary_is_short(gate: Gate) -> None:
    """A first look has 200 characters of each text, and says how many more there are."""
    todos = [TodoItem(id="a", content="x" * 201), TodoItem(id="b", content="x" * 200)]
    plan = await gate.propose(
        CreatePlanRequest(args=CreatePlanArgs(plan="# P", overview="y" * 300, todos=todos))
    )
    stream = gate.agent.ReviewPlan(ReviewPlanRequest(plan_uri=plan.plan_uri))
    summary = (await next_of(stream)).event.plan_summary
    stream.cancel()
    assert summary.goal == "y" * 200 + "… (and 100 more characters)"
    assert [subtask.description for subtask in summary.subtasks] == [
        "x" * 200 + "… (and 1 more characters)",
        "x" * 200,
    ]


@pytest.fixture
async def generous(tmp_path: Path) -> AsyncIterator[Gate]:
    """A gate whose operator allows as many todos as can be set."""
    async with open_gate(tmp_path / "generous.db", limits=Limits(todos=MOST_TODOS)) as gate:
        yield gate


def everything_at_its_largest() -> CreatePlanRequest:
    """All limits of a plan at once: todos, their texts, dependencies and hints, and all of it in a phase."""
    ids = [f"{number:x}" for number in range(MOST_TODOS)]
    words = (MEGABYTE - DEPENDENCIES - 2 * sum(map(len, ids)) - 100) // MOST_TODOS
    first, *others = (TodoItem(id=id, content="x" * words) for id in ids)
    for todo in others:
        todo.dependencies.extend([first.id] * (DEPENDENCIES // len(others)))
    args = CreatePlanArgs(plan="# P", name="P", phases=[Phase(name="All of it", todos=[first, *others])])
    hints = {id: TodoHint(agent="x" * (HINT_BYTES // MOST_TODOS)) for id in ids}
    return CreatePlanRequest(args=args, todo_hints=hints)


async def test_as_many_todos_as_can_be_set_come_back_in_every_way(generous: Gate) -> None:
    """Also where everything else of the plan is as large as it may be."""
    await comes_back(generous, everything_at_its_largest())


async def test_many_plans_of_many_short_todos_are_listed(generous: Gate) -> None:
    """What stands around a todo counts for a page as well: here it is more than the todo."""
    todos = [TodoItem(content="x") for _ in range(MOST_TODOS)]
    request = CreatePlanRequest(args=CreatePlanArgs(plan="# P", phases=[Phase(name="P", todos=todos)]))
    plans = [await generous.propose(request) for _ in range(8)]
    listed: list[str] = []
    token = ""
    while not listed or token:
        page = await generous.reviews.ListReviews(ListReviewsRequest(page_token=token))
        listed, token = [*listed, *(item.plan.plan_uri for item in page.reviews)], page.next_page_token
    assert listed == [plan.plan_uri for plan in plans]
