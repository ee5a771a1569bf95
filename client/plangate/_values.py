"""What people and rules decided, as a program wants to ask for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from plangate._calls.words import word_of
from plangate._remarks import all_words, with_comments
from plangate_proto.agent.v1.agent_session_service_pb2 import AuthorizationResult, AuthorizeToolResponse
from plangate_proto.agent.v1.plan_resource_pb2 import Plan
from plangate_proto.agent.v1.review_resource_pb2 import Comment, DecisionSource, Review, ReviewOutcome
from plangate_proto.agent.v1.tool_approval_service_pb2 import (
    ApprovalDecision,
    ApprovalState,
    RequestApprovalResponse,
)


@dataclass(frozen=True, slots=True)
class Decision:
    """What became of a review, and the plan that it is about: as edited, if a person edited it."""

    review: Review
    plan: Plan = field(default_factory=Plan)

    @property
    def approved(self) -> bool:
        """Whether ``plan`` may be built.

        Of a plan that was waited for, it says yes only to a text of the agent that waited, or to what a
        person made of that one.
        """
        return self.review.outcome in {
            ReviewOutcome.REVIEW_OUTCOME_APPROVED,
            ReviewOutcome.REVIEW_OUTCOME_MODIFIED,
        }

    @property
    def outcome(self) -> str:
        """APPROVED, REJECTED, CHANGES_REQUESTED, MODIFIED, EXPIRED, WITHDRAWN or SUPERSEDED."""
        return word_of(ReviewOutcome, "REVIEW_OUTCOME_", self.review.outcome)

    @property
    def changes_requested(self) -> bool:
        """Whether a new revision is wanted: ``update_plan``, then wait again."""
        return self.review.outcome == ReviewOutcome.REVIEW_OUTCOME_CHANGES_REQUESTED

    @property
    def superseded(self) -> bool:
        """Whether another agent's text took the place of this one, which is not decided about any more.

        ``plan`` is the text that was waited for, as far as it is known.
        """
        return self.review.outcome == ReviewOutcome.REVIEW_OUTCOME_SUPERSEDED

    @property
    def superseded_by(self) -> str:
        """The approval_request_id of the review that took its place; empty if none did."""
        return self.review.superseded_by

    @property
    def edited(self) -> bool:
        """Whether a person changed the plan and approved it as changed."""
        return self.review.outcome == ReviewOutcome.REVIEW_OUTCOME_MODIFIED

    @property
    def reviewer(self) -> str:
        """Who decided; empty if nobody did."""
        return self.review.decisions[-1].reviewer if self.review.decisions else ""

    @property
    def words(self) -> str:
        """What people said with their decisions, and nothing else.

        Exactly as it was written, if one person said something; of several, each one's words under their
        name, in the order in which they decided. ``review.decisions`` has each by itself.
        """
        return all_words(self.review)

    @property
    def comments(self) -> Sequence[Comment]:
        """Those that were open when a person decided, oldest first, with their lines and the quoted_text."""
        return self.review.comments

    @property
    def comments_left_out(self) -> int:
        """How many more there were than a decision can carry; ``comments`` of a client lists all."""
        return self.review.comments_left_out

    @property
    def feedback(self) -> str:
        """All that people said, as one text: the words, and behind them the comments."""
        return with_comments(self.words, self.review)

    @property
    def rule(self) -> str:
        """The rule of the operator's policy that approved; empty if a person decided."""
        return self.review.rule


@dataclass(frozen=True, slots=True)
class Authorization:
    """Whether a tool may be used now. Exactly one of ``allowed``, ``must_ask`` and ``denied`` is true."""

    response: AuthorizeToolResponse

    @property
    def allowed(self) -> bool:
        return self.response.decision == AuthorizationResult.AUTHORIZATION_RESULT_ALLOW

    @property
    def must_ask(self) -> bool:
        """Whether a person must be asked first: ``request_approval``."""
        return self.response.decision == AuthorizationResult.AUTHORIZATION_RESULT_CONFIRM

    @property
    def denied(self) -> bool:
        """Also for an answer that this client does not know: what is not allowed is not."""
        return not self.allowed and not self.must_ask

    @property
    def rule(self) -> str:
        """The rule that said so."""
        return self.response.rule

    @property
    def reason(self) -> str:
        """Why, in words."""
        return self.response.reason


@dataclass(frozen=True, slots=True)
class ApprovalOutcome:
    """What became of a tool call that was asked for."""

    call_id: str
    response: RequestApprovalResponse

    @property
    def approved(self) -> bool:
        """Whether it may be made."""
        return self.response.state == ApprovalState.APPROVAL_STATE_DECIDED and self.response.decision in {
            ApprovalDecision.APPROVAL_DECISION_APPROVED,
            ApprovalDecision.APPROVAL_DECISION_APPROVED_FOR_SESSION,
        }

    @property
    def outcome(self) -> str:
        """APPROVED, APPROVED_FOR_SESSION, DENIED, CANCELLED or EXPIRED."""
        if self.response.state == ApprovalState.APPROVAL_STATE_DECIDED:
            return word_of(ApprovalDecision, "APPROVAL_DECISION_", self.response.decision)
        return word_of(ApprovalState, "APPROVAL_STATE_", self.response.state)

    @property
    def feedback(self) -> str:
        """What the person said."""
        return self.response.feedback_text

    @property
    def reviewer(self) -> str:
        """Who answered; empty if a rule did, or nobody."""
        return self.response.reviewer

    @property
    def rule(self) -> str:
        """The rule that answered; empty if a person did."""
        is_auto = self.response.source == DecisionSource.DECISION_SOURCE_AUTO
        return self.response.rule if is_auto else ""
