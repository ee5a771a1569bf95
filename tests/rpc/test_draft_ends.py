"""A stream from the caller ends with its token, too."""

import asyncio
from typing import Any

from plangate_proto.agent.v1.create_plan_tool_pb2 import CreatePlanArgs
from plangate_proto.agent.v1.plan_service_pb2 import DraftPlanRequest
from tests.helpers.conditions import PATIENCE
from tests.helpers.gate import Gate, connected
from tests.helpers.identities import make_token, revoke
from tests.helpers.refusals import refused
from tests.rpc.steps import until, watching


async def test_revoking_ends_a_draft_that_is_being_written(gate: Gate) -> None:
    """An agent without a token writes no further, and puts nothing in review."""
    made = await make_token(gate, "agent")
    watch, _ = await watching(gate)
    async with connected(gate.address, token=made.secret) as bearer:
        stream: Any = bearer.agent.DraftPlan()
        await stream.write(DraftPlanRequest(args=CreatePlanArgs(plan="# Ti")))
        await until(watch, "DRAFT_UPDATED")
        await revoke(gate, made.token)
        async with asyncio.timeout(PATIENCE):
            refusal = await refused(stream)
        watch.cancel()
    assert refusal.reason == "INVALID_CREDENTIALS"
