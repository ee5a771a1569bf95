"""Temporal: a workflow with the plan waits for a signal; the person reads its input and signals the decision.

The agent gets the decision as the workflow's result. Worker and callers are in this process.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, cast
from uuid import uuid4

from temporalio import workflow
from temporalio.client import Client, WorkflowHandle
from temporalio.worker import Worker

from bench.peers.worker import DECISION, Plan, RoundTrip, serve

QUEUE = "approvals"


# The sandbox imports everything anew for each workflow, which costs far more than the workflow.
@workflow.defn(sandboxed=False)
class Approval:
    def __init__(self) -> None:
        self._decision = ""

    @workflow.run
    async def run(self, plan: Plan) -> str:
        await workflow.wait_condition(lambda: self._decision != "")
        return self._decision

    @workflow.signal
    def decide(self, decision: str) -> None:
        self._decision = decision


@asynccontextmanager
async def opened(address: str) -> AsyncIterator[RoundTrip]:
    client = await Client.connect(address)

    async def round_trip(plan: Plan) -> tuple[Plan, str]:
        handle = await client.start_workflow(Approval.run, plan, id=str(uuid4()), task_queue=QUEUE)
        seen = await _input(client, handle)
        await handle.signal(Approval.decide, DECISION)
        return seen, await handle.result()

    async with Worker(client, task_queue=QUEUE, workflows=[Approval]):
        yield round_trip


async def _input(client: Client, handle: WorkflowHandle[Any, Any]) -> Plan:
    """From the first event of its history; to query the workflow costs a turn of the worker more."""
    started = await anext(handle.fetch_history_events(page_size=1))
    [plan] = await client.data_converter.decode(
        started.workflow_execution_started_event_attributes.input.payloads
    )
    return cast(Plan, plan)


if __name__ == "__main__":
    serve(opened)
