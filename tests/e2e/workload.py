"""Agents and people at work, and a ledger of what they were promised."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Any

from plangate_proto.agent.v1.create_plan_tool_pb2 import CreatePlanArgs
from plangate_proto.agent.v1.plan_resource_pb2 import Plan
from plangate_proto.agent.v1.plan_service_pb2 import UpdatePlanRequest
from tests.helpers.gate import Gate, decision, proposal


@dataclass(slots=True)
class Ledger:
    """Every write that was sent, and what was answered."""

    sent: dict[str, tuple[str, Any]] = field(default_factory=dict)
    answered: dict[str, Any] = field(default_factory=dict)
    wanted: int = 0
    enough: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when as many writes were answered as are wanted."""

    def want(self, more: int) -> None:
        self.wanted = len(self.answered) + more
        self.enough.clear()

    async def call(self, gate: Gate, kind: str, request: Any) -> Any:
        self.sent[request.request_id] = (kind, request)
        answer = await send(gate, kind, request)
        self.answered[request.request_id] = answer
        if len(self.answered) >= self.wanted:
            self.enough.set()
        return answer


_CALLS: dict[str, Any] = {
    "create": lambda gate: gate.agent.CreatePlan,
    "update": lambda gate: gate.agent.UpdatePlan,
    "decide": lambda gate: gate.reviews.SubmitReview,
}


async def send(gate: Gate, kind: str, request: Any) -> Any:
    return await _CALLS[kind](gate)(request)


async def work(gate: Gate, ledger: Ledger, name: str) -> None:
    """Propose, revise and approve plan after plan, until the server is gone."""
    number = 0
    while True:
        number += 1
        key = f"{name}-{number}"
        plan: Plan = (await ledger.call(gate, "create", proposal(f"# {key}", request_id=f"{key}-c"))).plan
        change = UpdatePlanRequest(
            plan_uri=plan.plan_uri,
            expected_revision=1,
            args=CreatePlanArgs(plan=f"# {key}, revised"),
            request_id=f"{key}-u",
        )
        revised: Plan = (await ledger.call(gate, "update", change)).plan
        await ledger.call(gate, "decide", decision(revised, "approve", request_id=f"{key}-d"))
