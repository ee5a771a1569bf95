"""CreatePlan: store a plan, ask people about it, and return at once."""

from __future__ import annotations

from functools import partial

from msgspec import Struct
from msgspec.structs import replace

from plangate_server.domain import limits
from plangate_server.domain.content import Draft, amended, replaced_text
from plangate_server.domain.errors import NoReviewer, SessionHasPlan
from plangate_server.domain.events import Change, EventType
from plangate_server.domain.four_eyes import asked_for
from plangate_server.domain.identity import Author, Principal, author_of
from plangate_server.domain.lifecycle import (
    REVISABLE,
    Origin,
    approve_by_rule,
    check_knows_text,
    propose,
    propose_again,
)
from plangate_server.domain.plan import ENDED, Plan, is_draft
from plangate_server.domain.policy import rule_for
from plangate_server.domain.review import ReviewOptions
from plangate_server.ports import RequestKey, World, Writing
from plangate_server.usecases.once import write_once


class CreatePlan(Struct, frozen=True):
    draft: Draft
    session_id: str = ""
    agent_id: str = ""
    tool_call_id: str = ""
    options: ReviewOptions | None = None
    require_reviewer: bool = False
    multi_plan: bool = False
    old_str: str = ""
    new_str: str = ""
    key: RequestKey | None = None


async def create_plan(world: World, principal: Principal, command: CreatePlan) -> Plan:
    """The plan as stored: a new one, or the session's with a new revision."""
    check_asker(command.session_id, command.agent_id, command.tool_call_id)
    nobody = lacks_reviewer(world, principal, demanded=command.require_reviewer)
    replaces_text = not command.draft.plan and bool(command.old_str or command.new_str)
    origin = origin_of(
        world, principal, command.session_id, command.agent_id, tool_call_id=command.tool_call_id
    )
    review_id, now = world.ids.new(), world.clock.now()
    options = world.policies.current.plans.applied_to(command.options or ReviewOptions())
    anew = partial(
        propose, origin, options=options, approval_request_id=review_id, now=now, limits=world.limits
    )
    # Done before the writer's turn: it has one thread, and a bad plan should not take its time.
    fresh = None if replaces_text else anew(command.draft)

    def store(writing: Writing) -> Change:
        if nobody:
            raise NoReviewer(command.session_id)
        unbuilt = None if command.multi_plan else unbuilt_plan(writing, origin)
        check_alone(world, writing, origin.session_id, *([unbuilt] if unbuilt else []))
        body = unbuilt.revision.content.plan if unbuilt else ""
        draft = command.draft
        if replaces_text:
            if unbuilt is not None:
                check_knows_text(unbuilt, origin.proposer)
            draft = replace(draft, plan=replaced_text(body, command.old_str, command.new_str))
        if unbuilt is None:
            change = fresh or anew(draft)
        else:
            change = propose_again(
                unbuilt,
                amended(unbuilt.revision.content, draft) if replaces_text else draft,
                options,
                author=origin.author,
                proposer=origin.proposer,
                approval_request_id=review_id,
                now=now,
                limits=world.limits,
            )
        return in_review(world, principal, change)

    return (await write_once(world, principal, command.key, store)).plan


def origin_of(
    world: World, principal: Principal, session_id: str, agent_id: str, *, tool_call_id: str = ""
) -> Origin:
    """Where a new plan of the caller's comes from."""
    author = author_of(principal, agent_id)
    return Origin(world.ids.new(), principal.workspace, author.name, session_id, tool_call_id, author)


def unbuilt_plan(writing: Writing, origin: Origin, *, drafts: bool = True) -> Plan | None:
    """Its author's plan in the session that nobody has begun to build; a draft where it has no other."""
    session = writing.session(origin.session_id) if origin.session_id else None
    if session is None or origin.proposer is None:
        return None
    mark = origin.proposer.mark
    # Release 0.1.0 knew the newest plan of a session, and not whose it was.
    known = session.plans.get(mark, "" if session.plans else session.plan_id)
    for plan_id in (known, session.drafts.get(mark) if drafts else None):
        plan = writing.plan(plan_id) if plan_id else None
        if plan is not None and _can_become(plan, origin.proposer) and (drafts or not is_draft(plan)):
            return plan
    return None


def _can_become(plan: Plan, author: Author) -> bool:
    """Whether a proposal of the author's is the plan's next revision."""
    return plan.owner.is_same(author) and not plan.built_by and plan.state in REVISABLE


def check_alone(world: World, writing: Writing, session_id: str, *own: Plan) -> None:
    """Refuse another plan beside an unfinished one, where the operator allows one in a session."""
    if not session_id or not world.policies.current.plans.single_plan:
        return
    session = writing.session(session_id)
    if session is None:
        return
    known = {session.plan_id, *session.plans.values(), *session.drafts.values(), *session.in_review}
    for plan_id in sorted(known - {"", *(plan.plan_id for plan in own)}):
        plan = writing.plan(plan_id)
        if plan is not None and plan.state not in ENDED:
            raise SessionHasPlan(session_id, plan.uri, "the policy allows one plan in a session")


def in_review(world: World, principal: Principal, change: Change, *, by_person: bool = False) -> Change:
    """The change, with who asks, if it asks anything; a rule of the operator's may answer it at once.

    What a person wrote is for people to answer: saving an edit never approves it.
    """
    if not any(event.type is EventType.PLAN_APPROVAL_REQUIRED for event in change.events):
        return change
    asked = asked_for(change, principal.person)
    rules = () if by_person else world.policies.current.auto_approve
    rule = rule_for(asked.plan, rules)
    return asked if rule is None else approve_by_rule(asked, rule, asked.plan.update_time)


def check_asker(session_id: str, agent_id: str, tool_call_id: str = "") -> None:
    limits.check_id("session_id", session_id)
    limits.check_id("agent_id", agent_id)
    limits.check_id("tool_call_id", tool_call_id)


def lacks_reviewer(world: World, principal: Principal, *, demanded: bool) -> bool:
    """Whether a reviewer is demanded and none is there; no reason to refuse what was done before."""
    demanded = demanded or world.policies.current.plans.require_reviewer
    return demanded and world.feed.reviewers_watching(principal.workspace) == 0
