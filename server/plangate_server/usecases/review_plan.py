"""ReviewPlan: wait for the decision about a plan."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from enum import Enum, auto

from msgspec import Struct
from msgspec.structs import replace

from plangate_server.domain.content import draft_from
from plangate_server.domain.errors import InvalidField, NotAuthor
from plangate_server.domain.events import Change, Event, EventType
from plangate_server.domain.identity import AGENTS, Author, Principal
from plangate_server.domain.lifecycle import submit_draft
from plangate_server.domain.plan import ENDED, Plan, PlanState, is_draft, plan_id_of
from plangate_server.domain.review import SERVICE, Review, ReviewOutcome, ReviewStatus, supersede
from plangate_server.ports import EventFilter, Stream, World, Writing
from plangate_server.usecases.create_plan import check_asker, in_review
from plangate_server.usecases.draft_plan import check_submits_alone
from plangate_server.usecases.history import reviews_of
from plangate_server.usecases.lookup import the_plan
from plangate_server.usecases.once import write_once
from plangate_server.usecases.ownership import is_creator, proposer_of
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


class Waiter(Struct, frozen=True):
    """Who waits, and for what."""

    plan_uri: str
    agent_id: str = ""
    any_author: bool = False
    until: Until = Until.DECISION


async def review_plan(
    world: World, principal: Principal, waiter: Waiter, cursor: str = ""
) -> AsyncGenerator[Moment]:
    """A snapshot, or what came after the cursor, then live; and the receipt that the decision arrived.

    Whoever waits for their own text is told no other's: that one takes its place is the last they hear.
    """
    check_asker("", waiter.agent_id)
    if waiter.agent_id and principal.role not in AGENTS:
        raise InvalidField("agent_id", "names an agent, and you are told of every text: leave it out")
    which = EventFilter(plan_id=plan_id_of(waiter.plan_uri), only_plans=True)
    position = start_position(world, principal, cursor) if cursor else None
    with world.feed.follow(principal.workspace, which) as stream:
        moments = _moments(world, principal, waiter, stream, position)
        async with aclosing(moments):
            async for moment in moments:
                if not isinstance(moment.event, Event):
                    yield moment  # a checkpoint: this stream tells of one plan only
                    continue
                plan = moment.event.plan
                told = await _told(world, principal, waiter, moment, plan)
                if told is None:
                    continue
                yield told
                if told.superseded is not None:
                    return
                if plan.review.status is ReviewStatus.DONE and principal.role in AGENTS:
                    await record_delivery(world, principal, plan, waiter.agent_id)
                if _is_over(plan, waiter.until):
                    return


async def _told(
    world: World, principal: Principal, waiter: Waiter, moment: Moment, plan: Plan
) -> Moment | None:
    """The moment as the waiting author is told of it: what became of its own text, if the plan is now
    another author's; None of what was before it had a text at all.
    """
    author = proposer_of(principal, waiter.agent_id, plan)
    if waiter.any_author or author is None or not plan.proposer.is_known or author.is_same(plan.proposer):
        return moment
    unnamed = not waiter.agent_id and is_creator(principal, "", plan)
    is_creators = unnamed and plan.owner.is_same(plan.proposer)
    if is_creators and plan.review.revision <= 1:
        return moment  # there is no other text yet than the creator's
    reviews = await world.store.read(
        principal.workspace, lambda reading: [*reviews_of(reading, plan.plan_id)]
    )
    own = _about_texts_of(author, reviews, plan)
    before = [each for each in own if each.revision < plan.review.revision]
    if unnamed and not before:
        if is_creators:
            return moment
        own = [*own, *_about_texts_of(plan.owner, reviews, plan)]
        before = [each for each in own if each.revision < plan.review.revision]
    if not own:
        raise NotAuthor(plan.uri, plan.proposer.name)
    if not before:
        return None
    last = max(before, key=lambda review: review.revision)
    superseded = supersede(last, last.superseded_by or plan.review.approval_request_id, plan.update_time)
    return replace(moment, superseded=superseded)


def _about_texts_of(author: Author, reviews: Sequence[Review], plan: Plan) -> list[Review]:
    """The reviews of what the author wrote, or of what nobody knows who wrote."""
    proposers = [(review, review.proposer or plan.owner) for review in reviews]
    return [review for review, proposer in proposers if not proposer.is_known or author.is_same(proposer)]


async def _moments(
    world: World, principal: Principal, waiter: Waiter, stream: Stream, position: int | None
) -> AsyncGenerator[Moment]:
    plan, last = await _under_review(world, principal, waiter)
    snapshot = Event(EventType.SNAPSHOT, world.clock.now(), SERVICE, plan, sequence=last)
    if position is None:
        position = last
        yield Moment(position, snapshot)
    else:
        begin = position
        which = EventFilter(plan_id=plan.plan_id, only_plans=True)
        async for event in past(world, principal, which, position):
            if isinstance(event, Event):
                plan, position = event.plan, event.sequence
                yield Moment(position, event)
        # As of what was told: a decision that came meanwhile is still to be told.
        if _is_over(plan, waiter.until):
            state = Moment(position, snapshot)
            if position == begin and await _told(world, principal, waiter, state, plan) is not state:
                yield state  # nothing came after the cursor, and the plan is another author's
            return
    while True:
        moment = await next_moment(world, principal, stream, position)
        position = moment.sequence
        yield moment


async def _under_review(world: World, principal: Principal, waiter: Waiter) -> tuple[Plan, int]:
    """The plan and its place in the log; a draft that its agent waits for is submitted as it stands."""
    plan_uri = waiter.plan_uri
    plan, last = await current_plan(world, principal, plan_uri)
    if not is_draft(plan) or not is_creator(principal, waiter.agent_id, plan):
        return plan, last
    await _told(world, principal, waiter, Moment(last), plan)  # refuses who would submit another's words
    review_id, now = world.ids.new(), world.clock.now()

    def submit(writing: Writing) -> Change:
        draft = the_plan(writing, plan_uri)
        if not is_draft(draft):
            return Change(draft, ())
        check_submits_alone(world, writing, draft)
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
