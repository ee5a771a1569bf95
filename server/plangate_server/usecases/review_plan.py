"""ReviewPlan: wait for the decision about a plan."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from enum import Enum, auto

from plangate_server.domain.errors import InvalidCursor, StreamEnded
from plangate_server.domain.events import Event, EventType
from plangate_server.domain.plan import ENDED, Plan, plan_id_of
from plangate_server.domain.review import ReviewOutcome, ReviewStatus
from plangate_server.ports import Principal, Reading, World
from plangate_server.usecases.read_plans import existing

CATCH_UP = 500
"""How many events are read at a time when a stream resumes far behind."""


class Until(Enum):
    """How long a stream goes on."""

    DECISION = auto()
    """Until anything is decided, requested changes included."""
    RESULT = auto()
    """Through requested changes, until the plan is approved or will not be."""
    END = auto()
    """Through the build, until nothing more can happen to the plan."""


@dataclass(frozen=True, slots=True)
class _Past:
    plan: Plan
    events: Sequence[Event]
    whole: bool


async def review_plan(
    world: World,
    principal: Principal,
    plan_uri: str,
    cursor: str = "",
    until: Until = Until.DECISION,
) -> AsyncGenerator[Event]:
    """Events of a plan: a snapshot, or what came after the cursor, then live ones."""
    plan_id = plan_id_of(plan_uri)
    position = world.store.cursors.decode(principal.workspace, cursor) if cursor else None
    with world.feed.follow(principal.workspace, plan_id) as live:
        while True:
            past = await _past(world, principal, plan_uri, position)
            for event in past.events:
                yield event
                if _is_over(event.plan, until):
                    return
                position = event.sequence
            if past.whole:
                break
        if _is_over(past.plan, until):
            return
        assert position is not None, "a snapshot has a position, and so has a cursor"
        try:
            async for event in live:
                if event.sequence > position:
                    yield event
                    if _is_over(event.plan, until):
                        return
                    position = event.sequence
        except StreamEnded as ended:
            ended.metadata["cursor"] = world.store.cursors.encode(principal.workspace, position)
            raise


async def _past(world: World, principal: Principal, plan_uri: str, position: int | None) -> _Past:
    """A snapshot, or the next events after the position."""

    def look(reading: Reading) -> _Past:
        plan = existing(reading, plan_uri)
        last = reading.last_sequence()
        if position is None:
            now = world.clock.now()
            snapshot = Event(EventType.SNAPSHOT, now, "plangate", plan, sequence=last)
            return _Past(plan, (snapshot,), whole=True)
        if position > last:
            raise InvalidCursor
        events = reading.events(plan.plan_id, after=position, limit=CATCH_UP)
        return _Past(plan, events, whole=len(events) < CATCH_UP)

    return await world.store.read(principal.workspace, look)


def _is_over(plan: Plan, until: Until) -> bool:
    match until:
        case Until.DECISION:
            return plan.review.status is ReviewStatus.DONE
        case Until.RESULT:
            waits_for_agent = plan.review.outcome is ReviewOutcome.CHANGES_REQUESTED
            return plan.review.status is ReviewStatus.DONE and not waits_for_agent
        case Until.END:
            return plan.state in ENDED
