"""What happens by itself: reviews and tool calls expire, builds not heard from give their todos back."""

from __future__ import annotations

from functools import partial

from plangate_server.domain.approval_queue import expired, leave
from plangate_server.domain.building import return_overdue
from plangate_server.domain.lifecycle import expire
from plangate_server.ports import World, Writing
from plangate_server.usecases.driving import save
from plangate_server.usecases.lookup import known_session, the_approval

AT_ONCE = 500


async def settle_overdue(world: World) -> int:
    """End everything whose time is over; gives how many plans and tool calls were looked at."""
    return await _settle_plans(world) + await _settle_calls(world)


async def _settle_plans(world: World) -> int:
    now = world.clock.now()
    late = await world.store.overdue(now, AT_ONCE)
    for workspace, plan_id in dict.fromkeys(late):

        def settle(writing: Writing, plan_id: str = plan_id) -> None:
            for verb in (expire, return_overdue):
                plan = writing.plan(plan_id)
                change = verb(plan, now) if plan else None
                if change is not None:
                    save(world, writing, change)

        await world.store.write(workspace, settle)
    return len(late)


async def _settle_calls(world: World) -> int:
    now = world.clock.now()
    late = await world.store.overdue_calls(now, AT_ONCE)
    for workspace, session_id, call_id in late:
        token = world.ids.secret()

        def settle(
            writing: Writing, session_id: str = session_id, call_id: str = call_id, token: str = token
        ) -> None:
            session = known_session(writing, session_id, call_id)
            ended = expired(the_approval(writing, session_id, call_id), now)
            if ended is not None:
                find = partial(the_approval, writing, session_id)
                save(world, writing, leave(session, [ended], find, token, now))

        await world.store.write(workspace, settle)
    return len(late)
