"""CreatePlan: store a plan, ask people about it, and return at once."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta

from plangate_server.domain import limits
from plangate_server.domain.content import Draft
from plangate_server.domain.errors import InvalidField, NotBuiltYet
from plangate_server.domain.lifecycle import propose
from plangate_server.domain.plan import Plan
from plangate_server.ports import Principal, RequestKey, World, Writing
from plangate_server.usecases.once import once


@dataclass(frozen=True, slots=True)
class ReviewOptions:
    expires_after: timedelta | None = None
    required_approvals: int = 1
    require_reviewer: bool = False


@dataclass(frozen=True, slots=True)
class CreatePlan:
    draft: Draft
    session_id: str = ""
    agent_id: str = ""
    tool_call_id: str = ""
    review: ReviewOptions = field(default_factory=ReviewOptions)
    key: RequestKey | None = None


async def create_plan(world: World, principal: Principal, command: CreatePlan) -> Plan:
    """The plan as stored."""
    _check(command)
    change = propose(
        command.draft,
        plan_id=world.ids.new(),
        approval_request_id=world.ids.new(),
        workspace=principal.workspace,
        author=command.agent_id or principal.name,
        now=world.clock.now(),
        session_id=command.session_id,
        tool_call_id=command.tool_call_id,
    )

    def store(writing: Writing) -> Plan:
        def save() -> Plan:
            writing.save(change)
            return change.plan

        return once(writing, command.key, save)

    return await world.store.write(principal.workspace, store)


def _check(command: CreatePlan) -> None:
    limits.check_id("session_id", command.session_id)
    limits.check_id("agent_id", command.agent_id)
    limits.check_id("tool_call_id", command.tool_call_id)
    review = command.review
    if review.required_approvals < 0:
        raise InvalidField("review.required_approvals", "is negative")
    if review.required_approvals > 1:
        raise NotBuiltYet("reviews by several people", "review.required_approvals")
    if review.expires_after is not None:
        raise NotBuiltYet("reviews that expire", "review.expires_after")
    if review.require_reviewer:
        raise NotBuiltYet("counting the reviewers that watch", "review.require_reviewer")
