"""Builds as context managers, by both clients."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from plangate import AsyncClient, Client, Decision
from plangate_proto.agent.v1.plan_resource_pb2 import PlanState
from tests.helpers.gate_process import gate_process


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with gate_process(tmp_path_factory.mktemp("gate")) as address:
        yield address


def approved(gate: Client) -> Decision:
    plan = gate.create_plan("# Tidy the cellar", todos=["sweep"])
    gate.decide(plan, "approve")
    return gate.wait(plan)


def test_a_build_ends_with_its_block(address: str) -> None:
    """At its end it is finished; an exception fails it, and is not hidden."""
    with Client(address) as gate:
        well = approved(gate)
        with gate.build(well) as build:
            build.done(*build.todos)
        assert gate.get_plan(well.plan).state == PlanState.PLAN_STATE_COMPLETED
        badly = approved(gate)
        with pytest.raises(LookupError), gate.build(badly):
            raise LookupError("no broom")
        assert gate.get_plan(badly.plan).state == PlanState.PLAN_STATE_FAILED


async def test_a_build_ends_with_its_block_with_a_loop(address: str) -> None:
    """The same, awaited; a task that is cancelled fails its build, too."""
    async with AsyncClient(address) as gate:
        plan = await gate.create_plan("# Tidy the cellar", todos=["sweep"])
        await gate.decide(plan, "approve")
        decision, begun = await gate.wait(plan), asyncio.Event()

        async def work() -> None:
            async with gate.build(decision):
                begun.set()
                await asyncio.Event().wait()

        working = asyncio.create_task(work())
        await begun.wait()
        working.cancel()
        with pytest.raises(asyncio.CancelledError):
            await working
        assert (await gate.get_plan(plan)).state == PlanState.PLAN_STATE_FAILED
