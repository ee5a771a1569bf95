"""Every limit of the table, reached and passed over a socket: the refusal tells which, and by how much."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from plangate_proto.agent.v1.agent_session_service_pb2 import AuthorizeToolRequest
from plangate_proto.agent.v1.create_plan_tool_pb2 import CreatePlanArgs, Phase
from plangate_proto.agent.v1.plan_resource_pb2 import PlanState, TodoHint
from plangate_proto.agent.v1.plan_service_pb2 import (
    CreatePlanRequest,
    ListPlansRequest,
    RegisterReferenceRequest,
    WithdrawPlanRequest,
)
from plangate_proto.agent.v1.todo_tools_pb2 import TodoItem
from plangate_proto.agent.v1.tool_approval_service_pb2 import RestoreMemoryRequest
from plangate_proto.aiserver.v1.plan_review_service_pb2 import WatchReviewsRequest
from plangate_server.domain import limits
from plangate_server.domain.errors import Reason
from plangate_server.domain.limit_table import LIMITS, SETTABLE, Limit
from plangate_server.settings import read_settings
from tests.helpers.gate import Gate, connected, open_gate, proposal
from tests.helpers.refusals import refused
from tests.helpers.streams import next_of
from tests.helpers.tokens import local_token
from tests.helpers.tool_calls import FOR_SESSION, call, tool
from tests.rpc.bad_calls import exported

LOWERED = {
    "message_bytes": 128 * 1024,
    "plan_bytes": 2000,
    "todos": 3,
    "todo_bytes": 50,
    "name_characters": 10,
    "page_size": 2,
    "open_reviews": 2,
    "calls_per_second": 1000,
    "streams_per_principal": 2,
    "streams": 3,
}
FEW = 3
"""What takes the place of a fixed limit that takes a thousand calls to reach."""

Way = Callable[[Gate, int], Awaitable[object]]
"""Asks for a number of what a limit counts."""


def a_plan(**fields: Any) -> CreatePlanRequest:
    return CreatePlanRequest(args=CreatePlanArgs(**{"plan": "# P", "name": "P", **fields}))


def of_size(number: int) -> AuthorizeToolRequest:
    """A request of so many bytes, which no other limit minds."""
    around = tool(command="x" * number).ByteSize() - number
    return tool(command="x" * (number - around))


def with_fields(number: int) -> AuthorizeToolRequest:
    """A request of so many fields: its own, those around one list of arguments, and two for each entry."""
    request = tool()
    entries, rest = divmod(number - len(request.ListFields()) - 5, 2)
    request.arguments.update({"list": [True] * entries})
    request.agent_id = "a" * rest
    return request


def todos(number: int, **fields: Any) -> list[TodoItem]:
    return [TodoItem(id=f"t{place}", content="x", **fields) for place in range(number)]


async def open_reviews(gate: Gate, number: int) -> None:
    for place in range(number):
        await gate.propose(proposal(f"# {place}", session_id="busy", multi_plan=True))


async def streams(gate: Gate, roles: Sequence[str]) -> None:
    """So many at a time, each of its own caller."""
    held = []  # or they would be hung up as soon as nobody has them
    async with AsyncExitStack() as stack:
        for role in roles:
            caller = await stack.enter_async_context(connected(gate.address, token=local_token(role)))
            held.append(caller.reviews.WatchReviews(WatchReviewsRequest()))
            await next_of(held[-1])


async def waiting_calls(gate: Gate, number: int) -> None:
    for place in range(number):
        await gate.ask(call(call_id=f"c{place}", session_id="waiting"))


async def remembered(gate: Gate, number: int) -> None:
    for place in range(number):
        await gate.ask(call(f"make {place}", f"c{place}", session_id=f"s{number}"))
        await gate.answer(FOR_SESSION, f"s{number}")


async def references(gate: Gate, number: int) -> None:
    """Whoever proposes a plan is the first to refer to it."""
    plan = await gate.propose()
    for place in range(number - 1):
        request = RegisterReferenceRequest(plan_uri=plan.plan_uri, agent_id=f"agent {place}")
        await gate.agent.RegisterReference(request)


async def feedback(gate: Gate, number: int) -> None:
    plan = await gate.propose()
    await gate.agent.WithdrawPlan(WithdrawPlanRequest(plan_uri=plan.plan_uri, reason="x" * number))


def dependencies(gate: Gate, number: int) -> Awaitable[object]:
    needing = [TodoItem(id=f"n{n}", content="x", dependencies=["a"] * 500) for n in range(number // 500)]
    rest = TodoItem(id="rest", content="x", dependencies=["a"] * (number % 500))
    return gate.propose(a_plan(todos=[TodoItem(id="a", content="x"), *needing, rest]))


def shown(gate: Gate, number: int) -> Awaitable[object]:
    """Two todos in so many phases that all of it has that many bytes."""
    pair = [TodoItem(id=id, content="x" * 4095) for id in "ab"]
    once, in_a_phase = 2 * 4096 + len("P"), 2 * 4096 + len("name") + len("ab")
    phases, rest = divmod(number - once, in_a_phase)
    return gate.propose(a_plan(plan="x" * rest, phases=[Phase(name="name", todos=pair)] * phases))


def phase_todos(gate: Gate, number: int) -> Awaitable[object]:
    every = todos(500)
    groups = [every] * (number // 500) + [every[: number % 500]]
    return gate.propose(a_plan(todos=every, phases=[Phase(name="p", todos=group) for group in groups]))


def hints(gate: Gate, number: int) -> Awaitable[object]:
    each, rest = divmod(number, 400)
    request = a_plan(todos=todos(401))
    for place in range(401):
        size = each if place < 400 else rest
        labels = ["x" * 200] * (size // 200) + ["x" * (size % 200)]
        request.todo_hints[f"t{place}"].CopyFrom(TodoHint(labels=labels))
    return gate.propose(request)


PASSING: dict[str, Way] = {
    "message_bytes": lambda gate, n: gate.sessions.AuthorizeTool(of_size(n)),
    "plan_bytes": lambda gate, n: gate.propose(a_plan(plan="x" * (n - 1))),
    "todos": lambda gate, n: gate.propose(a_plan(todos=todos(n))),
    "todo_bytes": lambda gate, n: gate.propose(a_plan(todos=[TodoItem(content="x" * n)])),
    "name_characters": lambda gate, n: gate.propose(a_plan(name="ü" * n)),
    "open_reviews": open_reviews,
    "streams_per_principal": lambda gate, n: streams(gate, ["admin"] * n),
    "streams": lambda gate, n: streams(gate, [["admin", "reviewer"][place % 2] for place in range(n)]),
    "message_fields": lambda gate, n: gate.sessions.AuthorizeTool(with_fields(n)),
    "filter_entries": lambda gate, n: gate.agent.ListPlans(
        ListPlansRequest(states=[PlanState.PLAN_STATE_DRAFT] * n)
    ),
    "id_bytes": lambda gate, n: gate.propose(proposal(session_id="x" * n)),
    "overview_bytes": lambda gate, n: gate.propose(a_plan(overview="x" * n)),
    "feedback_bytes": feedback,
    "phases": lambda gate, n: gate.propose(a_plan(phases=[Phase(name="p")] * n)),
    "phase_todos": phase_todos,
    "shown_bytes": shown,
    "dependencies": dependencies,
    "labels": lambda gate, n: gate.propose(
        CreatePlanRequest(args=a_plan(todos=todos(1)).args, todo_hints={"t0": TodoHint(labels=["x"] * n)})
    ),
    "hint_bytes": hints,
    "command_bytes": lambda gate, n: gate.sessions.AuthorizeTool(tool(command="x" * n)),
    "prompt_bytes": lambda gate, n: gate.ask(call(prompt="x" * n)),
    "metadata_entries": lambda gate, n: gate.ask(call(metadata={str(place): "x" for place in range(n)})),
    "metadata_bytes": lambda gate, n: gate.ask(call(metadata={"key": "x" * n})),
    "waiting_calls": waiting_calls,
    "remembered": remembered,
    "restored": lambda gate, n: gate.approvals.RestoreMemory(
        RestoreMemoryRequest(remembered=[exported()] * n)
    ),
    "references": references,
}
REFUSING = [limit for limit in LIMITS if limit.reason in {Reason.LIMIT_EXCEEDED, Reason.MESSAGE_TOO_LARGE}]


@pytest.fixture
async def lowered(tmp_path: Path) -> AsyncIterator[Gate]:
    """A gate whose operator has lowered every limit that can be set."""
    flags = [f"--max-{name.replace('_', '-')}={value}" for name, value in LOWERED.items()]
    async with open_gate(tmp_path / "lowered.db", limits=read_settings(flags, {}).limits) as opened:
        yield opened


def test_the_tests_know_every_limit() -> None:
    """A new limit needs a way to pass it, and one that can be set a lower value, here."""
    assert list(PASSING) == [limit.name for limit in REFUSING]
    assert list(LOWERED) == [limit.name for limit in SETTABLE]


async def passed(gate: Gate, limit: Limit, maximum: int) -> None:
    """As many as may be pass; one more is refused."""
    way = PASSING[limit.name]
    await way(gate, maximum)
    refusal = await refused(_one_more(way, gate, maximum))
    assert (refusal.status, refusal.reason) == ("RESOURCE_EXHAUSTED", limit.reason)
    told = {"limit": limit.name, "maximum": str(maximum), "actual": str(maximum + 1)}
    assert refusal.metadata.items() >= told.items()


async def _one_more(way: Way, gate: Gate, maximum: int) -> object:
    return await way(gate, maximum + 1)


@pytest.mark.parametrize("limit", [limit for limit in REFUSING if limit.range], ids=lambda each: each.name)
async def test_a_limit_that_was_lowered_holds(lowered: Gate, limit: Limit) -> None:
    """What the operator sets is what is passed, and what the refusal tells."""
    await passed(lowered, limit, LOWERED[limit.name])


@pytest.mark.parametrize(
    "limit", [limit for limit in REFUSING if not limit.range], ids=lambda each: each.name
)
async def test_a_fixed_limit_holds(gate: Gate, limit: Limit, monkeypatch: pytest.MonkeyPatch) -> None:
    """It can be reached, and not be passed."""
    maximum = limit.default
    if limit.name in {"waiting_calls", "remembered"}:
        maximum = FEW
        monkeypatch.setattr(limits, limit.name.upper(), maximum)
    await passed(gate, limit, maximum)


async def test_a_page_is_as_long_as_the_operator_allows(lowered: Gate) -> None:
    """Whoever asks for more, or says nothing, gets that many and the token of the next page."""
    for number in range(3):
        await lowered.propose(proposal(f"# {number}"))
    for asked in (0, 1000):
        page = await lowered.agent.ListPlans(ListPlansRequest(page_size=asked))
        assert (len(page.plans), bool(page.next_page_token)) == (2, True)
    refusal = await refused(lowered.agent.ListPlans(ListPlansRequest(page_size=-1)))
    assert "1 to 2" in refusal.message
