"""A decision that is refused leaves one entry in the log, and changes nothing else."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from plangate_server.domain.errors import Reason, Refusal
from plangate_server.domain.events import RefusedDecision, SessionChange
from plangate_server.domain.identity import Principal
from plangate_server.domain.review import SERVICE
from plangate_server.logs import Log
from plangate_server.ports import RequestKey, World, Writing
from plangate_server.usecases.once import Done, write_once

tell = Log(__name__)

DIGEST_CHARACTERS: Final = 64
"""What a caller says they saw can be any text; no digest is longer."""

UNRECORDED: Final = frozenset(
    {
        # The request cannot be read as a decision.
        Reason.MALFORMED_REQUEST,
        Reason.NUL_CHARACTER,
        Reason.MISSING_FIELD,
        Reason.INVALID_FIELD,
        Reason.MALFORMED_PLAN_URI,
        Reason.INVALID_PAGE_TOKEN,
        Reason.INVALID_CURSOR,
        Reason.CURSOR_EXPIRED,
        Reason.DUPLICATE_TODO_ID,
        Reason.UNKNOWN_DEPENDENCY,
        Reason.DEPENDENCY_CYCLE,
        Reason.UNKNOWN_OPTION,
        Reason.REQUEST_ID_REUSED,
        Reason.CALL_ID_REUSED,
        Reason.CERTIFICATE_TAKEN,
        Reason.LIMIT_EXCEEDED,
        Reason.MESSAGE_TOO_LARGE,
        # There is nothing that it could be about.
        Reason.PLAN_NOT_FOUND,
        Reason.REVISION_NOT_FOUND,
        Reason.REVIEW_NOT_FOUND,
        Reason.TODO_NOT_FOUND,
        Reason.BUILD_NOT_FOUND,
        Reason.COMMENT_NOT_FOUND,
        Reason.SESSION_NOT_FOUND,
        Reason.APPROVAL_NOT_FOUND,
        Reason.REMEMBERED_NOT_FOUND,
        Reason.TOKEN_NOT_FOUND,
        # Nobody knows who called, or the service did not get as far as to decide.
        Reason.MISSING_CREDENTIALS,
        Reason.INVALID_CREDENTIALS,
        Reason.RATE_LIMITED,
        Reason.SLOW_CONSUMER,
        Reason.STORAGE_FULL,
        Reason.STORE_UNAVAILABLE,
        Reason.SHUTTING_DOWN,
        Reason.INTERNAL,
    }
)
"""The reasons that do not lie in the decision. A refusal for any other is recorded, also for one to come."""


class Attempt(Struct, frozen=True):
    """What somebody wants to decide, and what they say they saw."""

    method: str
    selected_option: str
    approval_request_id: str = ""
    session_id: str = ""
    call_id: str = ""
    revision: int = 0
    digest: str = ""


async def decide_once(
    world: World,
    principal: Principal,
    key: RequestKey | None,
    attempt: Attempt,
    work: Callable[[Writing], Done],
) -> Done:
    """Do the work as ``write_once`` does. What it is refused for is recorded, and the caller's answer."""
    try:
        return await write_once(world, principal, key, work)
    except Refusal as refusal:
        if refusal.reason not in UNRECORDED:
            request_id = key.request_id if key else ""
            await _record(world, principal, _refused(world, principal, refusal, attempt, request_id))
        raise


async def record_role_refusal(world: World, principal: Principal, method: str, refusal: Refusal) -> None:
    """Somebody whose role may not decide has tried to; what about, was not read.

    ``method`` may have the name of its service before it. Never raises but when it is cancelled: the caller's
    answer is the refusal.
    """
    attempt = Attempt(method.rpartition("/")[2], selected_option="")
    await _record(world, principal, _refused(world, principal, refusal, attempt))


def _refused(
    world: World, principal: Principal, refusal: Refusal, attempt: Attempt, request_id: str = ""
) -> RefusedDecision:
    return RefusedDecision(
        time=world.clock.now(),
        actor=principal.name,
        workspace=principal.workspace,
        person=principal.person,
        method=attempt.method,
        reason=refusal.reason,
        selected_option=attempt.selected_option,
        session_id=attempt.session_id,
        approval_request_id=attempt.approval_request_id,
        call_id=attempt.call_id,
        revision=attempt.revision,
        digest=attempt.digest[:DIGEST_CHARACTERS],
        request_id=request_id,
    )


async def _record(world: World, principal: Principal, refused: RefusedDecision) -> None:
    """Append it, unless it was recorded within the time that answers are kept."""

    def record(writing: Writing) -> None:
        placed, revisions = _placed(writing, refused)
        key = _known_by(placed, revisions)
        if writing.recall(key) is None:
            change = SessionChange(refused=placed)
            writing.save(change)
            writing.remember(key, change)

    try:
        await world.store.write(principal.workspace, record)
    except Exception as error:
        # Nothing was decided either way, and the caller must still learn why.
        words = "a decision was refused, and that could not be recorded"
        tell.fault("refusal_unrecorded", words, error, method=refused.method, reason=refused.reason)


def _placed(writing: Writing, refused: RefusedDecision) -> tuple[RefusedDecision, int]:
    """With the plan, session and tool call that it is about, and how many revisions the plan has."""
    if refused.approval_request_id:
        plan = writing.plan_under_review(refused.approval_request_id)
        if plan is not None:
            placed = replace(refused, plan_id=plan.plan_id, session_id=plan.session_id)
            return placed, plan.revision.number
    if refused.call_id:
        approval = writing.approval(refused.session_id, refused.call_id)
        if approval is not None:
            return replace(refused, plan_id=approval.plan_id, digest=approval.digest), 0
    return refused, 0


def _known_by(refused: RefusedDecision, revisions: int) -> RequestKey:
    """What makes the same refusal known again. All that goes in has few values: a caller who makes up others
    does not make the log grow, so revisions that there are not count as one, and digests not at all.
    """
    parts = (
        refused.person,
        refused.method,
        refused.reason,
        refused.selected_option,
        refused.approval_request_id,
        refused.session_id,
        refused.call_id,
        refused.revision if 0 < refused.revision <= revisions else 0,
    )
    hashed = hashlib.sha256(msgspec.json.encode(parts)).hexdigest()
    # No caller's name has a line break: nobody can use the key up with a request of their own.
    return RequestKey(f"{SERVICE}\n{refused.actor}", hashed, hashed)
