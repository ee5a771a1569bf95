"""DBOS: a workflow with the plan waits in ``recv``; the person reads its input and sends it the decision.

The agent holds the workflow's handle and gets the decision as its result.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from dbos import DBOS

from bench.peers.worker import DECISION, Plan, RoundTrip, serve

TOPIC = "decision"


@DBOS.workflow()
async def approval(plan: Plan) -> str:
    decision: str = await DBOS.recv_async(TOPIC, timeout_seconds=60)
    return decision


async def round_trip(plan: Plan) -> tuple[Plan, str]:
    handle = await DBOS.start_workflow_async(approval, plan)
    status = await handle.get_status()
    await DBOS.send_async(handle.workflow_id, DECISION, TOPIC)
    return status.input["args"][0], await handle.get_result()


@asynccontextmanager
async def opened(address: str) -> AsyncIterator[RoundTrip]:
    DBOS(config={"name": "approvals", "system_database_url": address, "console_log_level": "WARNING"})
    DBOS.launch()
    try:
        yield round_trip
    finally:
        DBOS.destroy()


if __name__ == "__main__":
    serve(opened)
