"""DraftPlan: a plan as the model writes it. What was written so far survives a broken stream."""

from __future__ import annotations

from collections.abc import AsyncIterator

from msgspec import Struct

from plangate_server.domain.content import Draft
from plangate_server.domain.errors import MissingField, NoReviewer
from plangate_server.domain.events import Change
from plangate_server.domain.four_eyes import asked_for
from plangate_server.domain.identity import Principal
from plangate_server.domain.lifecycle import Origin, propose, sketch, sketch_on, submit_draft
from plangate_server.domain.plan import Plan, plan_id_of
from plangate_server.domain.review import ReviewOptions
from plangate_server.ports import RequestKey, World, Writing
from plangate_server.usecases.create_plan import check_asker, in_review, lacks_reviewer
from plangate_server.usecases.lookup import the_plan
from plangate_server.usecases.once import write_once


class DraftPart(Struct, frozen=True):
    draft: Draft
    plan_uri: str = ""
    session_id: str = ""
    agent_id: str = ""
    submit: bool = False
    options: ReviewOptions | None = None
    require_reviewer: bool = False
    key: RequestKey | None = None


async def draft_plan(world: World, principal: Principal, parts: AsyncIterator[DraftPart]) -> Plan:
    """The plan after the last part: in review if that submitted it, else a draft."""
    first = await anext(parts, None)
    if first is None:
        raise MissingField("args", "send the plan as it is so far")
    plan = await _begin(world, principal, first)
    last = first
    async for part in parts:
        if last.submit:
            break
        plan = await _go_on(world, principal, plan.uri, part)
        last = part
    return plan


async def _begin(world: World, principal: Principal, part: DraftPart) -> Plan:
    """A new draft, or the one that is continued."""
    if part.plan_uri:
        plan_id_of(part.plan_uri)
        return await _go_on(world, principal, part.plan_uri, part)
    check_asker(part.session_id, part.agent_id)
    author = part.agent_id or principal.name
    origin = Origin(world.ids.new(), principal.workspace, author, part.session_id)
    if part.submit:
        return await _submit_at_once(world, principal, origin, part)
    now = world.clock.now()
    sketched = asked_for(sketch(origin, part.draft, now, world.limits), principal.person)
    return (await write_once(world, principal, None, lambda _: sketched)).plan


async def _submit_at_once(world: World, principal: Principal, origin: Origin, part: DraftPart) -> Plan:
    """A plan that came in one part was never a draft: sent again, it is the same plan."""
    review_id, now = world.ids.new(), world.clock.now()
    nobody = lacks_reviewer(world, principal, demanded=part.require_reviewer)

    def store(_: Writing) -> Change:
        if nobody:
            raise NoReviewer(origin.session_id)
        proposed = propose(origin, part.draft, _options(world, part), review_id, now, limits=world.limits)
        return in_review(world, principal, proposed)

    return (await write_once(world, principal, part.key, store)).plan


async def _go_on(world: World, principal: Principal, plan_uri: str, part: DraftPart) -> Plan:
    now, review_id = world.clock.now(), world.ids.new()
    nobody = lacks_reviewer(world, principal, demanded=part.require_reviewer)

    def store(writing: Writing) -> Change:
        plan = the_plan(writing, plan_uri)
        if not part.submit:
            return asked_for(sketch_on(plan, part.draft, now, world.limits), principal.person)
        if nobody:
            raise NoReviewer(plan.session_id)
        submitted = submit_draft(plan, part.draft, _options(world, part), review_id, now, limits=world.limits)
        return in_review(world, principal, submitted)

    key = part.key if part.submit else None
    return (await write_once(world, principal, key, store)).plan


def _options(world: World, part: DraftPart) -> ReviewOptions:
    return world.policies.current.plans.applied_to(part.options or ReviewOptions())
