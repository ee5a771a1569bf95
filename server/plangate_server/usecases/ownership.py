"""Whose a text, a draft or a build is, as the caller and the agent that it names tell.

A caller that names no agent is an author of its own, who has no name. It can wait for a plan, and go on
with a draft, of an agent with the same credentials; but what it writes is its own text.
"""

from __future__ import annotations

from plangate_server.domain.approvals import Approval
from plangate_server.domain.building import Hand
from plangate_server.domain.errors import NotHolder
from plangate_server.domain.identity import AGENTS, Author, Principal, Role, author_of
from plangate_server.domain.plan import Plan, is_draft


def hand_of(principal: Principal, agent_id: str = "", build_id: str = "") -> Hand:
    return Hand(principal.key, principal.role is Role.ADMIN, agent_id, build_id)


def proposer_of(principal: Principal, agent_id: str, plan: Plan) -> Author | None:
    """Whose text it is that the caller writes into the plan; None for a person, who edits what is there."""
    created_it = plan.owner.principal == principal.key
    if principal.role not in AGENTS or (principal.role is Role.ADMIN and not agent_id and not created_it):
        return None
    return author_of(principal, agent_id)


def is_creator(principal: Principal, agent_id: str, plan: Plan) -> bool:
    """Whether the caller is the plan's creator, or may mean it without naming it."""
    owner = plan.owner
    named = author_of(principal, agent_id).is_same(owner)
    return principal.role in AGENTS and (named or (not agent_id and owner.principal == principal.key))


def check_draft(principal: Principal, agent_id: str, plan: Plan) -> None:
    """Refuse to touch the draft of another agent."""
    if is_draft(plan) and principal.role is not Role.ADMIN and not is_creator(principal, agent_id, plan):
        raise NotHolder("plan_uri", plan.owner.name, plan_uri=plan.uri)


def check_asked_by(principal: Principal, approval: Approval) -> None:
    """Refuse to take back the tool call of another caller."""
    if principal.role is not Role.ADMIN and approval.principal not in {"", principal.key}:
        raise NotHolder("call_id", approval.requested_by, call_id=approval.call_id)
