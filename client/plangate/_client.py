"""The client: each step of a plan's life is one call."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final, Self

import grpc

from plangate._bearing import bearing
from plangate._config import Destination, find_destination, find_target
from plangate._errors import from_rpc
from plangate._tls import FileName
from plangate._tokens import ADMIN, AGENT, REVIEWER, ROLES, find_token, given_token
from plangate_proto.agent.v1.access_token_service_pb2 import (
    CreateTokenRequest,
    CreateTokenResponse,
    ListTokensRequest,
    RevokeTokenRequest,
    Token,
)
from plangate_proto.agent.v1.access_token_service_pb2_grpc import TokenServiceStub
from plangate_proto.agent.v1.create_plan_tool_pb2 import CreatePlanArgs
from plangate_proto.agent.v1.plan_resource_pb2 import Plan, PlanState
from plangate_proto.agent.v1.plan_service_pb2 import (
    CreatePlanRequest,
    GetPlanRequest,
    ListPlansRequest,
    ReviewPlanRequest,
)
from plangate_proto.agent.v1.plan_service_pb2_grpc import PlanServiceStub
from plangate_proto.agent.v1.review_event_pb2 import ReviewEvent
from plangate_proto.agent.v1.review_resource_pb2 import Review, ReviewOutcome
from plangate_proto.agent.v1.todo_tools_pb2 import TodoItem
from plangate_proto.aiserver.v1.human_review_pb2 import HumanReview
from plangate_proto.aiserver.v1.plan_review_service_pb2 import (
    AuditEntry,
    ListEventsRequest,
    SubmitReviewRequest,
    VerifyAuditRequest,
    VerifyAuditResponse,
)
from plangate_proto.aiserver.v1.plan_review_service_pb2_grpc import PlanReviewServiceStub

DEADLINE_SECONDS: Final = 20.0
VERIFY_SECONDS: Final = 600.0
"""A long log takes its time."""
PAGE_SIZE: Final = 1000
CHANNEL_OPTIONS: Final = (
    # A proxy for the web is no way to a gate.
    ("grpc.enable_http_proxy", 0),
    # Twice what an entry of the log can take at most, when a draft is full of control characters.
    ("grpc.max_receive_message_length", 16 * 1024 * 1024),
)


@dataclass(frozen=True, slots=True)
class Decision:
    """What became of a review, and the plan that it is about: as edited, if a person edited it."""

    review: Review
    plan: Plan = field(default_factory=Plan)

    @property
    def approved(self) -> bool:
        """Whether ``plan`` may be built."""
        return self.review.outcome in {
            ReviewOutcome.REVIEW_OUTCOME_APPROVED,
            ReviewOutcome.REVIEW_OUTCOME_MODIFIED,
        }

    @property
    def outcome(self) -> str:
        """APPROVED, REJECTED, CHANGES_REQUESTED, MODIFIED, EXPIRED, WITHDRAWN or SUPERSEDED."""
        return ReviewOutcome.Name(self.review.outcome).removeprefix("REVIEW_OUTCOME_")

    @property
    def reviewer(self) -> str:
        """Who decided; empty if nobody did."""
        return self.review.decisions[-1].reviewer if self.review.decisions else ""

    @property
    def feedback(self) -> str:
        """What the person said."""
        return self.review.decisions[-1].feedback_text if self.review.decisions else ""


class Client:
    """A connection to a gate. Use it as a context manager, or call ``close``.

    ``target`` is host:port, or https://host:port to speak TLS; left out, PLANGATE_TARGET or the local
    default. ``ca`` is the file of the CA that the gate's certificate must be signed by (PLANGATE_CA; else the
    public ones), ``cert`` and ``key`` are the files of a client certificate, if the gate asks for one
    (PLANGATE_CERT, PLANGATE_KEY). Naming any of them means TLS, too. ``token`` shows who calls
    (PLANGATE_TOKEN); left out, an agent's calls and a person's find the tokens that a server of this user
    left on this machine.

    What is wrong with these is a ValueError. Every failed call raises a PlangateError.
    """

    def __init__(
        self,
        target: str | None = None,
        *,
        ca: FileName | None = None,
        cert: FileName | None = None,
        key: FileName | None = None,
        token: str | None = None,
        channel: grpc.Channel | None = None,
    ) -> None:
        if channel is None:
            self._gate = find_destination(target, ca, cert, key)
            channel = open_channel(self._gate)
            tokens = {role: find_token(role, self._gate, token) for role in ROLES}
        elif (ca, cert, key) != (None, None, None):
            raise ValueError("a channel of your own has its own TLS: leave out ca, cert and key")
        else:
            self._gate = Destination(target or find_target())
            # Nobody knows where it leads, so what a server left on this machine is not for it.
            tokens = dict.fromkeys(ROLES, given_token(token))
        self.target = self._gate.target
        self._channel = channel
        admins = bearing(channel, tokens[ADMIN])
        self._plans = PlanServiceStub(bearing(channel, tokens[AGENT]))
        self._reviews = PlanReviewServiceStub(bearing(channel, tokens[REVIEWER]))
        self._reviews_of_admins = PlanReviewServiceStub(admins)
        self._tokens = TokenServiceStub(admins)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the connection and every open stream."""
        self._channel.close()

    def create_plan(
        self,
        plan: str,
        *,
        name: str = "",
        overview: str = "",
        todos: Iterable[str | TodoItem] = (),
        session_id: str = "",
        agent_id: str = "",
    ) -> Plan:
        """Propose a plan. Returns at once: people are asked, nothing waits."""
        items = [TodoItem(content=todo) if isinstance(todo, str) else todo for todo in todos]
        request = CreatePlanRequest(
            args=CreatePlanArgs(plan=plan, name=name, overview=overview, todos=items),
            session_id=session_id,
            agent_id=agent_id,
            request_id=str(uuid.uuid4()),
        )
        with self._explained():
            return self._plans.CreatePlan(request, timeout=DEADLINE_SECONDS).plan

    def get_plan(self, plan_uri: str) -> Plan:
        """A plan as it is now."""
        with self._explained():
            request = GetPlanRequest(plan_uri=plan_uri)
            return self._plans.GetPlan(request, timeout=DEADLINE_SECONDS).plan

    def list_plans(self, *states: PlanState.ValueType, session_id: str = "") -> Iterator[Plan]:
        """Every plan in one of the states, or in any; oldest first."""
        request = ListPlansRequest(states=states, session_id=session_id)
        while True:
            with self._explained():
                page = self._plans.ListPlans(request, timeout=DEADLINE_SECONDS)
            yield from page.plans
            if not page.next_page_token:
                return
            request.page_token = page.next_page_token

    def events(self, plan: Plan, *, follow: bool = False) -> Iterator[ReviewEvent]:
        """What happens to a plan: a snapshot, then live, until it is decided or, following, has ended."""
        request = ReviewPlanRequest(plan_uri=plan.plan_uri, follow=follow)
        with self._explained():
            for response in self._plans.ReviewPlan(request):
                yield response.event

    def wait(self, plan: Plan) -> Decision:
        """Wait until people have decided."""
        *_, last = self.events(plan)
        return Decision(last.review, last.plan if last.HasField("plan") else plan)

    def decide(
        self, plan: Plan, option: str, feedback: str = "", *, break_glass_reason: str = ""
    ) -> Decision:
        """Record a person's decision about the very text in ``plan``; if it moved on, this is refused.

        ``option`` is approve, reject or requestChanges. With ``break_glass_reason`` an admin approves past
        four_eyes and the number of approvals, and the event log tells everybody why.
        """
        request = SubmitReviewRequest(
            approval_request_id=plan.review.approval_request_id,
            human_review=HumanReview(selected_option=option, feedback_text=feedback),
            revision=plan.revision,
            digest=plan.digest,
            request_id=str(uuid.uuid4()),
            break_glass_reason=break_glass_reason,
        )
        reviews = self._reviews_of_admins if break_glass_reason else self._reviews
        with self._explained():
            return Decision(reviews.SubmitReview(request, timeout=DEADLINE_SECONDS).review, plan)

    def audit_entries(self) -> Iterator[AuditEntry]:
        """The event log as it is stored, from its first entry on: all that is needed to check its hashes."""
        request = ListEventsRequest(chain=True, page_size=PAGE_SIZE)
        while True:
            with self._explained():
                page = self._reviews.ListEvents(request, timeout=DEADLINE_SECONDS)
            if not page.entries:
                return
            yield from page.entries
            request.cursor = page.next_cursor

    def verify_audit(self, head_sequence: int = 0, head_hash: str = "") -> VerifyAuditResponse:
        """Let the gate check its event log, and whether a head that was saved earlier is still in it."""
        request = VerifyAuditRequest(expected_head_sequence=head_sequence, expected_head_hash=head_hash)
        with self._explained():
            return self._reviews.VerifyAudit(request, timeout=VERIFY_SECONDS)

    def create_token(self, wanted: CreateTokenRequest) -> CreateTokenResponse:
        """As an admin: let somebody call. The secret is in the answer, and nowhere else."""
        request = CreateTokenRequest(request_id=str(uuid.uuid4()))
        request.MergeFrom(wanted)
        with self._explained():
            return self._tokens.CreateToken(request, timeout=DEADLINE_SECONDS)

    def list_tokens(self, workspace: str = "", *, include_ended: bool = False) -> Iterator[Token]:
        """As an admin: who may call; oldest first."""
        request = ListTokensRequest(workspace=workspace, include_ended=include_ended)
        while True:
            with self._explained():
                page = self._tokens.ListTokens(request, timeout=DEADLINE_SECONDS)
            yield from page.tokens
            if not page.next_page_token:
                return
            request.page_token = page.next_page_token

    def revoke_token(self, token_id: str, workspace: str = "") -> Token:
        """As an admin: end a token, and the streams that it opened."""
        request = RevokeTokenRequest(token_id=token_id, workspace=workspace, request_id=str(uuid.uuid4()))
        with self._explained():
            return self._tokens.RevokeToken(request, timeout=DEADLINE_SECONDS).token

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except grpc.RpcError as error:
            raise from_rpc(error, self._gate) from None


def open_channel(gate: Destination) -> grpc.Channel:
    """A connection to be made when it is first used."""
    if gate.tls is None:
        return grpc.insecure_channel(gate.address, CHANNEL_OPTIONS)
    tls = grpc.ssl_channel_credentials(gate.tls.roots, gate.tls.key, gate.tls.chain)
    return grpc.secure_channel(gate.address, tls, CHANNEL_OPTIONS)
