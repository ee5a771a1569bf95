"""RegisterReference: an agent says that it works with a plan."""

from __future__ import annotations

from plangate_server.domain.events import Change
from plangate_server.domain.identity import Principal
from plangate_server.domain.lifecycle import refer
from plangate_server.domain.plan import Plan, plan_id_of
from plangate_server.ports import RequestKey, World, Writing
from plangate_server.usecases.create_plan import check_asker
from plangate_server.usecases.lookup import the_plan
from plangate_server.usecases.once import write_once


async def register_reference(
    world: World, principal: Principal, plan_uri: str, *, agent_id: str, key: RequestKey | None
) -> Plan:
    """The plan, to which the agent refers."""
    plan_id_of(plan_uri)
    check_asker("", agent_id)
    now = world.clock.now()

    def record(writing: Writing) -> Change:
        return refer(the_plan(writing, plan_uri), agent_id or principal.name, now)

    return (await write_once(world, principal, key, record)).plan
