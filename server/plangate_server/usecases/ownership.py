"""Whose a text, a draft or a build is, as the caller and the agent that it names tell.

A caller that names no agent is an author of its own, who has no name. Only who waits can leave the name out
and still mean the agent that created the plan, if that had the same credentials: release 0.1.0 had no field.
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


def waits_for_creator(principal: Principal, agent_id: str, plan: Plan) -> bool:
    """Whether the caller is the plan's creator, or may mean it without naming it."""
    owner = plan.owner
    named = author_of(principal, agent_id).is_same(owner)
    return principal.role in AGENTS and (named or (not agent_id and owner.principal == principal.key))


def check_draft(principal: Principal, agent_id: str, plan: Plan) -> None:
    """Refuse to write into the draft of another agent; an admin who names no agent may."""
    if not is_draft(plan):
        return
    author = proposer_of(principal, agent_id, plan)
    is_admin = author is None and principal.role is Role.ADMIN
    if not is_admin and (author is None or not author.is_same(plan.owner)):
        raise NotHolder("plan_uri", plan.owner.name, plan_uri=plan.uri)


def check_asked_by(principal: Principal, approval: Approval) -> None:
    """Refuse to take back the tool call of another caller."""
    if principal.role is not Role.ADMIN and approval.principal not in {"", principal.key}:
        raise NotHolder("call_id", approval.requested_by, call_id=approval.call_id)
