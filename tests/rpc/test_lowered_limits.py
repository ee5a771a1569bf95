"""An operator lowers the limits: every way in is held to them, and what is stored stays as good as it was."""

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from plangate_proto.agent.v1.create_plan_tool_pb2 import CreatePlanArgs
from plangate_proto.agent.v1.plan_resource_pb2 import Plan
from plangate_proto.agent.v1.plan_service_pb2 import (
    BuildTodosRequest,
    CreatePlanRequest,
    DraftPlanRequest,
    ReviewPlanRequest,
    UpdatePlanRequest,
    UpdateTodosRequest,
)
from plangate_proto.agent.v1.todo_tools_pb2 import TodoItem, TodoStatus, UpdateTodosArgs
from plangate_proto.aiserver.v1.create_plan_tool_pb2 import CreatePlanParams, Step
from plangate_proto.aiserver.v1.plan_review_service_pb2 import GetReviewRequest
from plangate_proto.aiserver.v1.plan_service_pb2 import CreatePlanRequest as AiserverCreatePlanRequest
from plangate_proto.aiserver.v1.plan_service_pb2 import TodoWriteRequest
from plangate_proto.aiserver.v1.todo_read_write_tools_pb2 import TodoItem as AiserverTodo
from plangate_proto.aiserver.v1.todo_read_write_tools_pb2 import TodoWriteParams
from plangate_server.domain.limits import Limits
from tests.helpers.gate import Gate, decision, open_gate, proposal
from tests.helpers.refusals import refused
from tests.helpers.streams import next_of, rest_of

TIGHT = Limits(plan_bytes=200, todos=3, todo_bytes=20, name_characters=10, page_size=2, open_reviews=1)
LONG = "x" * 201
MANY = range(4)


@pytest.fixture
async def tight(tmp_path: Path) -> AsyncIterator[Gate]:
    async with open_gate(tmp_path / "tight.db", limits=TIGHT) as gate:
        yield gate


Call = Callable[[Gate, Plan], Awaitable[Any]]


def update(plan: Plan, /, **args: Any) -> UpdatePlanRequest:
    return UpdatePlanRequest(plan_uri=plan.plan_uri, expected_revision=1, args=CreatePlanArgs(**args))


def edited(plan: Plan, /, **params: Any) -> Any:
    request = decision(plan, "edit")
    request.edited.CopyFrom(CreatePlanParams(**params))
    return request


def aiserver(**params: Any) -> AiserverCreatePlanRequest:
    return AiserverCreatePlanRequest(params=CreatePlanParams(**params))


def todos() -> list[TodoItem]:
    return [TodoItem(content="x") for _ in MANY]


def in_other_words() -> list[AiserverTodo]:
    return [AiserverTodo(content="x") for _ in MANY]


TODO_WAYS: dict[str, Call] = {
    "CreatePlan": lambda gate, _: gate.propose(
        CreatePlanRequest(args=CreatePlanArgs(plan="# P", todos=todos()))
    ),
    "DraftPlan": lambda gate, _: gate.agent.DraftPlan(
        iter([DraftPlanRequest(args=CreatePlanArgs(plan="# P", todos=todos()))])
    ),
    "UpdatePlan": lambda gate, plan: gate.agent.UpdatePlan(update(plan, todos=todos())),
    "UpdateTodos": lambda gate, plan: gate.agent.UpdateTodos(
        UpdateTodosRequest(plan_uri=plan.plan_uri, args=UpdateTodosArgs(todos=todos()))
    ),
    "aiserver CreatePlan": lambda gate, _: rest_of(
        gate.aiserver.CreatePlan(aiserver(plan="# P", todos=in_other_words()))
    ),
    "aiserver CreatePlan by steps": lambda gate, _: rest_of(
        gate.aiserver.CreatePlan(aiserver(plan="# P", steps=[Step(title="x") for _ in MANY]))
    ),
    "TodoWrite": lambda gate, plan: gate.aiserver.TodoWrite(
        TodoWriteRequest(plan_uri=plan.plan_uri, params=TodoWriteParams(todos=in_other_words()))
    ),
    "edit": lambda gate, plan: gate.reviews.SubmitReview(edited(plan, todos=in_other_words())),
}
TEXT_WAYS: dict[str, Call] = {
    "CreatePlan": lambda gate, _: gate.propose(proposal(LONG)),
    "CreatePlan again": lambda gate, _: gate.propose(proposal(LONG, session_id="s")),
    "DraftPlan": lambda gate, _: gate.agent.DraftPlan(
        iter([DraftPlanRequest(args=CreatePlanArgs(plan=LONG))])
    ),
    "DraftPlan at once": lambda gate, _: gate.agent.DraftPlan(
        iter([DraftPlanRequest(args=CreatePlanArgs(plan=LONG), submit=True)])
    ),
    "DraftPlan that grows": lambda gate, _: gate.agent.DraftPlan(
        iter([DraftPlanRequest(args=CreatePlanArgs(plan=text)) for text in ("x", LONG)])
    ),
    "DraftPlan that is submitted": lambda gate, _: gate.agent.DraftPlan(
        iter([DraftPlanRequest(args=CreatePlanArgs(plan=p), submit=p == LONG) for p in ("x", LONG)])
    ),
    "UpdatePlan": lambda gate, plan: gate.agent.UpdatePlan(update(plan, plan=LONG)),
    "UpdateTodos": lambda gate, plan: gate.agent.UpdateTodos(
        UpdateTodosRequest(
            plan_uri=plan.plan_uri,
            args=UpdateTodosArgs(todos=[TodoItem(id=c * 80, content="x") for c in "abc"]),
        )
    ),
    "aiserver CreatePlan": lambda gate, _: rest_of(gate.aiserver.CreatePlan(aiserver(plan=LONG))),
    "edit": lambda gate, plan: gate.reviews.SubmitReview(edited(plan, plan=LONG)),
}


async def held(gate: Gate, way: Call, limit: str, maximum: int) -> None:
    plan = await gate.propose(proposal("# P", session_id="s"))
    refusal = await refused(way(gate, plan))
    assert (refusal.reason, refusal.metadata["limit"]) == ("LIMIT_EXCEEDED", limit)
    assert int(refusal.metadata["actual"]) > int(refusal.metadata["maximum"]) == maximum
    assert await gate.get(plan.plan_uri) == plan


@pytest.mark.parametrize("way", TODO_WAYS)
async def test_every_way_in_counts_todos(tight: Gate, way: str) -> None:
    """Whoever hands in todos, in whichever words, is held to the operator's number."""
    await held(tight, TODO_WAYS[way], "todos", TIGHT.todos)


@pytest.mark.parametrize("way", TEXT_WAYS)
async def test_every_way_in_measures_the_plan(tight: Gate, way: str) -> None:
    """Whoever hands in a text, or makes one longer, is held to the operator's size."""
    await held(tight, TEXT_WAYS[way], "plan_bytes", TIGHT.plan_bytes)


async def test_what_is_stored_stays_readable_and_decidable(tmp_path: Path) -> None:
    """Plans that would be too large by now are read, listed, streamed, decided and built as before."""
    database = tmp_path / "plangate.db"
    steps = [TodoItem(id=f"a rather long id {n}", content="x" * 100) for n in range(10)]
    args = CreatePlanArgs(plan="# P\n" + "x" * 1000, name="A name that is long", todos=steps)
    async with open_gate(database) as generous:
        requests = [CreatePlanRequest(args=args, session_id="s", multi_plan=True) for _ in range(3)]
        plans = [await generous.propose(request) for request in requests]
    async with open_gate(database, limits=TIGHT) as gate:
        for plan in plans:
            assert await gate.get(plan.plan_uri) == plan
            found = await gate.reviews.GetReview(GetReviewRequest(plan_uri=plan.plan_uri))
            assert found.item.plan == plan
        stream = gate.agent.ReviewPlan(ReviewPlanRequest(plan_uri=plans[0].plan_uri))
        assert (await next_of(stream)).event.plan == plans[0]
        stream.cancel()
        await gate.decide(plans[0], "reject")
        await gate.decide(plans[1], "requestChanges", "shorter")
        await gate.decide(plans[2], "approve")
        await worked_on(gate, plans[2])


async def worked_on(gate: Gate, plan: Plan) -> None:
    build = BuildTodosRequest(plan_uri=plan.plan_uri, agent_id="builder", expected_digest=plan.digest)
    build_id = (await gate.agent.BuildTodos(build)).build_id
    done = TodoItem(id=plan.todos[0].id, status=TodoStatus.TODO_STATUS_COMPLETED)
    write = UpdateTodosRequest(
        plan_uri=plan.plan_uri, build_id=build_id, args=UpdateTodosArgs(todos=[done], merge=True)
    )
    assert (await gate.agent.UpdateTodos(write)).revision == 1


async def test_a_draft_that_is_too_large_by_now_is_not_submitted(tmp_path: Path) -> None:
    """What people are asked about is new content, whoever asks; the draft stays as it is."""
    database = tmp_path / "plangate.db"
    async with open_gate(database) as generous:
        draft = DraftPlanRequest(args=CreatePlanArgs(plan="# P\n" + LONG))
        plan = (await generous.agent.DraftPlan(iter([draft]))).plan
    async with open_gate(database, limits=TIGHT) as gate:
        refusal = await refused(rest_of(gate.agent.ReviewPlan(ReviewPlanRequest(plan_uri=plan.plan_uri))))
        assert refusal.metadata["limit"] == "plan_bytes"
        assert await gate.get(plan.plan_uri) == plan
