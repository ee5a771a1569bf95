"""One request takes a server two seconds of processor time and 64 MB at most, whatever it asks for."""

from __future__ import annotations

import asyncio
import os
import random
import signal
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import grpc
import pytest

from plangate_proto.agent.v1.create_plan_tool_pb2 import CreatePlanArgs, Phase
from plangate_proto.agent.v1.plan_service_pb2 import (
    CreatePlanRequest,
    DiffRevisionsRequest,
    ListPlansRequest,
    ListRevisionsRequest,
    UpdatePlanRequest,
)
from plangate_proto.agent.v1.todo_tools_pb2 import TodoItem
from plangate_proto.agent.v1.tool_approval_service_pb2 import (
    ListApprovalsRequest,
    Remember,
    RememberScope,
    ToolKind,
)
from plangate_proto.aiserver.v1.plan_review_service_pb2 import (
    AddCommentRequest,
    GetReviewRequest,
    ListEventsRequest,
    ListReviewsRequest,
    WatchReviewsRequest,
)
from tests.e2e.processes import ServerProcess, serving
from tests.helpers.conditions import PATIENCE
from tests.helpers.gate import Gate, connected, proposal
from tests.helpers.tool_calls import call

pytestmark = pytest.mark.load

MB = 1024 * 1024
PLAN = MB - 200
MOST_SECONDS = 2.0
MOST_MEGABYTES = 64
TICKS = os.sysconf("SC_CLK_TCK")
RULES = """
deny:
  - {name: no-secrets, paths: ["secrets/**"]}
  - {name: no-rm, commands: ["rm -rf *", "git push --force **"]}
"""

Ask = Callable[[Gate], Awaitable[object]]


class Meter:
    """What a process takes between two looks."""

    def __init__(self, server: ServerProcess) -> None:
        self._of = Path(f"/proc/{server.process.pid}")
        (self._of / "clear_refs").write_text("5")  # the peak begins anew
        self._seconds, self._megabytes = self._spent(), self._memory("VmRSS")

    def seconds(self) -> float:
        return self._spent() - self._seconds

    def megabytes(self) -> float:
        return self._memory("VmHWM") - self._megabytes

    def _spent(self) -> float:
        fields = (self._of / "stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def _memory(self, name: str) -> float:
        lines = (self._of / "status").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith(name)) / 1024


@pytest.fixture(scope="module")
async def server(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[ServerProcess]:
    folder = tmp_path_factory.mktemp("heavy")
    (folder / "policy.yaml").write_text(RULES)
    async with serving(folder / "plangate.db", "--policy", str(folder / "policy.yaml")) as opened:
        yield opened


async def measured(server: ServerProcess, ask: Awaitable[object], bytes_sent: int = 0) -> None:
    """The request is answered, or refused, within the bounds."""
    meter = Meter(server)
    async with asyncio.timeout(PATIENCE):
        with suppress(grpc.aio.AioRpcError):
            await ask
    seconds, megabytes = meter.seconds(), meter.megabytes() - bytes_sent / MB
    print(f"{seconds:.2f} of {MOST_SECONDS} s, {megabytes:.0f} of {MOST_MEGABYTES} MB")
    assert seconds <= MOST_SECONDS
    assert megabytes <= MOST_MEGABYTES


async def two_revisions(gate: Gate, old: str, new: str) -> str:
    plan = await gate.propose(proposal(old))
    args = CreatePlanArgs(plan=new)
    await gate.agent.UpdatePlan(UpdatePlanRequest(plan_uri=plan.plan_uri, expected_revision=1, args=args))
    return plan.plan_uri


def lines(kinds: int, seed: int) -> str:
    numbers = random.Random(seed)
    return "\n".join(str(numbers.randrange(kinds)) for _ in range(PLAN // 4))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("a\n" * 250_000, "b\n" * 250_000),
        ("#" + "\n" * PLAN, "$" + "\n" * PLAN + "x"),
        (lines(150, 1), lines(150, 2)),
        (lines(9, 1), lines(9, 2)),
    ],
    ids=["other lines", "a million lines", "150 kinds", "nine kinds"],
)
async def test_differences(server: ServerProcess, old: str, new: str) -> None:
    """Four differences of two hostile texts, at once."""
    async with connected(server.address) as gate:
        uri = await two_revisions(gate, old, new)
        asks = (gate.agent.DiffRevisions(DiffRevisionsRequest(plan_uri=uri)) for _ in range(4))
        await measured(server, asyncio.gather(*asks))


@pytest.mark.parametrize("count", [10_000, 400_000])
async def test_comments_that_are_carried(server: ServerProcess, count: int) -> None:
    """Comments on all of many equal lines, of which some changed."""
    async with connected(server.address) as gate:
        uri = await two_revisions(gate, "a\n" * count, "b\n" + "a\n" * (count - 1) + "c")
        for _ in range(50):
            await gate.reviews.AddComment(
                AddCommentRequest(plan_uri=uri, revision=1, first_line=1, last_line=count, text="x")
            )
        await measured(server, gate.reviews.GetReview(GetReviewRequest(plan_uri=uri)))


async def test_a_long_history(server: ServerProcess) -> None:
    """Revisions of a megabyte, with a comment on each."""
    async with connected(server.address) as gate:
        plan = await gate.propose(proposal("x" * PLAN))
        for number in range(1, 100):
            args = CreatePlanArgs(plan=f"{number:03d}" + "x" * (PLAN - 3))
            await gate.agent.UpdatePlan(
                UpdatePlanRequest(plan_uri=plan.plan_uri, expected_revision=number, args=args)
            )
            comment = AddCommentRequest(plan_uri=plan.plan_uri, revision=number + 1, first_line=1, text="x")
            await gate.reviews.AddComment(comment)
        await measured(server, gate.reviews.GetReview(GetReviewRequest(plan_uri=plan.plan_uri)))
        revisions = ListRevisionsRequest(plan_uri=plan.plan_uri, page_size=1000)
        await measured(server, gate.agent.ListRevisions(revisions))


async def test_a_text_that_nearly_occurs_everywhere(server: ServerProcess) -> None:
    """``old_str`` that agrees with the plan at each place, but for its end."""
    async with connected(server.address) as gate:
        plan = await gate.propose(proposal("a" * PLAN))
        edit = UpdatePlanRequest(plan_uri=plan.plan_uri, expected_revision=1, old_str="a" * 5000 + "b")
        await measured(server, gate.agent.UpdatePlan(edit))


TODOS = [TodoItem(id=str(number), content="x") for number in range(500)]
REQUESTS: dict[str, Ask] = {
    "plans": lambda gate: gate.agent.ListPlans(ListPlansRequest(states=[1] * 300_000)),  # type: ignore[list-item]
    "reviews": lambda gate: gate.reviews.ListReviews(ListReviewsRequest(statuses=[1] * 300_000)),  # type: ignore[list-item]
    "calls": lambda gate: gate.approvals.ListApprovals(ListApprovalsRequest(states=[1] * 300_000)),  # type: ignore[list-item]
    "events": lambda gate: gate.reviews.ListEvents(ListEventsRequest(types=[1] * 4_000_000)),  # type: ignore[list-item]
    "headings": lambda gate: gate.propose(proposal("# \n" * 349_000)),
    "phases": lambda gate: gate.propose(
        CreatePlanRequest(
            args=CreatePlanArgs(plan="x", todos=TODOS, phases=[Phase(name="p", todos=TODOS)] * 500)
        )
    ),
    "todos": lambda gate: gate.propose(
        CreatePlanRequest(args=CreatePlanArgs(plan="x", todos=[TodoItem()] * 2_000_000))
    ),
    "garbage": lambda gate: raw(gate, b"\xff" * 256 * 1024),
}


def raw(gate: Gate, data: bytes) -> Awaitable[object]:
    method: Any = gate.channel.unary_unary("/agent.v1.PlanService/CreatePlan")
    answer: Awaitable[object] = method(data)
    return answer


@pytest.mark.parametrize("ask", REQUESTS.values(), ids=REQUESTS)
async def test_requests_with_too_much_in_them(server: ServerProcess, ask: Ask) -> None:
    """Long lists and garbage; what is sent counts beside what it takes."""
    async with connected(server.address) as gate:
        await measured(server, ask(gate), 4 * MB)


CALLS = {
    "letters that grow": "\ufdfa" * 87_000,
    "marks": "a" + "\u0301\u0323" * 65_000,
    "commands": "".join(f"rm a{number};" for number in range(25_000)),
    "brackets": "(" * 260_000,
}


@pytest.mark.parametrize(
    "kind", [ToolKind.TOOL_KIND_EDIT, ToolKind.TOOL_KIND_TERMINAL, ToolKind.TOOL_KIND_MCP]
)
@pytest.mark.parametrize("text", CALLS.values(), ids=CALLS)
async def test_tool_calls_under_rules_that_deny(server: ServerProcess, kind: ToolKind, text: str) -> None:
    """A call as long as it may be, which every rule must look through."""
    async with connected(server.address) as gate:
        asked = call(text, f"c{kind}{hash(text)}", session_id=f"s{kind}{hash(text)}", kind=kind)
        await measured(server, gate.ask(asked))


async def test_a_remembered_no_before_many_long_calls(server: ServerProcess) -> None:
    """A hundred of the longest calls wait; a no that is remembered is not held up by them."""
    async with connected(server.address) as gate:
        await gate.ask(call("make all", "first", session_id="queue"))
        for number in range(100):
            await gate.ask(call(f"echo {number} " + "make a; " * 32_000, f"c{number}", session_id="queue"))
        remember = Remember(scope=RememberScope.REMEMBER_SCOPE_SESSION)
        await measured(server, gate.answer("DENIED", "queue", remember=remember))


async def test_watchers_of_many_large_plans(server: ServerProcess) -> None:
    """Four snapshots of a hundred plans of a megabyte are sent in slices."""
    async with connected(server.address) as gate:
        for number in range(100):
            await gate.propose(proposal(f"{number}" + "x" * (PLAN - 9), session_id=f"large {number}"))

    async def watch() -> None:
        async with connected(server.address) as gate:
            async for response in gate.reviews.WatchReviews(WatchReviewsRequest(snapshot=True)):
                if response.event.cursor:
                    return

    meter = Meter(server)
    async with asyncio.timeout(PATIENCE):
        await asyncio.gather(*(watch() for _ in range(4)))
    print(f"{meter.megabytes():.0f} of {4 * MOST_MEGABYTES} MB")
    assert meter.megabytes() <= 4 * MOST_MEGABYTES


async def test_heavy_work_does_not_keep_a_server_from_its_end(tmp_path: Path) -> None:
    """While many heavy requests wait and run, SIGTERM ends the server within its grace, and well."""
    (tmp_path / "policy.yaml").write_text(RULES)
    async with (
        serving(tmp_path / "plangate.db", "--policy", str(tmp_path / "policy.yaml")) as server,
        connected(server.address) as gate,
    ):
        text = CALLS["commands"]
        asks = [
            asyncio.ensure_future(gate.ask(call(text, f"c{number}", session_id=f"s{number}")))
            for number in range(60)
        ]
        await asks[0]
        assert (await server.exit(signal.SIGTERM)).code == 0
        await asyncio.gather(*asks, return_exceptions=True)
