"""The plans that a database begins with: small ones, made by the real server."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from uuid import uuid4

from bench import steps
from bench.wire import connected
from plangate_proto.agent.v1.create_plan_tool_pb2 import CreatePlanArgs
from plangate_proto.agent.v1.plan_resource_pb2 import Plan
from plangate_proto.agent.v1.plan_service_pb2 import CreatePlanRequest
from plangate_proto.agent.v1.todo_tools_pb2 import TodoItem

ARGS: Final = CreatePlanArgs(
    plan="# Mend the clock\n\nTake it down, oil it, and hang it up again.",
    name="Mend the clock",
    todos=[TodoItem(id="step-1", content="Take it down")],
)
WAITING: Final = "waiting-"
"""How the request_id of a plan begins that is left undecided."""
_numbers = itertools.count(1)


@dataclass(frozen=True, slots=True)
class Seed:
    approved: Sequence[Plan]
    """Decided, and their agents know. The first in the log."""
    waiting: Sequence[Plan]
    """Nobody has decided about them; oldest first."""


async def sow(address: str, number: int) -> Seed:
    """So many plans of either kind."""
    async with connected(address) as connection:
        trips = (steps.round_trip(connection, connection, small_request()) for _ in range(number))
        approved = await asyncio.gather(*trips)
        waiting = [await steps.create(connection, small_request(WAITING)) for _ in range(number)]
        return Seed(approved, waiting)


def small_request(mark: str = "") -> bytes:
    """A request to create a small plan, in a session of its own."""
    # Begins like the ids that the server makes, with the time: whatever renames those renames it, too.
    session = f"{time.time_ns() // 1_000_000:012x}-{next(_numbers)}"
    return CreatePlanRequest(
        args=ARGS, agent_id="bench", session_id=session, request_id=f"{mark}{uuid4()}"
    ).SerializeToString()
