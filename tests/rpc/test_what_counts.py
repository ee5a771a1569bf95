"""What counts against the limits of a caller."""

from pathlib import Path
from typing import Any

from plangate_proto.agent.v1.create_plan_tool_pb2 import CreatePlanArgs
from plangate_proto.agent.v1.plan_service_pb2 import DraftPlanRequest
from tests.helpers.refusals import refused
from tests.rpc.steps import until, watching
from tests.rpc.test_limits_rpc import limited, somebody


async def test_drafts_that_are_being_written_count_as_streams(tmp_path: Path) -> None:
    """An agent can hold only so many open."""
    async with limited(tmp_path, streams_per_principal=2) as gate, somebody(gate, "agent") as agent:
        watch, _ = await watching(gate)
        drafts: list[Any] = []
        for number in range(3):
            drafts.append(agent.agent.DraftPlan())
            await drafts[-1].write(DraftPlanRequest(args=CreatePlanArgs(plan=f"# {number}")))
            if number < 2:
                await until(watch, "DRAFT_UPDATED")
        watch.cancel()
        await drafts[-1].done_writing()
        assert (await refused(drafts[-1])).reason == "LIMIT_EXCEEDED"


async def test_calls_that_a_role_may_not_make_are_counted(tmp_path: Path) -> None:
    """A caller who does what it may not is slowed down like any other."""
    async with limited(tmp_path, calls_per_second=2) as gate, somebody(gate, "observer") as observer:
        reasons = {(await refused(observer.propose())).reason for _ in range(50)}
    assert "RATE_LIMITED" in reasons
