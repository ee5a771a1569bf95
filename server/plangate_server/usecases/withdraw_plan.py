"""WithdrawPlan: the agent takes its plan back."""

from __future__ import annotations

from plangate_server.domain import limits
from plangate_server.domain.events import Change
from plangate_server.domain.identity import Principal
from plangate_server.domain.lifecycle import withdraw
from plangate_server.domain.plan import Plan, plan_id_of
from plangate_server.ports import RequestKey, World, Writing
from plangate_server.usecases.create_plan import check_asker
from plangate_server.usecases.lookup import the_plan
from plangate_server.usecases.once import write_once
from plangate_server.usecases.ownership import check_draft


async def withdraw_plan(
    world: World,
    principal: Principal,
    plan_uri: str,
    *,
    reason: str,
    agent_id: str,
    key: RequestKey | None,
) -> Plan:
    """The plan after it was taken back."""
    plan_id_of(plan_uri)
    check_asker("", agent_id)
    limits.check_bytes("reason", reason, "feedback_bytes", limits.FEEDBACK_BYTES)
    now = world.clock.now()

    def record(writing: Writing) -> Change:
        plan = the_plan(writing, plan_uri)
        check_draft(principal, agent_id, plan)
        return withdraw(plan, reason, agent_id or principal.name, now)

    return (await write_once(world, principal, key, record)).plan
