"""What happens by itself: reviews expire, builds that are not heard from give their todos back."""

from __future__ import annotations

from plangate_server.domain.building import return_overdue
from plangate_server.domain.lifecycle import expire
from plangate_server.ports import World, Writing

AT_ONCE = 500


async def settle_overdue(world: World) -> int:
    """End everything whose time is over; gives how many plans were looked at."""
    now = world.clock.now()
    late = await world.store.overdue(now, AT_ONCE)
    for workspace, plan_id in dict.fromkeys(late):

        def settle(writing: Writing, plan_id: str = plan_id) -> None:
            for verb in (expire, return_overdue):
                plan = writing.plan(plan_id)
                change = verb(plan, now) if plan else None
                if change is not None:
                    writing.save(change)

        await world.store.write(workspace, settle)
    return len(late)
