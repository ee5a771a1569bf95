"""Every way in which the domain says no.

Each refusal has a stable reason, says in words what was wrong and what to do, and keeps the parts that
vary in ``metadata``. ``field`` is the path of the field at fault in the terms of the domain; whoever
talks to the outside translates it. The words of a refusal that has one follow it: "name is too long".
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import ClassVar


class Reason(StrEnum):
    """The reasons the service gives. Their names are part of the API."""

    MALFORMED_REQUEST = "MALFORMED_REQUEST"
    NUL_CHARACTER = "NUL_CHARACTER"
    MISSING_FIELD = "MISSING_FIELD"
    INVALID_FIELD = "INVALID_FIELD"
    MALFORMED_PLAN_URI = "MALFORMED_PLAN_URI"
    INVALID_PAGE_TOKEN = "INVALID_PAGE_TOKEN"
    INVALID_CURSOR = "INVALID_CURSOR"
    DUPLICATE_TODO_ID = "DUPLICATE_TODO_ID"
    UNKNOWN_DEPENDENCY = "UNKNOWN_DEPENDENCY"
    DEPENDENCY_CYCLE = "DEPENDENCY_CYCLE"
    UNKNOWN_OPTION = "UNKNOWN_OPTION"
    PLAN_NOT_FOUND = "PLAN_NOT_FOUND"
    REVISION_NOT_FOUND = "REVISION_NOT_FOUND"
    REVIEW_NOT_FOUND = "REVIEW_NOT_FOUND"
    TODO_NOT_FOUND = "TODO_NOT_FOUND"
    BUILD_NOT_FOUND = "BUILD_NOT_FOUND"
    COMMENT_NOT_FOUND = "COMMENT_NOT_FOUND"
    SESSION_NOT_FOUND = "SESSION_NOT_FOUND"
    APPROVAL_NOT_FOUND = "APPROVAL_NOT_FOUND"
    REMEMBERED_NOT_FOUND = "REMEMBERED_NOT_FOUND"
    TOKEN_NOT_FOUND = "TOKEN_NOT_FOUND"
    REQUEST_ID_REUSED = "REQUEST_ID_REUSED"
    CALL_ID_REUSED = "CALL_ID_REUSED"
    CERTIFICATE_TAKEN = "CERTIFICATE_TAKEN"
    ALREADY_DECIDED = "ALREADY_DECIDED"
    NOT_APPROVED = "NOT_APPROVED"
    STALE_APPROVAL = "STALE_APPROVAL"
    NO_REVIEWER = "NO_REVIEWER"
    WRONG_STATE = "WRONG_STATE"
    TODO_HELD = "TODO_HELD"
    BUILD_ENDED = "BUILD_ENDED"
    TEXT_NOT_FOUND = "TEXT_NOT_FOUND"
    TEXT_NOT_UNIQUE = "TEXT_NOT_UNIQUE"
    REVIEW_EXPIRED = "REVIEW_EXPIRED"
    PLAN_WITHDRAWN = "PLAN_WITHDRAWN"
    FORBIDDEN_TRANSITION = "FORBIDDEN_TRANSITION"
    PROMPT_NOT_ACTIVE = "PROMPT_NOT_ACTIVE"
    FULL_ACCESS_NOT_PENDING = "FULL_ACCESS_NOT_PENDING"
    REVIEW_SUPERSEDED = "REVIEW_SUPERSEDED"
    NOT_AUTHOR = "NOT_AUTHOR"
    SESSION_HAS_PLAN = "SESSION_HAS_PLAN"
    STALE_REVISION = "STALE_REVISION"
    CURSOR_EXPIRED = "CURSOR_EXPIRED"
    LIMIT_EXCEEDED = "LIMIT_EXCEEDED"
    MESSAGE_TOO_LARGE = "MESSAGE_TOO_LARGE"
    SLOW_CONSUMER = "SLOW_CONSUMER"
    RATE_LIMITED = "RATE_LIMITED"
    STORAGE_FULL = "STORAGE_FULL"
    MISSING_CREDENTIALS = "MISSING_CREDENTIALS"
    INVALID_CREDENTIALS = "INVALID_CREDENTIALS"
    ROLE_NOT_ALLOWED = "ROLE_NOT_ALLOWED"
    OWN_REQUEST = "OWN_REQUEST"
    NOT_HOLDER = "NOT_HOLDER"
    STORE_UNAVAILABLE = "STORE_UNAVAILABLE"
    SHUTTING_DOWN = "SHUTTING_DOWN"
    INTERNAL = "INTERNAL"


class Refusal(Exception):
    """A call that is refused; nothing was changed by it."""

    reason: ClassVar[Reason]

    def __init__(self, words: str, *, field: str | None = None, **metadata: object) -> None:
        super().__init__(f"{field} {words}" if field else words)
        self.words = words
        self.field = field
        self.metadata = {key: str(value) for key, value in metadata.items()}


class MissingField(Refusal):
    reason = Reason.MISSING_FIELD

    def __init__(self, field: str, advice: str) -> None:
        super().__init__(f"is empty: {advice}", field=field)


class InvalidField(Refusal):
    reason = Reason.INVALID_FIELD

    def __init__(self, field: str, problem: str) -> None:
        super().__init__(problem, field=field)


class MalformedPlanUri(Refusal):
    reason = Reason.MALFORMED_PLAN_URI

    def __init__(self, plan_uri: str) -> None:
        super().__init__(
            "is not of the form plangate://plans/{plan_id}: pass on the one that "
            "CreatePlan or ListPlans gave",
            field="plan_uri",
            plan_uri=plan_uri[:200],
        )


class InvalidPageToken(Refusal):
    reason = Reason.INVALID_PAGE_TOKEN

    def __init__(self) -> None:
        super().__init__(
            "was not given out for this list and these filters: begin again without one",
            field="page_token",
        )


class InvalidCursor(Refusal):
    reason = Reason.INVALID_CURSOR

    def __init__(self) -> None:
        super().__init__("was not given out by this service: begin again without one", field="cursor")


class DuplicateTodoId(Refusal):
    reason = Reason.DUPLICATE_TODO_ID

    def __init__(self, field: str, todo_id: str) -> None:
        super().__init__(
            f"is {todo_id!r}, which another todo has: give each its own id, or none",
            field=field,
            todo_id=todo_id,
        )


class UnknownDependency(Refusal):
    reason = Reason.UNKNOWN_DEPENDENCY

    def __init__(self, field: str, todo_id: str, dependency: str) -> None:
        super().__init__(
            f"is {dependency!r}, which todo {todo_id!r} depends on and the plan does not have",
            field=field,
            todo_id=todo_id,
            dependency=dependency,
        )


class DependencyCycle(Refusal):
    reason = Reason.DEPENDENCY_CYCLE

    def __init__(self, cycle: Iterable[str]) -> None:
        drawn = " -> ".join(cycle)
        super().__init__(
            f"depend on each other in a circle ({drawn}): take one of the dependencies out",
            field="todos",
            cycle=drawn,
        )


class UnknownOption(Refusal):
    reason = Reason.UNKNOWN_OPTION

    def __init__(self, selected_option: str, allowed: Iterable[str]) -> None:
        listed = ", ".join(allowed)
        super().__init__(
            f"is {selected_option[:200]!r}, which is none of: {listed}",
            field="human_review.selected_option",
            selected_option=selected_option[:200],
            allowed=listed,
        )


class PlanNotFound(Refusal):
    reason = Reason.PLAN_NOT_FOUND

    def __init__(self, plan_uri: str) -> None:
        super().__init__("names no plan of your workspace", field="plan_uri", plan_uri=plan_uri)


class RevisionNotFound(Refusal):
    reason = Reason.REVISION_NOT_FOUND

    def __init__(self, plan_uri: str, revision: int) -> None:
        super().__init__(
            f"is {revision}, which the plan does not have",
            field="revision",
            plan_uri=plan_uri,
            revision=revision,
        )


class ReviewNotFound(Refusal):
    reason = Reason.REVIEW_NOT_FOUND

    def __init__(self, approval_request_id: str) -> None:
        super().__init__(
            "names no review of your workspace",
            field="approval_request_id",
            approval_request_id=approval_request_id[:200],
        )


class TodoNotFound(Refusal):
    reason = Reason.TODO_NOT_FOUND

    def __init__(self, field: str, plan_uri: str, todo_id: str) -> None:
        super().__init__(
            f"is {todo_id!r}, which the plan does not have", field=field, plan_uri=plan_uri, todo_id=todo_id
        )


class BuildNotFound(Refusal):
    reason = Reason.BUILD_NOT_FOUND

    def __init__(self, build_id: str) -> None:
        super().__init__("names no build of your workspace", field="build_id", build_id=build_id[:200])


class CommentNotFound(Refusal):
    reason = Reason.COMMENT_NOT_FOUND

    def __init__(self, comment_id: str) -> None:
        super().__init__(
            "names no comment of your workspace", field="comment_id", comment_id=comment_id[:200]
        )


class SessionNotFound(Refusal):
    reason = Reason.SESSION_NOT_FOUND

    def __init__(self, session_id: str) -> None:
        super().__init__(
            "names no session of your workspace: one comes into being with the first call that names it",
            field="session_id",
            session_id=session_id[:200],
        )


class ApprovalNotFound(Refusal):
    reason = Reason.APPROVAL_NOT_FOUND

    def __init__(self, session_id: str, call_id: str) -> None:
        super().__init__(
            "names no tool call of this session",
            field="call_id",
            session_id=session_id[:200],
            call_id=call_id[:200],
        )


class RememberedNotFound(Refusal):
    reason = Reason.REMEMBERED_NOT_FOUND

    def __init__(self, remembered_id: str) -> None:
        super().__init__(
            "names no remembered decision of your workspace",
            field="remembered_id",
            remembered_id=remembered_id[:200],
        )


class CallIdReused(Refusal):
    reason = Reason.CALL_ID_REUSED

    def __init__(self, session_id: str, call_id: str) -> None:
        super().__init__(
            f"is {call_id!r}, which another tool call of the session has: give each its own",
            field="call_id",
            session_id=session_id,
            call_id=call_id,
        )


class RequestIdReused(Refusal):
    reason = Reason.REQUEST_ID_REUSED

    def __init__(self, request_id: str) -> None:
        super().__init__(
            f"request_id {request_id!r} was used for another request: make a new one for each",
            request_id=request_id,
        )


class AlreadyDecided(Refusal):
    reason = Reason.ALREADY_DECIDED

    def __init__(self, approval_request_id: str, outcome: str, decided_by: str, decide_time: str) -> None:
        super().__init__(
            f"the review is over: {outcome} by {decided_by} at {decide_time}",
            approval_request_id=approval_request_id,
            outcome=outcome,
            decided_by=decided_by,
            decide_time=decide_time,
        )


class AlreadyApproved(Refusal):
    """One of several approvals, by somebody who gave theirs; the review is open."""

    reason = Reason.ALREADY_DECIDED

    def __init__(
        self, approval_request_id: str, decided_by: str, decide_time: str, *, recorded: int, required: int
    ) -> None:
        missing = max(required - recorded, 0)
        super().__init__(
            f"you have approved already: {recorded} of {required} approvals recorded, {missing} missing; "
            "others must give those",
            approval_request_id=approval_request_id,
            outcome="one of the approvals",
            decided_by=decided_by,
            decide_time=decide_time,
            missing=str(missing),
        )


class CallAlreadyDecided(Refusal):
    reason = Reason.ALREADY_DECIDED

    def __init__(self, call_id: str, outcome: str, decided_by: str, decide_time: str) -> None:
        super().__init__(
            f"the tool call is over: {outcome} by {decided_by} at {decide_time}",
            call_id=call_id,
            outcome=outcome,
            decided_by=decided_by,
            decide_time=decide_time,
        )


class NotApproved(Refusal):
    reason = Reason.NOT_APPROVED

    def __init__(self, plan_uri: str, state: str) -> None:
        super().__init__(
            f"the plan is {state}, not approved: wait for the decision (ReviewPlan)",
            plan_uri=plan_uri,
            state=state,
        )


class StaleApproval(Refusal):
    reason = Reason.STALE_APPROVAL

    def __init__(self, plan_uri: str, approved_digest: str, digest: str) -> None:
        super().__init__(
            "another text was approved than the one to be built: read the plan again, and wait for a "
            "decision about it",
            plan_uri=plan_uri,
            approved_digest=approved_digest,
            digest=digest,
        )


class NoReviewer(Refusal):
    reason = Reason.NO_REVIEWER

    def __init__(self, session_id: str) -> None:
        super().__init__(
            "no reviewer is watching: open a watch of reviews, or drop require_reviewer",
            session_id=session_id,
        )


class WrongState(Refusal):
    reason = Reason.WRONG_STATE

    def __init__(self, plan_uri: str, state: str, allowed: Iterable[str]) -> None:
        listed = ", ".join(allowed)
        super().__init__(
            f"the plan is {state}, and this can be done only while it is: {listed}",
            plan_uri=plan_uri,
            state=state,
            allowed=listed,
        )


class TodoHeld(Refusal):
    reason = Reason.TODO_HELD

    def __init__(self, todo_id: str, build_id: str, lease_expire_time: str) -> None:
        super().__init__(
            f"todo {todo_id!r} is in the hands of build {build_id} until {lease_expire_time} at least",
            todo_id=todo_id,
            build_id=build_id,
            lease_expire_time=lease_expire_time,
        )


class BuildEnded(Refusal):
    reason = Reason.BUILD_ENDED

    def __init__(self, build_id: str) -> None:
        super().__init__(
            "has ended or lost its lease, and its todos went back: call BuildTodos again",
            field="build_id",
            build_id=build_id,
        )


class TextNotFound(Refusal):
    reason = Reason.TEXT_NOT_FOUND

    def __init__(self) -> None:
        super().__init__("does not occur in the plan: copy it from there", field="old_str")


class TextNotUnique(Refusal):
    reason = Reason.TEXT_NOT_UNIQUE

    def __init__(self, occurrences: int) -> None:
        super().__init__(
            f"occurs {occurrences} times: take in more of what stands around it",
            field="old_str",
            occurrences=occurrences,
        )


class ReviewExpired(Refusal):
    reason = Reason.REVIEW_EXPIRED

    def __init__(self, plan_uri: str, approval_request_id: str) -> None:
        super().__init__(
            "nobody decided in time: nothing was approved, and nothing was refused",
            plan_uri=plan_uri,
            approval_request_id=approval_request_id,
        )


class PlanWithdrawn(Refusal):
    reason = Reason.PLAN_WITHDRAWN

    def __init__(self, plan_uri: str, approval_request_id: str) -> None:
        super().__init__(
            "the plan was taken back", plan_uri=plan_uri, approval_request_id=approval_request_id
        )


class ReviewSuperseded(Refusal):
    reason = Reason.REVIEW_SUPERSEDED

    def __init__(self, plan_uri: str, *, superseded_by: str, **own: str) -> None:
        super().__init__(
            f"another author's text took the place of this one: its review is {superseded_by}",
            plan_uri=plan_uri,
            superseded_by=superseded_by,
            **own,
        )


class NotAuthor(Refusal):
    reason = Reason.NOT_AUTHOR

    def __init__(self, plan_uri: str, author: str) -> None:
        super().__init__(
            f"is needed to wait for a plan in which you have no text: this one is by {author}",
            field="any_author",
            plan_uri=plan_uri,
            author=author,
        )


class SessionHasPlan(Refusal):
    reason = Reason.SESSION_HAS_PLAN

    def __init__(self, session_id: str, plan_uri: str, words: str) -> None:
        super().__init__(
            f"the session has the unfinished plan {plan_uri}, and {words}",
            session_id=session_id,
            plan_uri=plan_uri,
        )


class ForbiddenTransition(Refusal):
    reason = Reason.FORBIDDEN_TRANSITION

    def __init__(self, session_id: str, fsm_state: str, event: str, allowed: Iterable[str]) -> None:
        listed = ", ".join(allowed)
        super().__init__(
            f"the session is in {fsm_state}, where {event} cannot be reported; what can: {listed}",
            session_id=session_id,
            fsm_state=fsm_state,
            event=event,
            allowed=listed,
        )


class PromptNotActive(Refusal):
    reason = Reason.PROMPT_NOT_ACTIVE

    def __init__(self, session_id: str, call_id: str, problem: str) -> None:
        super().__init__(problem, session_id=session_id, call_id=call_id)


class FullAccessNotPending(Refusal):
    reason = Reason.FULL_ACCESS_NOT_PENDING

    def __init__(self, session_id: str, full_access_state: str) -> None:
        super().__init__(
            f"nobody waits for an answer about full access, which is {full_access_state}: "
            "ask for it first (SetMode)",
            session_id=session_id,
            full_access_state=full_access_state,
        )


class StaleRevision(Refusal):
    reason = Reason.STALE_REVISION

    def __init__(self, plan_uri: str, expected_revision: int, revision: int, digest: str) -> None:
        super().__init__(
            f"you saw another text than revision {revision} of the plan: read it again, look at "
            "what changed, and decide anew",
            plan_uri=plan_uri,
            expected_revision=expected_revision,
            revision=revision,
            digest=digest,
        )


class CursorExpired(Refusal):
    reason = Reason.CURSOR_EXPIRED

    def __init__(self, oldest_cursor: str) -> None:
        super().__init__(
            "is older than what is kept: begin again without one, and the snapshot says what is open",
            field="cursor",
            oldest_cursor=oldest_cursor,
        )


class LimitExceeded(Refusal):
    reason = Reason.LIMIT_EXCEEDED

    def __init__(self, limit: str, maximum: int, actual: int, field: str) -> None:
        super().__init__(
            f"passes the limit {limit}: {actual} of at most {maximum}",
            field=field,
            limit=limit,
            maximum=maximum,
            actual=actual,
        )


class MessageTooLarge(Refusal):
    reason = Reason.MESSAGE_TOO_LARGE

    def __init__(self, maximum: int, actual: int) -> None:
        super().__init__(
            f"the request has {actual} bytes of at most {maximum}",
            limit="message_bytes",
            maximum=maximum,
            actual=actual,
        )


class TooManyStreams(Refusal):
    reason = Reason.LIMIT_EXCEEDED

    def __init__(self, limit: str, maximum: int, actual: int) -> None:
        super().__init__(
            f"this stream would pass the limit {limit}, {maximum} at a time: close others first",
            limit=limit,
            maximum=maximum,
            actual=actual,
        )


class TokenNotFound(Refusal):
    reason = Reason.TOKEN_NOT_FOUND

    def __init__(self, token_id: str) -> None:
        super().__init__("names no token of the workspace", field="token_id", token_id=token_id[:200])


class CertificateTaken(Refusal):
    reason = Reason.CERTIFICATE_TAKEN

    def __init__(self, token_id: str) -> None:
        super().__init__(
            f"stands for somebody already: revoke token {token_id} first",
            field="certificate",
            token_id=token_id,
        )


class MissingCredentials(Refusal):
    reason = Reason.MISSING_CREDENTIALS

    def __init__(self) -> None:
        super().__init__(
            "the call carries no credentials: send 'authorization: Bearer <token>', with a token that an "
            "admin made ('plangate token create') or from the server's own token files"
        )


class InvalidCredentials(Refusal):
    """Does not say what is wrong with them: whoever tries out credentials would learn from it."""

    reason = Reason.INVALID_CREDENTIALS

    def __init__(self) -> None:
        super().__init__(
            "the credentials are unknown, expired or revoked: "
            "ask an admin for a token ('plangate token create')"
        )


class RoleNotAllowed(Refusal):
    reason = Reason.ROLE_NOT_ALLOWED

    def __init__(self, role: str, allowed: Iterable[str], doing: str = "call this") -> None:
        listed = ", ".join(allowed) or "nobody"
        super().__init__(
            f"the role {role} may not {doing}: use a token with one of the roles {listed}",
            role=role,
            allowed=listed,
        )


class OwnRequest(Refusal):
    reason = Reason.OWN_REQUEST

    def __init__(self, approval_request_id: str, person: str) -> None:
        super().__init__(
            f"{person} asked for this or last edited it, and the policy four_eyes is on: somebody else must "
            "approve it",
            approval_request_id=approval_request_id,
            person=person,
        )


class NotHolder(Refusal):
    reason = Reason.NOT_HOLDER

    def __init__(self, field: str, holder: str, **what: str) -> None:
        super().__init__(
            f"is in the hands of {holder}: only they or an admin can change it",
            field=field,
            holder=holder,
            **what,
        )


class RateLimited(Refusal):
    reason = Reason.RATE_LIMITED

    def __init__(self, limit: str, maximum: int) -> None:
        super().__init__(
            f"more calls than the limit {limit} allows, {maximum} per second: wait and call again",
            limit=limit,
            maximum=maximum,
        )


class TooManyWaiting(Refusal):
    reason = Reason.RATE_LIMITED

    def __init__(self, limit: str, maximum: int) -> None:
        super().__init__(
            f"this call would pass the limit {limit}, {maximum} that wait to be begun: wait and call again",
            limit=limit,
            maximum=maximum,
        )


class StorageFull(Refusal):
    reason = Reason.STORAGE_FULL

    def __init__(self) -> None:
        super().__init__("the disk of the database is full: nothing was written")


class StoreUnavailable(Refusal):
    reason = Reason.STORE_UNAVAILABLE

    def __init__(self) -> None:
        super().__init__("the database cannot be reached: nothing was written")


class StreamEnded(Refusal):
    """The service ends a stream that could go on; its reader resumes from the cursor."""


class SlowConsumer(StreamEnded):
    reason = Reason.SLOW_CONSUMER

    def __init__(self) -> None:
        super().__init__(
            "the stream's reader did not keep up: resume from the cursor, or without one, begin again"
        )


class ShuttingDown(StreamEnded):
    reason = Reason.SHUTTING_DOWN

    def __init__(self) -> None:
        super().__init__(
            "the server is shutting down: call again, or resume from the cursor, here or elsewhere"
        )
