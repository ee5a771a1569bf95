"""What the database takes for a small change: about what changed, whatever the plan had gathered before."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import pytest

from plangate_proto.agent.v1.create_plan_tool_pb2 import CreatePlanArgs
from plangate_proto.agent.v1.plan_resource_pb2 import Plan
from plangate_proto.agent.v1.plan_service_pb2 import CreatePlanRequest
from plangate_proto.agent.v1.todo_tools_pb2 import TodoItem
from plangate_proto.aiserver.v1.plan_review_service_pb2 import AddCommentRequest
from plangate_server.domain.limits import ID_BYTES, KIB
from tests.helpers.gate import Gate, open_gate, proposal
from tests.rpc.steps import IN_PROGRESS, approved, build, now, updated, write

CALLS: Final = 40
COLUMNS: Final = {
    "plans": "record",
    "revisions": "record",
    "reviews": "record",
    "comments": "record",
    "sessions": "record",
    "events": "body",
    "requests": "answer",
}
Call = Callable[[int], Awaitable[Any]]


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "plangate.db"


@pytest.fixture
async def gate(database: Path) -> AsyncIterator[Gate]:
    async with open_gate(database) as gate:
        yield gate


async def bytes_each(database: Path, call: Call, print_as: str) -> float:
    """How much more is stored after each of the calls; the whole of it is printed."""
    before = stored(database)
    for number in range(CALLS):
        await call(number)
    more = {table: (size - before[table]) / CALLS for table, size in stored(database).items()}
    print(print_as, {table: round(size) for table, size in more.items() if size})
    return sum(more.values())


def stored(database: Path) -> dict[str, int]:
    with closing(sqlite3.connect(database)) as connection:
        return {
            table: connection.execute(f"SELECT coalesce(sum(length({column})), 0) FROM {table}").fetchone()[0]
            for table, column in COLUMNS.items()
        }


def long_id(number: int) -> str:
    return f"{number:0{ID_BYTES}}"


async def test_updates_by_many_agents(gate: Gate, database: Path) -> None:
    """However many agents have changed a plan, the next change takes no more than the last."""
    plan = await gate.propose()

    async def update(number: int) -> None:
        nonlocal plan
        plan = await updated(gate, plan, f"# Try {number}", agent_id=long_id(number))

    first = await bytes_each(database, update, "updates by 40 agents")
    later = await bytes_each(database, lambda n: update(CALLS + n), "updates by 40 more")
    assert first < 12 * KIB
    assert later < 1.4 * first


async def test_a_small_update_of_a_large_plan(gate: Gate, database: Path) -> None:
    """It takes the revision's content once, and little besides."""
    text = "# Large\n" + "a line of the plan\n" * 10_000
    plan = await gate.propose(proposal(text))

    async def update(number: int) -> None:
        nonlocal plan
        plan = await updated(gate, plan, f"{text}{number}", request_id=f"r-{number}")

    each = await bytes_each(database, update, "updates of a large plan")
    assert each < 1.1 * len(text)


async def test_progress_of_many_todos(gate: Gate, database: Path) -> None:
    """One todo that moves on takes no copy of the others, also in the answer that is kept for a retry."""
    todos = [TodoItem(id=f"todo-{number}", content="Do it") for number in range(500)]
    args = CreatePlanArgs(plan="# Todos", name="Todos", todos=todos)
    plan = await approved(gate, CreatePlanRequest(args=args))
    await build(gate, plan)

    async def begin(number: int) -> None:
        one = now(f"todo-{number}", IN_PROGRESS)
        await write(gate, plan, one, agent_id="builder", request_id=f"r-{number}")

    assert await bytes_each(database, begin, "one todo of 500") < 12 * KIB


async def test_comments(gate: Gate, database: Path) -> None:
    """The words stand in the comment and in its event, once each."""
    plan = await gate.propose()
    words = "Why? " * 4 * KIB

    async def comment(number: int) -> None:
        request = AddCommentRequest(plan_uri=plan.plan_uri, revision=1, first_line=1, text=f"{words}{number}")
        await gate.reviews.AddComment(request)

    assert await bytes_each(database, comment, "comments") < 2 * len(words) + 5 * KIB


async def test_plans_of_a_session(gate: Gate, database: Path) -> None:
    """However many agents have proposed in a session, the next event of it is as small."""

    async def propose(number: int) -> Plan:
        request = proposal(f"# {number}", session_id="s", agent_id=f"agent-{number}")
        return await gate.propose(request)

    first = await bytes_each(database, propose, "plans of 40 agents of a session")
    later = await bytes_each(database, lambda n: propose(CALLS + n), "plans of 40 more")
    assert later < 1.1 * first
