"""Receipts: the agent's stream carried the decision; the agent says that it has it."""

from __future__ import annotations

from plangate_server.domain.errors import MissingField, WrongState
from plangate_server.domain.events import Change
from plangate_server.domain.identity import Principal
from plangate_server.domain.lifecycle import acknowledge, deliver
from plangate_server.domain.plan import Plan
from plangate_server.ports import RequestKey, World, Writing
from plangate_server.usecases.create_plan import check_asker
from plangate_server.usecases.lookup import the_plan, the_plan_under_review
from plangate_server.usecases.once import write_once


async def acknowledge_decision(
    world: World, principal: Principal, approval_request_id: str, agent_id: str, key: RequestKey | None
) -> Plan:
    """The plan with the agent's receipt."""
    if not approval_request_id:
        raise MissingField("approval_request_id", "say which decision you have")
    check_asker("", agent_id)
    now = world.clock.now()

    def record(writing: Writing) -> Change:
        plan = the_plan_under_review(writing, approval_request_id)
        if plan.review.approval_request_id != approval_request_id:
            raise WrongState(plan.uri, f"{plan.state} in a newer review", ["decided in this one"])
        return acknowledge(plan, agent_id or principal.name, now) or Change(plan, ())

    return (await write_once(world, principal, key, record)).plan


async def record_delivery(world: World, principal: Principal, plan: Plan, agent_id: str = "") -> None:
    """A stream has carried the decision to the agent; the first one counts."""
    if plan.review.deliver_time is not None:
        return
    now = world.clock.now()

    def record(writing: Writing) -> Change:
        current = the_plan(writing, plan.uri)
        if current.review.approval_request_id != plan.review.approval_request_id:
            return Change(current, ())
        return deliver(current, agent_id or principal.name, now) or Change(current, ())

    await write_once(world, principal, None, record)
