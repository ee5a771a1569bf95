"""Bad input: each kind has its documented refusal, nothing of it is stored, and the server goes on."""

import pytest

from plangate_proto.agent.v1.create_plan_tool_pb2 import CreatePlanArgs
from plangate_proto.agent.v1.plan_service_pb2 import CreatePlanRequest
from plangate_proto.agent.v1.todo_tools_pb2 import TodoItem
from plangate_proto.aiserver.v1.create_plan_tool_pb2 import CreatePlanParams, Step
from tests.helpers.gate import Gate
from tests.helpers.raw_calls import raw_call
from tests.helpers.refusals import refused
from tests.rpc.bad_bytes import BAD_BYTES
from tests.rpc.bad_plans import BAD_PLANS
from tests.rpc.bad_questions import BAD_QUESTIONS
from tests.rpc.bad_requests import TRAILER_LIMIT, bad_params, over

TABLE = {**BAD_BYTES, **BAD_PLANS, **BAD_QUESTIONS}


@pytest.mark.parametrize("name", TABLE)
async def test_bad_input_is_refused(empty_gate: Gate, name: str) -> None:
    """Status, reason, metadata and the path of the field at fault are the documented ones."""
    bad = TABLE[name]
    bad.check(await refused(raw_call(empty_gate.channel, bad.method, bad.data())))


async def test_nothing_of_it_is_stored_and_the_server_goes_on(gate: Gate) -> None:
    """After the whole table there is no plan, and the next good one is taken."""
    for bad in TABLE.values():
        await refused(raw_call(gate.channel, bad.method, bad.data()))
    assert await gate.plans() == []
    plan = await gate.propose()
    assert await gate.plans() == [plan]


@pytest.mark.parametrize("character", ["x", "ü", "😀", '"'])
async def test_a_refusal_fits_into_trailers(gate: Gate, character: str) -> None:
    """However much there is to say, the refusal arrives: a cycle of 500 long ids is cut with a count."""
    room = (256 - 3) // len(character.encode())
    ids = [f"{number:03}" + character * room for number in range(500)]
    todos = [TodoItem(id=id, content="A", dependencies=[ids[place - 1]]) for place, id in enumerate(ids)]
    request = CreatePlanRequest(args=CreatePlanArgs(plan="# Plan", todos=todos))
    refusal = await refused(gate.agent.CreatePlan(request))
    assert (refusal.status, refusal.reason) == ("INVALID_ARGUMENT", "DEPENDENCY_CYCLE")
    assert "bytes in all)" in refusal.metadata["cycle"]
    assert refusal.metadata["cycle"].split(" -> ")[0] in ids
    assert refusal.trailer_bytes < TRAILER_LIMIT
    assert await gate.plans() == []


LONG = "x" * 70_000
STEP = Step(id="a", title="A")
OLDER_WORDS = {
    "long title": bad_params(
        "LIMIT_EXCEEDED",
        CreatePlanParams(plan="# Plan", title=LONG),
        **over("name_characters", 1000, "params.title", len(LONG)),
    ),
    "long summary": bad_params(
        "LIMIT_EXCEEDED",
        CreatePlanParams(plan="# Plan", summary=LONG),
        **over("overview_bytes", 65536, "params.summary", len(LONG)),
    ),
    "duplicate step": bad_params(
        "DUPLICATE_TODO_ID",
        CreatePlanParams(plan="# Plan", steps=[STEP, STEP]),
        field="params.steps[1].id",
        todo_id="a",
    ),
    "unknown prerequisite": bad_params(
        "UNKNOWN_DEPENDENCY",
        CreatePlanParams(plan="# Plan", steps=[Step(id="a", title="A", prerequisites=["b"])]),
        field="params.steps[0].prerequisites[0]",
        todo_id="a",
        dependency="b",
    ),
    "long agent of a step": bad_params(
        "LIMIT_EXCEEDED",
        CreatePlanParams(plan="# Plan", steps=[Step(id="a", title="A", sub_composer_id=LONG)]),
        **over("id_bytes", 256, "params.steps[0].sub_composer_id", len(LONG)),
    ),
}


@pytest.mark.parametrize("name", OLDER_WORDS)
async def test_the_field_at_fault_is_the_one_that_was_sent(empty_gate: Gate, name: str) -> None:
    """A plan given with title, summary and steps is refused by those names."""
    bad = OLDER_WORDS[name]
    bad.check(await refused(raw_call(empty_gate.channel, bad.method, bad.data())))
