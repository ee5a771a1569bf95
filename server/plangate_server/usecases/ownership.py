"""Whose a text, a draft or a build is, as the caller and the agent that it names tell.

An agent_id that is left empty, in a call that names a plan, stands for the agent that created the plan, if
that had the same credentials.
"""

from __future__ import annotations

from plangate_server.domain.building import Hand
from plangate_server.domain.errors import NotHolder
from plangate_server.domain.identity import AGENTS, Author, Principal, Role, author_of
from plangate_server.domain.plan import Plan, PlanState


def hand_of(principal: Principal, agent_id: str = "", build_id: str = "") -> Hand:
    return Hand(principal.key, principal.role is Role.ADMIN, agent_id, build_id)


def proposer_of(principal: Principal, agent_id: str, plan: Plan) -> Author | None:
    """Whose text it is that the caller writes into the plan; None for a person, who edits what is there."""
    if principal.role not in AGENTS:
        return None
    if not agent_id and plan.owner.principal == principal.key:
        return plan.owner
    if not agent_id and principal.role is Role.ADMIN:
        return None
    return author_of(principal, agent_id)


def waiting_author(principal: Principal, agent_id: str, plan: Plan, *, any_author: bool) -> Author | None:
    """Whose texts the caller is told about; None for whoever is told about all of them."""
    if any_author or not plan.owner.principal:
        return None
    return proposer_of(principal, agent_id, plan)


def check_draft(principal: Principal, agent_id: str, plan: Plan, field: str = "plan_uri") -> None:
    """Refuse to change the draft of another agent."""
    if plan.state is not PlanState.DRAFT or principal.role is Role.ADMIN:
        return
    author = proposer_of(principal, agent_id, plan)
    if author is None or not author.is_same(plan.owner):
        raise NotHolder(field, plan.owner.name, plan_uri=plan.uri)
