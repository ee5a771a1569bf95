"""Finding what a call names, or refusing in its terms; another workspace's plan looks like none."""

from __future__ import annotations

from plangate_server.domain.approvals import Approval
from plangate_server.domain.errors import (
    ApprovalNotFound,
    BuildNotFound,
    InvalidField,
    PlanNotFound,
    ReviewNotFound,
    RevisionNotFound,
    SessionNotFound,
)
from plangate_server.domain.plan import Plan, Revision, plan_id_of
from plangate_server.domain.sessions import Session
from plangate_server.ports import Lookup


def the_plan(lookup: Lookup, plan_uri: str) -> Plan:
    plan = lookup.plan(plan_id_of(plan_uri))
    if plan is None:
        raise PlanNotFound(plan_uri)
    return plan


def the_revision(lookup: Lookup, plan: Plan, number: int) -> Revision:
    if number == plan.revision.number:
        return plan.revision
    # A number beyond the head is no question for the store, which does not take every number.
    revision = lookup.revision(plan.plan_id, number) if 0 <= number < plan.revision.number else None
    if revision is None:
        raise RevisionNotFound(plan.uri, number)
    return revision


def the_plan_under_review(lookup: Lookup, approval_request_id: str) -> Plan:
    plan = lookup.plan_under_review(approval_request_id)
    if plan is None:
        raise ReviewNotFound(approval_request_id)
    return plan


def the_plan_of_build(lookup: Lookup, build_id: str, plan_uri: str = "") -> Plan:
    """The plan that a build is of, which must be this one if one is named."""
    plan = lookup.plan_of_build(build_id)
    if plan is None:
        raise BuildNotFound(build_id)
    if plan_uri and plan.uri != plan_uri:
        raise InvalidField("build_id", f"is of another plan than plan_uri: of {plan.uri}")
    return plan


def the_session(lookup: Lookup, session_id: str) -> Session:
    session = lookup.session(session_id)
    if session is None:
        raise SessionNotFound(session_id)
    return session


def known_session(lookup: Lookup, session_id: str, call_id: str) -> Session:
    """The session of a tool call. To be read before the call: the commit checks that the session is still
    the same, so whatever is read after it belongs to it, also where another node writes meanwhile.
    """
    session = lookup.session(session_id)
    if session is None:
        raise ApprovalNotFound(session_id, call_id)
    return session


def the_approval(lookup: Lookup, session_id: str, call_id: str) -> Approval:
    approval = lookup.approval(session_id, call_id)
    if approval is None:
        raise ApprovalNotFound(session_id, call_id)
    return approval
