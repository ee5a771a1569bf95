"""DraftPlan: a plan as the model writes it. What was written so far survives a broken stream."""

from __future__ import annotations

from collections.abc import AsyncIterator

from msgspec import Struct

from plangate_server.domain.content import Draft
from plangate_server.domain.errors import InvalidField, MissingField, NoReviewer, SessionHasPlan, WrongState
from plangate_server.domain.events import Change
from plangate_server.domain.four_eyes import asked_for
from plangate_server.domain.identity import Principal
from plangate_server.domain.lifecycle import Origin, propose_again, sketch, sketch_on, withdraw
from plangate_server.domain.plan import ENDED, Plan, PlanState, is_draft, plan_id_of
from plangate_server.domain.review import ReviewOptions
from plangate_server.ports import RequestKey, World, Writing
from plangate_server.usecases.create_plan import (
    CreatePlan,
    check_alone,
    check_asker,
    create_plan,
    in_review,
    lacks_reviewer,
    origin_of,
    unbuilt_plan,
)
from plangate_server.usecases.driving import save
from plangate_server.usecases.lookup import the_plan
from plangate_server.usecases.once import write_once
from plangate_server.usecases.ownership import check_draft, proposer_of


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
    _check(first)
    plan = await _begin(world, principal, first)
    last = first
    async for part in parts:
        if last.submit:
            break
        _check(part)
        _check_same(plan, first, part)
        plan = await _go_on(world, principal, plan.uri, part, first.agent_id)
        last = part
    return plan


async def _begin(world: World, principal: Principal, part: DraftPart) -> Plan:
    """A new draft, or the one that is continued."""
    if part.plan_uri:
        plan_id_of(part.plan_uri)
        return await _go_on(world, principal, part.plan_uri, part, part.agent_id)
    if part.submit:
        # A plan that came in one part was never a draft.
        return await create_plan(world, principal, _whole(part))
    check_asker(part.session_id, part.agent_id)
    origin, now = origin_of(world, principal, part.session_id, part.agent_id), world.clock.now()
    sketched = asked_for(sketch(origin, part.draft, now, world.limits), principal.person)

    def store(writing: Writing) -> Change:
        own = unbuilt_plan(writing, origin)
        check_alone(world, writing, origin.session_id, *([own] if own else []))
        return sketched

    return (await write_once(world, principal, None, store)).plan


def _whole(part: DraftPart) -> CreatePlan:
    return CreatePlan(
        draft=part.draft,
        session_id=part.session_id,
        agent_id=part.agent_id,
        options=part.options,
        require_reviewer=part.require_reviewer,
        key=part.key,
    )


async def _go_on(world: World, principal: Principal, plan_uri: str, part: DraftPart, agent_id: str) -> Plan:
    now, review_id = world.clock.now(), world.ids.new()
    nobody = lacks_reviewer(world, principal, demanded=part.require_reviewer)

    def store(writing: Writing) -> Change:
        draft = the_plan(writing, plan_uri)
        check_draft(principal, agent_id, draft)
        if part.session_id not in {"", draft.session_id}:
            raise InvalidField("session_id", "is not the session that the draft was begun in: leave it out")
        proposer = proposer_of(principal, agent_id, draft)
        author = proposer.name if proposer else principal.name
        if not part.submit:
            sketched = sketch_on(draft, part.draft, now, world.limits, author=author, proposer=proposer)
            return asked_for(sketched, principal.person)
        if not is_draft(draft):
            raise WrongState(draft.uri, draft.state, [PlanState.DRAFT])
        if nobody:
            raise NoReviewer(draft.session_id)
        unbuilt = plan_beside(writing, draft)
        check_alone(world, writing, draft.session_id, draft, *([unbuilt] if unbuilt else []))
        asker = proposer or draft.proposer
        if unbuilt is not None and not asker.is_same(draft.owner):
            words = (
                "it is of the author of the draft, and not of the text: submit under that author's agent_id"
            )
            raise SessionHasPlan(draft.session_id, unbuilt.uri, words)
        if unbuilt is not None:
            # The author has a plan in the session: this is its next revision, as it is in CreatePlan.
            reason = f"submitted as the next revision of {unbuilt.uri}"
            save(world, writing, withdraw(draft, reason, author, now))
        options = world.policies.current.plans.applied_to(part.options or ReviewOptions())
        submitted = propose_again(
            unbuilt or draft,
            part.draft,
            options,
            author=author,
            proposer=asker,
            approval_request_id=review_id,
            now=now,
            limits=world.limits,
        )
        return in_review(world, principal, submitted, by_person=proposer is None)

    key = part.key if part.submit else None
    return (await write_once(world, principal, key, store)).plan


def plan_beside(writing: Writing, draft: Plan) -> Plan | None:
    """The plan of the draft's author in the session that nobody has begun to build, if there is one."""
    origin = Origin(draft.plan_id, draft.workspace, draft.created_by, draft.session_id, proposer=draft.owner)
    return unbuilt_plan(writing, origin, drafts=False)


def check_submits_alone(world: World, writing: Writing, plan: Plan) -> None:
    """Refuse to ask people about a plan that nobody is asked about where another is one too many; and to
    submit a draft by itself where its author has another plan in the session.
    """
    if is_draft(plan) or plan.state in ENDED:
        check_alone(world, writing, plan.session_id, plan)
    if not is_draft(plan):
        return
    other = plan_beside(writing, plan)
    if other is not None:
        words = (
            "a draft would be a second one of its author: submit it with DraftPlan, which updates that plan"
        )
        raise SessionHasPlan(plan.session_id, other.uri, words)


def _check(part: DraftPart) -> None:
    """Refuse what would be forgotten before people are asked: they would be asked under other terms."""
    if part.submit:
        return
    if part.options is not None:
        raise InvalidField("review", "goes with submit: send it in the message that submits the plan")
    if part.key is not None:
        raise InvalidField("request_id", "goes with submit: send it in the message that submits the plan")


def _check_same(plan: Plan, first: DraftPart, part: DraftPart) -> None:
    """Refuse a part that would be of something else than the draft that the stream began with."""
    if part.plan_uri not in {"", plan.uri}:
        raise InvalidField("plan_uri", f"is not the draft of this stream, {plan.uri}: begin another stream")
    if part.agent_id not in {"", first.agent_id}:
        raise InvalidField("agent_id", "is not who began this stream: leave it out")
