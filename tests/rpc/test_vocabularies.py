"""Two vocabularies, one plan: what is made in agent.v1 or aiserver.v1 is whole in the other."""

import grpc
import pytest

from plangate_proto.agent.v1 import todo_tools_pb2
from plangate_proto.agent.v1.plan_resource_pb2 import Plan
from plangate_proto.agent.v1.plan_service_pb2 import ReviewPlanRequest as AgentReviewRequest
from plangate_proto.agent.v1.review_event_pb2 import ReviewEvent
from plangate_proto.aiserver.v1.create_plan_tool_pb2 import (
    CreatePlanParams,
    CreatePlanResult,
    PlanPhase,
    Step,
)
from plangate_proto.aiserver.v1.plan_service_pb2 import CreatePlanRequest, ReviewPlanRequest
from plangate_proto.aiserver.v1.todo_read_write_tools_pb2 import TodoItem
from tests.helpers.gate import Gate
from tests.helpers.plans import filled_request
from tests.helpers.streams import cut_off, next_of, rest_of, types

PARAMS = CreatePlanParams(
    plan="# Tidy the cellar",
    name="Cellar",
    overview="Two afternoons",
    todos=[
        TodoItem(id="sort", content="Sort the boxes", status="pending"),
        TodoItem(id="sweep", content="Sweep the floor", status="completed", dependencies=["sort"]),
    ],
    is_spec=True,
    is_project=True,
    phases=[PlanPhase(name="After the rain", todos=[TodoItem(content="Air it")])],
)


async def created(gate: Gate, params: CreatePlanParams) -> Plan:
    """The plan as the first event of aiserver.v1's CreatePlan shows it, the stream being broken off."""
    stream = gate.aiserver.CreatePlan(CreatePlanRequest(params=params))
    event = (await next_of(stream)).event
    stream.cancel()
    return event.plan


async def told(gate: Gate, plan: Plan, cursor: str = "") -> tuple[list[ReviewEvent], CreatePlanResult]:
    """The events and the one result of aiserver.v1's ReviewPlan, which must end with OK."""
    stream = gate.aiserver.ReviewPlan(ReviewPlanRequest(plan_uri=plan.plan_uri, cursor=cursor))
    updates = await rest_of(stream)
    assert await stream.code() == grpc.StatusCode.OK
    kinds = [update.WhichOneof("update") for update in updates]
    assert (kinds[-1], set(kinds[:-1])) in [("result", {"event"}), ("result", set())]
    return [update.event for update in updates[:-1]], updates[-1].result


async def test_a_plan_of_aiserver_is_whole_in_agent(gate: Gate) -> None:
    """Text, todos, phases and flags of CreatePlanParams are those of the plan that GetPlan reads."""
    plan = await gate.get((await created(gate, PARAMS)).plan_uri)
    assert (plan.plan, plan.name, plan.overview) == ("# Tidy the cellar", "Cellar", "Two afternoons")
    assert (plan.is_spec, plan.is_project) == (True, True)
    assert [(todo.id, todo.content, list(todo.dependencies)) for todo in plan.todos] == [
        ("sort", "Sort the boxes", []),
        ("sweep", "Sweep the floor", ["sort"]),
        ("todo-3", "Air it", []),
    ]
    assert {todo.status for todo in plan.todos} == {todo_tools_pb2.TODO_STATUS_PENDING}
    assert [(phase.name, list(phase.todos)) for phase in plan.phases] == [("After the rain", [plan.todos[2]])]


async def test_a_plan_of_agent_is_whole_in_aiserver(gate: Gate) -> None:
    """A plan made in agent.v1 is shown and accepted in aiserver.v1, its statuses as words."""
    plan = await gate.propose(filled_request())
    stream = gate.aiserver.ReviewPlan(ReviewPlanRequest(plan_uri=plan.plan_uri))
    assert (await next_of(stream)).event.plan == plan
    await gate.decide(plan, "approve")
    result = (await rest_of(stream))[-1].result
    assert list(result.accepted.final_todos) == [
        TodoItem(id="sort", content="Sort the boxes", status="pending"),
        TodoItem(id="sweep", content="Sweep the floor", status="pending", dependencies=["sort"]),
    ]


async def test_the_same_plan_has_the_same_digest_in_both(gate: Gate) -> None:
    """What a person approves does not depend on the vocabulary in which it was proposed."""
    request = filled_request()
    sort, sweep = (
        TodoItem(id=todo.id, content=todo.content, dependencies=todo.dependencies)
        for todo in request.args.todos
    )
    params = CreatePlanParams(
        plan=request.args.plan,
        name=request.args.name,
        overview=request.args.overview,
        todos=[sort, sweep],
        is_spec=True,
        is_project=True,
        phases=[PlanPhase(name="Before the rain", todos=[sort]), PlanPhase(name="After it", todos=[sweep])],
    )
    assert (await created(gate, params)).digest == (await gate.propose(request)).digest


async def test_steps_become_todos(gate: Gate) -> None:
    """Steps count when there are no todos: their words, prerequisites and agent are kept."""
    steps = [
        Step(id="a", title="Sort", description="the boxes", instructions="by size", sub_composer_id="helper"),
        Step(id="b", title="Sweep", prerequisites=["a"]),
    ]
    plan = await created(gate, CreatePlanParams(plan="# Plan", steps=steps))
    assert [(todo.id, todo.content, list(todo.dependencies)) for todo in plan.todos] == [
        ("a", "Sort\nthe boxes\nby size", []),
        ("b", "Sweep", ["a"]),
    ]
    assert {id: hint.agent for id, hint in plan.todo_hints.items()} == {"a": "helper"}


async def test_a_step_without_an_id_keeps_its_agent(gate: Gate) -> None:
    """A step that gets its id from the server has its agent as a hint under that id."""
    params = CreatePlanParams(plan="# Plan", steps=[Step(title="Sort", sub_composer_id="helper")])
    plan = await created(gate, params)
    assert {id: hint.agent for id, hint in plan.todo_hints.items()} == {"todo-1": "helper"}


async def test_the_newer_words_win(gate: Gate) -> None:
    """Title, summary and steps stand in for name, overview and todos, and only where those are empty."""
    params = CreatePlanParams(
        plan="# Plan", title="Old name", summary="Old overview", steps=[Step(id="old", title="Old")]
    )
    old = await created(gate, params)
    params.MergeFrom(
        CreatePlanParams(name="Name", overview="Overview", todos=[TodoItem(id="new", content="New")])
    )
    both = await created(gate, params)
    assert (old.name, old.overview, [todo.id for todo in old.todos]) == ("Old name", "Old overview", ["old"])
    assert (both.name, both.overview, [todo.id for todo in both.todos]) == ("Name", "Overview", ["new"])


@pytest.mark.parametrize(
    ("option", "last_event", "result"),
    [("approve", "PLAN_APPROVED", "accepted"), ("reject", "PLAN_REJECTED", "rejected")],
)
async def test_create_plan_waits_and_ends_with_the_result(
    gate: Gate, option: str, last_event: str, result: str
) -> None:
    """aiserver.v1's CreatePlan tells what happens, then exactly one result, then ends with OK."""
    stream = gate.aiserver.CreatePlan(CreatePlanRequest(params=PARAMS))
    snapshot = (await next_of(stream)).event
    await gate.decide(snapshot.plan, option)
    updates = await rest_of(stream)
    assert await stream.code() == grpc.StatusCode.OK
    assert [update.WhichOneof("update") for update in updates] == ["event", "result"]
    assert types([snapshot, updates[0].event]) == ["SNAPSHOT", last_event]
    assert updates[1].result.WhichOneof("result") == result
    assert updates[1].result.plan_uri == snapshot.plan_uri


async def test_an_accepted_plan_comes_with_its_todos(gate: Gate) -> None:
    """The result of an approval lists every todo, those of phases and those made of steps included."""
    stream = gate.aiserver.CreatePlan(CreatePlanRequest(params=PARAMS))
    await gate.decide((await next_of(stream)).event.plan, "approve")
    accepted = (await rest_of(stream))[-1].result.accepted
    assert [(todo.id, todo.status) for todo in accepted.final_todos] == [
        ("sort", "pending"),
        ("sweep", "pending"),
        ("todo-3", "pending"),
    ]


async def test_create_plan_says_for_whom(gate: Gate) -> None:
    """Session and agent of an aiserver.v1 request are those of its plan."""
    request = CreatePlanRequest(params=PARAMS, session_id="session-1", agent_id="agent-1")
    stream = gate.aiserver.CreatePlan(request)
    plan = (await next_of(stream)).event.plan
    stream.cancel()
    assert (plan.session_id, plan.created_by) == ("session-1", "agent-1")


async def test_requested_changes_are_no_result(gate: Gate) -> None:
    """Where agent.v1's stream ends, aiserver.v1's tells of the requested changes and goes on."""
    going_on = gate.aiserver.CreatePlan(CreatePlanRequest(params=PARAMS))
    plan = (await next_of(going_on)).event.plan
    await gate.decide(plan, "requestChanges", "Sweep twice")
    event = (await next_of(going_on)).event
    assert (*types([event]), event.message) == ("PLAN_MODIFICATION_REQUESTED", "Sweep twice")
    assert len(await rest_of(gate.agent.ReviewPlan(AgentReviewRequest(plan_uri=plan.plan_uri)))) == 1
    await gate.stop()
    told, refusal = await cut_off(going_on)
    assert types([update.event for update in told]) == ["DECISION_DELIVERED"]
    assert refusal.reason == "SHUTTING_DOWN", "nothing else ended it"


async def test_review_plan_resumes_and_gives_the_result(gate: Gate) -> None:
    """From a cursor, ReviewPlan tells what came after it and then the result."""
    plan = await created(gate, PARAMS)
    stream = gate.aiserver.ReviewPlan(ReviewPlanRequest(plan_uri=plan.plan_uri))
    cursor = (await next_of(stream)).event.cursor
    stream.cancel()
    await gate.decide(plan, "approve")
    events, result = await told(gate, plan, cursor)
    assert types(events) == ["PLAN_APPROVED"]
    assert result.WhichOneof("result") == "accepted"


@pytest.mark.parametrize(("option", "expected"), [("approve", "accepted"), ("reject", "rejected")])
async def test_review_plan_gives_the_result_behind_the_last_event(
    gate: Gate, option: str, expected: str
) -> None:
    """A stream that has told every event before still gives the result."""
    plan = await created(gate, PARAMS)
    await gate.decide(plan, option)
    events, _ = await told(gate, plan)
    events, _ = await told(gate, plan, events[-1].cursor)
    assert types(events) == ["DECISION_DELIVERED"]
    again, result = await told(gate, plan, events[-1].cursor)
    assert again == []
    assert result.WhichOneof("result") == expected
    assert result.plan_uri == plan.plan_uri


async def test_review_plan_after_the_decision_begins_with_a_snapshot(gate: Gate) -> None:
    """Without a cursor, a decided plan is shown as it is and its result follows."""
    plan = await gate.propose()
    await gate.decide(plan, "reject", "Not in winter")
    events, result = await told(gate, plan)
    assert types(events) == ["SNAPSHOT"]
    assert events[0].review.decisions[0].feedback_text == "Not in winter"
    assert result.WhichOneof("result") == "rejected"
