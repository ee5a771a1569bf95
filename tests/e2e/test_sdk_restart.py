"""The gate is killed and started again under a client: everything ends as it would have without that."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import AsyncExitStack
from typing import Any

import pytest

from plangate import AsyncClient, GateUnreachable
from plangate.errors import GateUnavailable, TimedOut
from plangate_proto.agent.v1.plan_resource_pb2 import Plan, PlanState
from plangate_proto.agent.v1.review_event_pb2 import ReviewEventType
from plangate_proto.agent.v1.tool_approval_service_pb2 import ApprovalState
from tests.e2e.processes import ServerProcess, serving
from tests.helpers.conditions import PATIENCE
from tests.helpers.either_client import KINDS, Awaited, client_of
from tests.helpers.gate import connected
from tests.helpers.resuming import log_of
from tests.helpers.scraping import scrape_until
from tests.helpers.streams import types

TODOS = ["sort the boxes", "sweep the floor", "paint the wall", "lock the door"]
PLANS = 12
DECIDED = ApprovalState.APPROVAL_STATE_DECIDED


class Restarting:
    """A gate at one address, however often it is killed."""

    def __init__(self, database: str, stack: AsyncExitStack) -> None:
        self._database = database
        self._stack = stack
        self._server: ServerProcess | None = None
        self.address = "127.0.0.1:0"

    async def start(self) -> None:
        server = await self._stack.enter_async_context(serving(self._database, "--listen", self.address))
        self._server, self.address = server, server.address

    async def kill(self) -> None:
        assert self._server
        await self._server.exit(signal.SIGKILL)

    async def restart(self) -> None:
        await self.kill()
        await self.start()

    async def until_open(self, method: str) -> None:
        """Until a stream of the method is open."""
        assert self._server
        await scrape_until(self._server.web, lambda numbers: numbers.streams(method) > 0)

    async def events(self, plan: Plan) -> list[str]:
        """What the log tells of a plan."""
        async with connected(self.address) as gate:
            return types(await log_of(gate, plan.plan_uri))


@pytest.fixture
async def gate(database: str) -> AsyncIterator[Restarting]:
    async with AsyncExitStack() as stack:
        gate = Restarting(database, stack)
        await gate.start()
        yield gate


@pytest.fixture(params=KINDS)
async def client(request: pytest.FixtureRequest, gate: Restarting) -> AsyncIterator[Awaited]:
    # A call goes on over a restart for as long as its deadline lets it.
    async with client_of(request.param, gate.address, timeout=PATIENCE) as client:
        await client.who_am_i()
        yield client


def now(work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
    """Begun, and going on while the test does something else."""
    return asyncio.create_task(work)


async def test_a_decision_that_is_waited_for(gate: Restarting, client: Awaited) -> None:
    """Killed while the agent waits, twice: the agent gets the decision, and the log has it once."""
    plan = await client.create_plan("# Tidy the cellar", todos=TODOS)
    waiting = now(client.wait(plan))
    await gate.until_open("ReviewPlan")
    await gate.restart()
    await gate.until_open("ReviewPlan")
    await gate.restart()
    await client.decide(plan, "reject", "not on a Sunday")
    async with asyncio.timeout(PATIENCE):
        decision = await waiting
    assert (decision.outcome, decision.feedback) == ("REJECTED", "not on a Sunday")
    assert await gate.events(plan) == [
        "PLAN_CREATED",
        "PLAN_APPROVAL_REQUIRED",
        "PLAN_REJECTED",
        "DECISION_DELIVERED",
    ]


async def test_a_decision_while_the_gate_was_gone_from_the_agent(gate: Restarting, client: Awaited) -> None:
    """What was decided between two lives of a stream is told when it goes on."""
    plan = await client.create_plan("# Tidy the cellar")
    async with client_of("async", gate.address, timeout=PATIENCE) as person:
        await person.who_am_i()
        waiting = now(client.wait(plan))
        await gate.until_open("ReviewPlan")
        deciding = now(gate.restart())
        await person.decide(plan, "approve")
        await deciding
    async with asyncio.timeout(PATIENCE):
        assert (await waiting).approved


async def build(client: Awaited, todo_done: Callable[[int], Coroutine[Any, Any, None]]) -> Plan:
    """A plan from its first word to its last todo; something happens whenever a todo is done."""
    plan = await client.create_plan("# Tidy the cellar", todos=TODOS)
    await client.decide(plan, "approve")
    decision = await client.wait(plan)
    await client.acknowledge(decision)
    build = await client.build(decision)
    for number, todo in enumerate(build.todos):
        await build.start(todo)
        await todo_done(number)
        await build.done(todo)
    finished = await build.finish("all done")
    assert (finished.completed, finished.failed, finished.total) == (4, 0, 4)
    built: Plan = finished.plan
    return built


async def test_a_build(gate: Restarting, client: Awaited) -> None:
    """Killed at every todo: the same events as without, none twice, and the plan is completed."""

    async def nothing(_: int) -> None:
        return

    starts: list[asyncio.Task[Any]] = []

    async def restart(_: int) -> None:
        """Killed now, and back only while the next call is already being made."""
        await asyncio.gather(*starts)
        await gate.kill()
        starts.append(now(gate.start()))

    undisturbed = await build(client, nothing)
    disturbed = await build(client, restart)
    assert disturbed.state == PlanState.PLAN_STATE_COMPLETED
    assert await gate.events(disturbed) == await gate.events(undisturbed)


async def test_decisions_in_flight(gate: Restarting, client: Awaited) -> None:
    """Killed in the midst of many decisions: each is recorded once, and everybody gets their answer."""
    plans = [await client.create_plan(f"# Plan {number}") for number in range(PLANS)]
    deciding = [now(client.decide(plan, "approve")) for plan in plans]
    await asyncio.wait(deciding, return_when=asyncio.FIRST_COMPLETED)
    await gate.restart()
    async with asyncio.timeout(PATIENCE):
        decisions = await asyncio.gather(*deciding)
    assert [decision.outcome for decision in decisions] == ["APPROVED"] * PLANS
    for plan in plans:
        assert (await gate.events(plan)).count("PLAN_APPROVED") == 1


async def test_a_tool_call_that_waits(gate: Restarting, client: Awaited) -> None:
    """Killed while a call waits in the queue: the agent joins it again, and gets the one answer."""
    asking = now(client.request_approval("session-1", "bash", "make clean", call_id="call-1"))
    await gate.until_open("RequestApproval")
    await gate.restart()
    await gate.until_open("RequestApproval")
    async with AsyncClient(gate.address) as person:
        prompts = person.prompts("session-1")
        async for shown in prompts:
            if shown.HasField("prompt"):
                await person.answer(shown.prompt, "denied", "not now")
                break
        await prompts.aclose()
        assert [call.call_id async for call in person.tool_calls(DECIDED)] == ["call-1"]
    async with asyncio.timeout(PATIENCE):
        outcome = await asking
    assert (outcome.outcome, outcome.feedback) == ("DENIED", "not now")


async def test_a_watch_of_the_workspace(gate: Restarting) -> None:
    """A reviewer's stream goes on behind its cursor: every plan is told once, in order."""
    told: list[str] = []
    async with AsyncClient(gate.address, timeout=PATIENCE) as client:

        async def watch() -> None:
            created = ReviewEventType.REVIEW_EVENT_TYPE_PLAN_CREATED
            async for event in client.watch(created):
                if event.type == created:
                    told.append(event.plan_uri)
                if len(told) == 6:
                    return

        watching = now(watch())
        await gate.until_open("WatchReviews")
        plans = [await client.create_plan("# One"), await client.create_plan("# Two")]
        await gate.restart()
        plans += [await client.create_plan("# Three"), await client.create_plan("# Four")]
        await gate.restart()
        plans += [await client.create_plan("# Five"), await client.create_plan("# Six")]
        async with asyncio.timeout(PATIENCE):
            await watching
    assert told == [plan.plan_uri for plan in plans]


async def test_a_gate_that_was_never_there(client: Awaited, gate: Restarting) -> None:
    """A new client does not wait for a gate that nobody has seen: the address is more likely wrong."""
    await gate.kill()
    for kind in KINDS:
        async with client_of(kind, gate.address) as stranger, asyncio.timeout(PATIENCE):
            with pytest.raises(GateUnreachable, match="plangate serve"):
                await stranger.create_plan("# Tidy the cellar")


@pytest.mark.parametrize("kind", KINDS)
async def test_time_runs_out_while_the_gate_is_gone(gate: Restarting, kind: str) -> None:
    """A gate that was there is waited for, and no longer than the caller said."""
    # By its own timeout the client would go on for longer than this test waits.
    async with client_of(kind, gate.address, timeout=2 * PATIENCE) as client:
        await client.who_am_i()
        await gate.kill()
        hurried = Awaited(client.itself.within(1.0))
        async with asyncio.timeout(PATIENCE):
            # Between two attempts, or in the midst of one that is still about to connect.
            with pytest.raises((GateUnavailable, TimedOut)):
                await hurried.create_plan("# Tidy the cellar")
