"""What a call can raise: one tree, grouped by what to do, with a class for each reason that a gate gives.

PlangateError                  something went wrong: reason, field, metadata and fix say what
├── InvalidRequest             mend the call
│   ├── DependencyCycle
│   ├── DuplicateTodoId
│   ├── InvalidCursor
│   ├── InvalidField
│   ├── InvalidPageToken
│   ├── MalformedPlanUri
│   ├── MalformedRequest
│   ├── MissingField
│   ├── NulCharacter
│   ├── TextNotFound
│   ├── TextNotUnique
│   ├── UnknownDependency
│   └── UnknownOption
├── NotFound                   name something that is there
│   ├── ApprovalNotFound
│   ├── BuildNotFound
│   ├── CommentNotFound
│   ├── PlanNotFound
│   ├── RememberedNotFound
│   ├── ReviewNotFound
│   ├── RevisionNotFound
│   ├── SessionNotFound
│   ├── TodoNotFound
│   └── TokenNotFound
├── Conflict                   look at how things stand now, and begin from there
│   ├── AlreadyDecided
│   ├── BuildEnded
│   ├── CallIdReused
│   ├── CertificateTaken
│   ├── CursorExpired
│   ├── ForbiddenTransition
│   ├── FullAccessNotPending
│   ├── NoReviewer
│   ├── NotApproved
│   ├── NotAuthor
│   ├── PlanWithdrawn
│   ├── PromptNotActive
│   ├── RequestIdReused
│   ├── ReviewExpired
│   ├── ReviewSuperseded
│   ├── SessionHasPlan
│   ├── StaleApproval
│   ├── StaleRevision
│   ├── TodoHeld
│   └── WrongState
├── NotAllowed                 come with other credentials, or let somebody else do it
│   ├── InvalidCredentials
│   ├── MissingCredentials
│   ├── NotHolder
│   ├── OwnRequest
│   └── RoleNotAllowed
├── LimitReached               ask for less, or later
│   ├── LimitExceeded
│   ├── MessageTooLarge
│   ├── RateLimited
│   ├── SlowConsumer
│   └── StorageFull
├── GateUnavailable            try again later: nothing was decided
│   ├── GateUnreachable        no gate answered at the target
│   │   └── HandshakeFailed    something did, and TLS or the lack of it stood between
│   ├── ShuttingDown
│   └── StoreUnavailable
├── GateFault                  tell whoever runs the gate
│   ├── Internal
│   └── NotImplemented
└── TimedOut                   the time that the caller gave was over
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import grpc


class PlangateError(Exception):
    """A call that failed. ``reason`` is a name of agent.v1.ErrorReason, or empty if the gate gave none."""

    fix = ""
    """What to do about it. Empty where ``words`` say it."""

    def __init__(
        self,
        words: str,
        *,
        code: grpc.StatusCode,
        reason: str = "",
        metadata: Mapping[str, str] | None = None,
        retry_delay: float | None = None,
    ) -> None:
        super().__init__(f"{words} ({self.fix})" if self.fix else words)
        self.words = words
        """What the gate said."""
        self.code = code
        self.reason = reason
        self.metadata = dict(metadata or {})
        self.retry_delay = retry_delay
        """Seconds after which the gate wants to be asked again; None if it did not say."""

    @property
    def field(self) -> str:
        """The path of the field at fault; empty if none is."""
        return self.metadata.get("field", "")


class InvalidRequest(PlangateError):
    """The call makes no sense as it is: mend it."""


class MalformedRequest(InvalidRequest):
    fix = "send text as UTF-8, and the message that the method takes"


class NulCharacter(InvalidRequest):
    fix = "leave out the NUL character"


class MissingField(InvalidRequest):
    fix = "fill the field"


class InvalidField(InvalidRequest):
    fix = "give the field a value that it can have"


class MalformedPlanUri(InvalidRequest):
    fix = "pass on plan_uri as create_plan gave it"


class InvalidPageToken(InvalidRequest):
    fix = "begin the list again without a page_token"


class InvalidCursor(InvalidRequest):
    fix = "begin the stream again without a cursor"


class DuplicateTodoId(InvalidRequest):
    fix = "give each todo its own id, or leave ids empty"


class UnknownDependency(InvalidRequest):
    fix = "depend on ids of todos in the same plan"


class DependencyCycle(InvalidRequest):
    fix = "take one of the dependencies out"


class UnknownOption(InvalidRequest):
    fix = "choose approve, reject, requestChanges or edit"


class TextNotFound(InvalidRequest):
    fix = "read the plan again, and take old_str from its text"


class TextNotUnique(InvalidRequest):
    fix = "take in more of what stands around old_str"


class NotFound(PlangateError):
    """Nothing of that name is in the caller's workspace."""


class PlanNotFound(NotFound):
    fix = "use a plan_uri of this workspace: list_plans has them all"


class RevisionNotFound(NotFound):
    fix = "use a revision from 1 up to the plan's own"


class ReviewNotFound(NotFound):
    fix = "use plan.review.approval_request_id of a plan that was just read"


class TodoNotFound(NotFound):
    fix = "use the ids in plan.todos"


class BuildNotFound(NotFound):
    fix = "begin a build with build()"


class CommentNotFound(NotFound):
    fix = "use the id of a comment that review() lists"


class SessionNotFound(NotFound):
    fix = "a session begins with the first plan, tool call or mode that names it"


class ApprovalNotFound(NotFound):
    fix = "use the session_id and call_id that the call was asked for with"


class RememberedNotFound(NotFound):
    fix = "list what is remembered, and use an id from there"


class TokenNotFound(NotFound):
    fix = "list_tokens has the ids of the workspace"


class Conflict(PlangateError):
    """Things are not, or no longer, as the call takes them to be. Nothing was changed."""


class RequestIdReused(Conflict):
    fix = "make a new request_id for each new request"


class CallIdReused(Conflict):
    fix = "give each tool call of a session its own call_id"


class CertificateTaken(Conflict):
    fix = "revoke the token that has the certificate first"


class AlreadyDecided(Conflict):
    fix = "the first decision holds: see outcome, decided_by and missing in metadata"


class NotApproved(Conflict):
    fix = "wait() until the plan is approved, then build"


class StaleApproval(Conflict):
    fix = "read the plan again and wait() for a decision about its text"


class NoReviewer(Conflict):
    fix = "have somebody open the review page or watch(), or drop require_reviewer"


class WrongState(Conflict):
    fix = "see state and allowed in metadata"


class TodoHeld(Conflict):
    fix = "wait until the other build ends or its lease runs out"


class BuildEnded(Conflict):
    fix = "build() again; a longer lease, or renew(), keeps a build from ending by itself"


class ReviewExpired(Conflict):
    fix = "nobody decided in time: update the plan to ask again"


class PlanWithdrawn(Conflict):
    fix = "the plan was taken back: create another"


class ReviewSuperseded(Conflict):
    fix = "another author's text took its place: look at it, or propose yours again"


class NotAuthor(Conflict):
    fix = "to wait for a plan of somebody else, say any_author=True"


class SessionHasPlan(Conflict):
    fix = "wait until the plan in plan_uri is finished, or use another session"


class ForbiddenTransition(Conflict):
    fix = "report one of the events in allowed"


class PromptNotActive(Conflict):
    fix = "answer the prompt that prompts() shows now"


class FullAccessNotPending(Conflict):
    fix = "full access must be asked for first, with set_mode"


class StaleRevision(Conflict):
    fix = "read the plan again, look at what changed, and decide or update anew"


class CursorExpired(Conflict):
    fix = "begin again without a cursor: the snapshot says what is open now"


class NotAllowed(PlangateError):
    """The caller may not do this."""


class MissingCredentials(NotAllowed):
    fix = "give a token, or set PLANGATE_TOKEN; 'plangate doctor' shows what is found"


class InvalidCredentials(NotAllowed):
    fix = "the token is unknown, expired or revoked: get another with 'plangate token create'"


class RoleNotAllowed(NotAllowed):
    fix = "use a token with one of the roles in allowed"


class OwnRequest(NotAllowed):
    fix = "somebody else must decide: four_eyes is on"


class NotHolder(NotAllowed):
    fix = "its holder must do it, with the credentials and the agent_id it began with"


class LimitReached(PlangateError):
    """It is too much, too large or too fast."""


class LimitExceeded(LimitReached):
    fix = "stay below the maximum in metadata; an operator can set some limits"


class MessageTooLarge(LimitReached):
    fix = "send less in one call"


class SlowConsumer(LimitReached):
    fix = "read the stream faster; it goes on from its cursor"


class RateLimited(LimitReached):
    fix = "make fewer calls per second"


class StorageFull(LimitReached):
    fix = "whoever runs the gate must make room on its disk"


class GateUnavailable(PlangateError):
    """No answer can be had now."""


class StoreUnavailable(GateUnavailable):
    fix = "the gate cannot reach its database: call again later"


class ShuttingDown(GateUnavailable):
    fix = "call again when the gate is back, or another node"


class GateUnreachable(GateUnavailable):
    """No gate answered."""


class HandshakeFailed(GateUnreachable):
    """Somebody is there, and no connection came about that both sides trust. The text says why."""


class GateFault(PlangateError):
    """The gate could not do what it should."""


class Internal(GateFault):
    fix = "whoever runs the gate finds error_id in its log"


class NotImplemented(GateFault):
    fix = "look whether the target is right, or update the gate"


class TimedOut(PlangateError, TimeoutError):
    fix = "it may still happen: read how things stand, or give it more time (timeout=, within())"
