"""GetPlan, ListPlans, ListRevisions and DiffRevisions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from itertools import islice
from operator import attrgetter

from msgspec.structs import replace

from plangate_server.domain.diff import RevisionDiff, compare
from plangate_server.domain.errors import InvalidField, PlanNotFound
from plangate_server.domain.identity import Principal
from plangate_server.domain.limits import check_id
from plangate_server.domain.plan import Plan, Revision, plan_id_of
from plangate_server.domain.review import Review
from plangate_server.ports import PlanFilter, Reading, World
from plangate_server.usecases.history import review_bytes, reviews_of, revisions_after
from plangate_server.usecases.lookup import the_plan, the_revision
from plangate_server.usecases.paging import (
    CHUNK,
    PAGE_BYTES,
    checked_size,
    chunks,
    fill_page,
    make_token,
    read_token,
    wire_bytes,
)


async def get_plan(world: World, principal: Principal, plan_uri: str, revision: int | None = None) -> Plan:
    """A plan as it is, showing its head or an older revision."""
    if revision is not None and revision < 1:
        raise InvalidField("revision", "is less than 1: revisions are counted from 1")

    plan, _ = await current_plan(world, principal, plan_uri)
    if revision is None or revision == plan.revision.number:
        return plan

    def look(reading: Reading) -> Plan:
        plan = the_plan(reading, plan_uri)
        return replace(plan, revision=the_revision(reading, plan, revision))

    return await world.store.read(principal.workspace, look)


async def current_plan(world: World, principal: Principal, plan_uri: str) -> tuple[Plan, int]:
    """A plan as it is, and the place in the log that this is after."""
    found = await world.store.snapshot(principal.workspace, plan_id_of(plan_uri))
    if found is None:
        raise PlanNotFound(plan_uri)
    return found


async def list_plans(
    world: World, principal: Principal, which: PlanFilter, page_size: int, page_token: str
) -> tuple[Sequence[Plan], str]:
    """A page of plans, oldest first, and the token of the next one."""
    check_id("session_id", which.session_id)
    check_id("agent_id", which.created_by)
    size = checked_size(page_size, world.limits)
    scope = (principal.workspace, which)
    after = read_token(page_token, scope)

    def look(reading: Reading) -> tuple[Sequence[Plan], str]:
        source = chunks(
            lambda last: reading.plans(which, after=last, limit=CHUNK), after, attrgetter("plan_id")
        )
        page, more = fill_page(source, size, wire_bytes)
        return page, make_token(page[-1].plan_id, scope) if more else ""

    return await world.store.read(principal.workspace, look)


async def list_revisions(
    world: World, principal: Principal, plan_uri: str, page_size: int, page_token: str
) -> tuple[Plan, Sequence[Revision], dict[int, Review], str]:
    """A page of revisions, oldest first, with their reviews, and the token of the next page."""
    size = checked_size(page_size, world.limits)
    plan_id = plan_id_of(plan_uri)
    scope = (principal.workspace, plan_id)
    after = int(read_token(page_token, scope) or 0)

    def look(reading: Reading) -> tuple[Plan, Sequence[Revision], dict[int, Review]]:
        plan = the_plan(reading, plan_uri)
        found = [*islice(revisions_after(reading, plan_id, after), size)]
        page, reviews = _with_reviews(found, reviews_of(reading, plan_id))
        return plan, page, reviews

    plan, page, reviews = await world.store.read(principal.workspace, look)
    more = bool(page) and page[-1].number < plan.revision.number
    return plan, page, reviews, make_token(str(page[-1].number), scope) if more else ""


def _with_reviews(
    revisions: Sequence[Revision], reviews: Iterable[Review]
) -> tuple[Sequence[Revision], dict[int, Review]]:
    """The revisions with their reviews, as many as fit into one message."""
    wanted = {revision.number for revision in revisions}
    found: dict[int, Review] = {}
    room = PAGE_BYTES
    for review in reviews:
        if review.revision in wanted:
            room -= review_bytes(review)
            if found and room < 0:
                page = [each for each in revisions if each.number < review.revision]
                return page or revisions[:1], found
            found[review.revision] = review
    return revisions, found


async def diff_revisions(
    world: World, principal: Principal, plan_uri: str, older: int, newer: int
) -> tuple[Plan, RevisionDiff]:
    """What changed; 0 stands for the head, or for the revision before the newer one."""
    plan_id_of(plan_uri)
    for field, number in (("from_revision", older), ("to_revision", newer)):
        if number < 0:
            raise InvalidField(field, "is negative")

    def look(reading: Reading) -> tuple[Plan, Revision, Revision]:
        plan = the_plan(reading, plan_uri)
        to = the_revision(reading, plan, newer or plan.revision.number)
        before = the_revision(reading, plan, older or max(to.number - 1, 1))
        return plan, before, to

    async with world.workers.place(principal.key):
        plan, before, to = await world.store.read(principal.workspace, look)
        return plan, await world.workers.run(principal.key, partial(compare, before, to))
