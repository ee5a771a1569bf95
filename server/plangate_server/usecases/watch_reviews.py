"""WatchReviews: everything that happens to plans of the workspace, from what is open now."""

from __future__ import annotations

from collections.abc import AsyncGenerator

from plangate_server.domain.events import Event, EventType
from plangate_server.domain.identity import DECIDERS, Principal
from plangate_server.domain.plan import Plan, PlanState
from plangate_server.domain.review import SERVICE
from plangate_server.ports import EventFilter, PlanFilter, Reading, World
from plangate_server.usecases.streams import Moment, next_moment, past, start_position

OPEN = (PlanState.DRAFT, PlanState.IN_REVIEW)
PAGE = 500


async def watch_reviews(
    world: World,
    principal: Principal,
    which: EventFilter,
    cursor: str = "",
    *,
    snapshot: bool = False,
    attended: bool = True,
) -> AsyncGenerator[Moment]:
    """What is open or what came after the cursor, a moment that marks the end of that, then live."""
    position = start_position(world, principal, cursor) if cursor else None
    reviewer = attended and principal.role in DECIDERS
    with world.feed.follow(principal.workspace, which, reviewer=reviewer) as stream:
        if position is None:
            wanted = PlanFilter(session_id=which.session_id, states=OPEN) if snapshot else None
            plans, position = await _open_plans(world, principal, wanted)
            now = world.clock.now()
            for plan in plans:
                # Without a place in the log: whoever breaks off among them begins again.
                yield Moment(0, Event(EventType.SNAPSHOT, now, SERVICE, plan))
        else:
            async for event in past(world, principal, which, position):
                position = event.sequence
                yield Moment(position, event)
        yield Moment(position)
        while True:
            moment = await next_moment(world, principal, stream, position)
            position = moment.sequence
            yield moment


async def _open_plans(world: World, principal: Principal, which: PlanFilter | None) -> tuple[list[Plan], int]:
    """The plans that are wanted, and the place in the log at which they were read."""

    def look(reading: Reading) -> tuple[list[Plan], int]:
        plans: list[Plan] = []
        page = reading.plans(which, after="", limit=PAGE) if which else ()
        while which and page:
            plans += page
            page = reading.plans(which, after=page[-1].plan_id, limit=PAGE)
        return plans, reading.last_sequence()

    return await world.store.read(principal.workspace, look)
