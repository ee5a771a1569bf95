"""WatchReviews: everything that happens to plans of the workspace, from what is open now."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing

from plangate_server.domain.events import Event, EventType
from plangate_server.domain.identity import DECIDERS, Principal
from plangate_server.domain.limits import check_id
from plangate_server.domain.plan import Plan, PlanState
from plangate_server.domain.review import SERVICE
from plangate_server.ports import EventFilter, PlanFilter, Reading, World
from plangate_server.usecases.streams import Moment, next_moment, past, start_position

OPEN = (PlanState.DRAFT, PlanState.IN_REVIEW)
SLICE = 4
"""Read at a time: each may be as large as a plan can be."""


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
    check_id("session_id", which.session_id)
    position = start_position(world, principal, cursor) if cursor else None
    reviewer = attended and principal.role in DECIDERS
    with world.feed.follow(principal.workspace, which, reviewer=reviewer) as stream:
        if position is None:
            wanted = PlanFilter(session_id=which.session_id, states=OPEN) if snapshot else None
            async with aclosing(_begun(world, principal, which, wanted)) as moments:
                async for moment in moments:
                    position = moment.sequence
                    yield moment
            assert position is not None, "the last one marks the end"
        else:
            async for event in past(world, principal, which, position):
                position = event.sequence
                yield Moment(position, event)
            yield Moment(position)
        while True:
            moment = await next_moment(world, principal, stream, position)
            position = moment.sequence
            yield moment


async def _begun(
    world: World, principal: Principal, which: EventFilter, wanted: PlanFilter | None
) -> AsyncGenerator[Moment]:
    """The plans that are wanted, a few at a time; what happened while they were told, as far as they did not
    show it; and a moment that marks the end.
    """
    shown: dict[str, int] = {}
    first, after = None, ""
    while True:
        plans, last = await _look(world, principal, wanted, after)
        first = last if first is None else first
        now = world.clock.now()
        for plan in plans:
            shown[plan.plan_id] = last
            # Without a place in the log: whoever breaks off among them begins again.
            yield Moment(0, Event(EventType.SNAPSHOT, now, SERVICE, plan))
        if len(plans) < SLICE:
            break
        after = plans[-1].plan_id
    if first < last:
        async with aclosing(past(world, principal, which, first)) as events:
            async for event in events:
                if event.sequence > last:
                    break
                if event.sequence > shown.get(event.plan_id, 0):
                    yield Moment(event.sequence, event)
    yield Moment(last)


async def _look(
    world: World, principal: Principal, wanted: PlanFilter | None, after: str
) -> tuple[Sequence[Plan], int]:
    """The next of the plans that are wanted, and the place in the log at which they were read."""

    def look(reading: Reading) -> tuple[Sequence[Plan], int]:
        plans = reading.plans(wanted, after=after, limit=SLICE) if wanted else ()
        return plans, reading.last_sequence()

    return await world.store.read(principal.workspace, look)
