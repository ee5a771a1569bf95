"""ReviewPlan: wait for the decision about a plan."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from enum import Enum, auto

from plangate_server.domain.content import draft_from
from plangate_server.domain.events import Change, Event, EventType
from plangate_server.domain.identity import AGENTS, Principal
from plangate_server.domain.lifecycle import submit_draft
from plangate_server.domain.plan import ENDED, Plan, PlanState, plan_id_of
from plangate_server.domain.review import SERVICE, ReviewOutcome, ReviewStatus
from plangate_server.ports import EventFilter, Stream, World, Writing
from plangate_server.usecases.create_plan import in_review
from plangate_server.usecases.lookup import the_plan
from plangate_server.usecases.once import write_once
from plangate_server.usecases.read_plans import current_plan
from plangate_server.usecases.receipts import record_delivery
from plangate_server.usecases.streams import Moment, next_moment, past, start_position


class Until(Enum):
    """How long a stream goes on."""

    DECISION = auto()
    """Until anything is decided, requested changes included."""
    RESULT = auto()
    """Through requested changes, until the plan is approved or will not be."""
    END = auto()
    """Through the build, until nothing more can happen to the plan."""


async def review_plan(
    world: World, principal: Principal, plan_uri: str, cursor: str = "", until: Until = Until.DECISION
) -> AsyncGenerator[Moment]:
    """A snapshot, or what came after the cursor, then live; and the receipt that the decision arrived."""
    which = EventFilter(plan_id=plan_id_of(plan_uri), only_plans=True)
    position = start_position(world, principal, cursor) if cursor else None
    with world.feed.follow(principal.workspace, which) as stream:
        moments = _moments(world, principal, plan_uri, stream, position=position, until=until)
        async with aclosing(moments):
            async for moment in moments:
                yield moment
                if not isinstance(moment.event, Event):
                    continue  # a checkpoint: this stream tells of one plan only
                plan = moment.event.plan
                if plan.review.status is ReviewStatus.DONE and principal.role in AGENTS:
                    await record_delivery(world, principal, plan)
                if _is_over(plan, until):
                    return


async def _moments(
    world: World,
    principal: Principal,
    plan_uri: str,
    stream: Stream,
    *,
    position: int | None,
    until: Until,
) -> AsyncGenerator[Moment]:
    plan, last = await _under_review(world, principal, plan_uri)
    if position is None:
        position = last
        snapshot = Event(EventType.SNAPSHOT, world.clock.now(), SERVICE, plan, sequence=last)
        yield Moment(position, snapshot)
    else:
        which = EventFilter(plan_id=plan_id_of(plan_uri), only_plans=True)
        async for event in past(world, principal, which, position):
            if isinstance(event, Event):
                plan, position = event.plan, event.sequence
                yield Moment(position, event)
        # As of what was told: a decision that came meanwhile is still to be told.
        if _is_over(plan, until):
            return
    while True:
        moment = await next_moment(world, principal, stream, position)
        position = moment.sequence
        yield moment


async def _under_review(world: World, principal: Principal, plan_uri: str) -> tuple[Plan, int]:
    """The plan and its place in the log; a draft that its agent waits for is submitted as it stands."""
    plan, last = await current_plan(world, principal, plan_uri)
    if plan.state is not PlanState.DRAFT or principal.role not in AGENTS:
        return plan, last
    review_id, now = world.ids.new(), world.clock.now()

    def submit(writing: Writing) -> Change:
        draft = the_plan(writing, plan_uri)
        if draft.state is not PlanState.DRAFT:
            return Change(draft, ())
        content = draft_from(draft.revision.content)
        options = world.policies.current.plans.applied_to(draft.options)
        submitted = submit_draft(draft, content, options, review_id, now, limits=world.limits)
        return in_review(world, principal, submitted)

    await write_once(world, principal, None, submit)
    return await current_plan(world, principal, plan_uri)


def _is_over(plan: Plan, until: Until) -> bool:
    if plan.state is PlanState.WITHDRAWN:
        return True  # whatever its last review said, or if it never had one
    match until:
        case Until.DECISION:
            return plan.review.status is ReviewStatus.DONE
        case Until.RESULT:
            waits_for_agent = plan.review.outcome is ReviewOutcome.CHANGES_REQUESTED
            return plan.review.status is ReviewStatus.DONE and not waits_for_agent
        case Until.END:
            return plan.state in ENDED
