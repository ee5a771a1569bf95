"""Who may call, and the event log."""

from __future__ import annotations

from typing import Any, Final

from plangate._calls.kinds import Method, Pages, Unary, by_page_token, new_id
from plangate._calls.words import uri_of
from plangate._tokens import ADMIN, AGENT, REVIEWER
from plangate_proto.agent.v1.access_token_service_pb2 import (
    CreateTokenRequest,
    CreateTokenResponse,
    ListTokensRequest,
    ListTokensResponse,
    RevokeTokenRequest,
    RevokeTokenResponse,
    Token,
    WhoAmIRequest,
    WhoAmIResponse,
)
from plangate_proto.agent.v1.plan_resource_pb2 import Plan
from plangate_proto.aiserver.v1.plan_review_service_pb2 import (
    AuditEntry,
    ListEventsRequest,
    ListEventsResponse,
    VerifyAuditRequest,
    VerifyAuditResponse,
)

TOKENS: Final = "/agent.v1.TokenService/"
REVIEWS: Final = "/aiserver.v1.PlanReviewService/"
CREATE: Final = Method(f"{TOKENS}CreateToken", ADMIN, CreateTokenResponse)
LIST: Final = Method(f"{TOKENS}ListTokens", ADMIN, ListTokensResponse)
REVOKE: Final = Method(f"{TOKENS}RevokeToken", ADMIN, RevokeTokenResponse)
WHO_AM_I: Final = Method(f"{TOKENS}WhoAmI", AGENT, WhoAmIResponse)
EVENTS: Final = Method(f"{REVIEWS}ListEvents", REVIEWER, ListEventsResponse)
VERIFY: Final = Method(f"{REVIEWS}VerifyAudit", REVIEWER, VerifyAuditResponse)
VERIFY_SECONDS: Final = 600.0
"""A long log takes its time."""
PAGE_SIZE: Final = 1000


def create_token(wanted: CreateTokenRequest) -> Unary[CreateTokenResponse]:
    """As an admin: let somebody call. The secret is in the answer, and nowhere else."""
    request = CreateTokenRequest(request_id=new_id())
    request.MergeFrom(wanted)
    # Sent again, it would be answered without the secret.
    return Unary(CREATE, request, _itself, repeatable=False)


def list_tokens(workspace: str = "", *, include_ended: bool = False) -> Pages[Token]:
    """As an admin: who may call; oldest first."""
    request = ListTokensRequest(workspace=workspace, include_ended=include_ended)
    return Pages(LIST, request, lambda page: page.tokens, by_page_token(request))


def revoke_token(token_id: str, workspace: str = "") -> Unary[Token]:
    """As an admin: end a token, and the streams that it opened."""
    request = RevokeTokenRequest(token_id=token_id, workspace=workspace, request_id=new_id())
    return Unary(REVOKE, request, lambda response: response.token)


def who_am_i() -> Unary[WhoAmIResponse]:
    """As whom an agent's calls are made: name, person, role and workspace."""
    return Unary(WHO_AM_I, WhoAmIRequest(), lambda response: response)


def audit_entries() -> Pages[AuditEntry]:
    """The event log as it is stored, from its first entry on: all that is needed to check its hashes."""
    return _entries(ListEventsRequest(chain=True, page_size=PAGE_SIZE))


def history(plan: Plan | str = "", *, session_id: str = "") -> Pages[AuditEntry]:
    """What happened to a plan, in a session, or at all, oldest first: each event with its place in the log.

    Refused decisions are told, too.
    """
    return _entries(ListEventsRequest(plan_uri=uri_of(plan), session_id=session_id))


def _entries(request: ListEventsRequest) -> Pages[AuditEntry]:
    def turn(page: Any) -> bool:
        request.cursor = page.next_cursor
        return bool(page.entries)

    return Pages(EVENTS, request, lambda page: page.entries, turn)


def verify_audit(head_sequence: int = 0, head_hash: str = "") -> Unary[VerifyAuditResponse]:
    """Let the gate check its event log, and whether a head that was saved earlier is still in it."""
    request = VerifyAuditRequest(expected_head_sequence=head_sequence, expected_head_hash=head_hash)
    return Unary(VERIFY, request, lambda response: response, timeout=VERIFY_SECONDS)


def _itself(response: CreateTokenResponse) -> CreateTokenResponse:
    return response
