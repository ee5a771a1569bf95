"""THE table of who may call what. A method that is not in it is open to nobody."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from plangate_server.domain.errors import RoleNotAllowed
from plangate_server.domain.identity import AGENTS, DECIDERS, Principal, Role

ANYONE: Final = frozenset(Role)
DESKS: Final = frozenset({Role.REVIEWER, Role.OBSERVER, Role.ADMIN})
"""The person's side of the gate, looking on included."""
PARTIES: Final = frozenset({Role.AGENT, Role.REVIEWER, Role.ADMIN})
ADMINS: Final = frozenset({Role.ADMIN})

_PLANS: Final = "/agent.v1.PlanService/"
_APPROVALS: Final = "/agent.v1.ApprovalService/"
_SESSIONS: Final = "/agent.v1.SessionService/"
_TOKENS: Final = "/agent.v1.TokenService/"
_AISERVER: Final = "/aiserver.v1.PlanService/"
_REVIEWS: Final = "/aiserver.v1.PlanReviewService/"

ACCESS: Final[Mapping[str, frozenset[Role]]] = {
    _PLANS + "CreatePlan": AGENTS,
    _PLANS + "DraftPlan": AGENTS,
    _PLANS + "UpdatePlan": PARTIES,
    _PLANS + "GetPlan": ANYONE,
    _PLANS + "ListPlans": ANYONE,
    _PLANS + "ListRevisions": ANYONE,
    _PLANS + "DiffRevisions": ANYONE,
    _PLANS + "ReviewPlan": ANYONE,
    _PLANS + "AcknowledgeDecision": AGENTS,
    _PLANS + "BuildTodos": AGENTS,
    _PLANS + "ReadTodos": ANYONE,
    _PLANS + "UpdateTodos": AGENTS,
    _PLANS + "FinishBuild": AGENTS,
    _PLANS + "WithdrawPlan": AGENTS,
    _PLANS + "ListComments": ANYONE,
    _PLANS + "RegisterReference": AGENTS,
    _APPROVALS + "RequestApproval": AGENTS,
    _APPROVALS + "CancelApproval": AGENTS,
    _APPROVALS + "WatchApprovals": DESKS,
    _APPROVALS + "ResolveApproval": DECIDERS,
    _APPROVALS + "ListApprovals": DESKS,
    _APPROVALS + "ListRemembered": DESKS,
    _APPROVALS + "ForgetRemembered": DECIDERS,
    _APPROVALS + "ResetMemory": DECIDERS,
    _APPROVALS + "RestoreMemory": ADMINS,
    _SESSIONS + "GetSession": ANYONE,
    _SESSIONS + "ListSessions": ANYONE,
    _SESSIONS + "WatchSession": ANYONE,
    _SESSIONS + "SetMode": PARTIES,
    _SESSIONS + "ConfirmFullAccess": DECIDERS,
    _SESSIONS + "AuthorizeTool": AGENTS,
    _SESSIONS + "ReportEvent": AGENTS,
    _TOKENS + "CreateToken": ADMINS,
    _TOKENS + "ListTokens": ADMINS,
    _TOKENS + "RevokeToken": ADMINS,
    _TOKENS + "WhoAmI": ANYONE,
    _AISERVER + "CreatePlan": AGENTS,
    _AISERVER + "ReviewPlan": ANYONE,
    _AISERVER + "BuildTodos": AGENTS,
    _AISERVER + "TodoRead": ANYONE,
    _AISERVER + "TodoWrite": AGENTS,
    _REVIEWS + "ListReviews": DESKS,
    _REVIEWS + "GetReview": DESKS,
    _REVIEWS + "WatchReviews": DESKS,
    _REVIEWS + "SubmitReview": DECIDERS,
    _REVIEWS + "AddComment": DECIDERS,
    _REVIEWS + "ResolveComment": DECIDERS,
    _REVIEWS + "ListEvents": DESKS,
    _REVIEWS + "VerifyAudit": DESKS,
}


DECISIONS: Final = frozenset(
    {_REVIEWS + "SubmitReview", _APPROVALS + "ResolveApproval", _SESSIONS + "ConfirmFullAccess"}
)
"""That somebody tried these who may not is worth knowing."""


def check_role(method: str, principal: Principal) -> None:
    allowed = ACCESS.get(method, frozenset())
    if principal.role not in allowed:
        raise RoleNotAllowed(principal.role, sorted(allowed))
