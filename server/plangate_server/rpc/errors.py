"""THE table: which status each reason has on the wire, and how a refusal is written there."""

from __future__ import annotations

import re
from typing import Final

import grpc
from google.protobuf import duration_pb2
from google.protobuf.message import Message
from google.rpc import error_details_pb2, status_pb2

from plangate_server.domain.errors import Reason, Refusal

DOMAIN: Final = "plangate"

STATUS: Final = {
    Reason.MALFORMED_REQUEST: grpc.StatusCode.INVALID_ARGUMENT,
    Reason.NUL_CHARACTER: grpc.StatusCode.INVALID_ARGUMENT,
    Reason.MISSING_FIELD: grpc.StatusCode.INVALID_ARGUMENT,
    Reason.INVALID_FIELD: grpc.StatusCode.INVALID_ARGUMENT,
    Reason.MALFORMED_PLAN_URI: grpc.StatusCode.INVALID_ARGUMENT,
    Reason.INVALID_PAGE_TOKEN: grpc.StatusCode.INVALID_ARGUMENT,
    Reason.INVALID_CURSOR: grpc.StatusCode.INVALID_ARGUMENT,
    Reason.DUPLICATE_TODO_ID: grpc.StatusCode.INVALID_ARGUMENT,
    Reason.UNKNOWN_DEPENDENCY: grpc.StatusCode.INVALID_ARGUMENT,
    Reason.DEPENDENCY_CYCLE: grpc.StatusCode.INVALID_ARGUMENT,
    Reason.UNKNOWN_OPTION: grpc.StatusCode.INVALID_ARGUMENT,
    Reason.PLAN_NOT_FOUND: grpc.StatusCode.NOT_FOUND,
    Reason.REVISION_NOT_FOUND: grpc.StatusCode.NOT_FOUND,
    Reason.REVIEW_NOT_FOUND: grpc.StatusCode.NOT_FOUND,
    Reason.TODO_NOT_FOUND: grpc.StatusCode.NOT_FOUND,
    Reason.BUILD_NOT_FOUND: grpc.StatusCode.NOT_FOUND,
    Reason.COMMENT_NOT_FOUND: grpc.StatusCode.NOT_FOUND,
    Reason.SESSION_NOT_FOUND: grpc.StatusCode.NOT_FOUND,
    Reason.APPROVAL_NOT_FOUND: grpc.StatusCode.NOT_FOUND,
    Reason.REMEMBERED_NOT_FOUND: grpc.StatusCode.NOT_FOUND,
    Reason.TOKEN_NOT_FOUND: grpc.StatusCode.NOT_FOUND,
    Reason.REQUEST_ID_REUSED: grpc.StatusCode.ALREADY_EXISTS,
    Reason.CALL_ID_REUSED: grpc.StatusCode.ALREADY_EXISTS,
    Reason.CERTIFICATE_TAKEN: grpc.StatusCode.ALREADY_EXISTS,
    Reason.ALREADY_DECIDED: grpc.StatusCode.FAILED_PRECONDITION,
    Reason.NOT_APPROVED: grpc.StatusCode.FAILED_PRECONDITION,
    Reason.STALE_APPROVAL: grpc.StatusCode.FAILED_PRECONDITION,
    Reason.NO_REVIEWER: grpc.StatusCode.FAILED_PRECONDITION,
    Reason.WRONG_STATE: grpc.StatusCode.FAILED_PRECONDITION,
    Reason.TODO_HELD: grpc.StatusCode.FAILED_PRECONDITION,
    Reason.BUILD_ENDED: grpc.StatusCode.FAILED_PRECONDITION,
    Reason.TEXT_NOT_FOUND: grpc.StatusCode.FAILED_PRECONDITION,
    Reason.TEXT_NOT_UNIQUE: grpc.StatusCode.FAILED_PRECONDITION,
    Reason.REVIEW_EXPIRED: grpc.StatusCode.FAILED_PRECONDITION,
    Reason.PLAN_WITHDRAWN: grpc.StatusCode.FAILED_PRECONDITION,
    Reason.FORBIDDEN_TRANSITION: grpc.StatusCode.FAILED_PRECONDITION,
    Reason.PROMPT_NOT_ACTIVE: grpc.StatusCode.FAILED_PRECONDITION,
    Reason.FULL_ACCESS_NOT_PENDING: grpc.StatusCode.FAILED_PRECONDITION,
    Reason.REVIEW_SUPERSEDED: grpc.StatusCode.FAILED_PRECONDITION,
    Reason.NOT_AUTHOR: grpc.StatusCode.FAILED_PRECONDITION,
    Reason.SESSION_HAS_PLAN: grpc.StatusCode.FAILED_PRECONDITION,
    Reason.STALE_REVISION: grpc.StatusCode.ABORTED,
    Reason.CURSOR_EXPIRED: grpc.StatusCode.OUT_OF_RANGE,
    Reason.LIMIT_EXCEEDED: grpc.StatusCode.RESOURCE_EXHAUSTED,
    Reason.MESSAGE_TOO_LARGE: grpc.StatusCode.RESOURCE_EXHAUSTED,
    Reason.SLOW_CONSUMER: grpc.StatusCode.RESOURCE_EXHAUSTED,
    Reason.RATE_LIMITED: grpc.StatusCode.RESOURCE_EXHAUSTED,
    Reason.STORAGE_FULL: grpc.StatusCode.RESOURCE_EXHAUSTED,
    Reason.MISSING_CREDENTIALS: grpc.StatusCode.UNAUTHENTICATED,
    Reason.INVALID_CREDENTIALS: grpc.StatusCode.UNAUTHENTICATED,
    Reason.ROLE_NOT_ALLOWED: grpc.StatusCode.PERMISSION_DENIED,
    Reason.OWN_REQUEST: grpc.StatusCode.PERMISSION_DENIED,
    Reason.NOT_HOLDER: grpc.StatusCode.PERMISSION_DENIED,
    Reason.STORE_UNAVAILABLE: grpc.StatusCode.UNAVAILABLE,
    Reason.SHUTTING_DOWN: grpc.StatusCode.UNAVAILABLE,
    Reason.INTERNAL: grpc.StatusCode.INTERNAL,
}

RETRY_AFTER_SECONDS: Final = {
    Reason.SLOW_CONSUMER: 1,
    Reason.RATE_LIMITED: 1,
    Reason.STORAGE_FULL: 30,
    Reason.STORE_UNAVAILABLE: 2,
    Reason.SHUTTING_DOWN: 1,
}

# The domain names a plan's fields by themselves; on the wire they stand inside a message of the request,
# those of a replacement only in the server's vocabulary.
CONTENT_FIELDS: Final = frozenset({"plan", "name", "overview", "todos", "phases"})
REPLACEMENT_FIELDS: Final = frozenset({"old_str", "new_str"})
CONTENT_AT: Final = {
    "/agent.v1.PlanService/CreatePlan": "args",
    "/agent.v1.PlanService/DraftPlan": "args",
    "/agent.v1.PlanService/UpdatePlan": "args",
    "/agent.v1.PlanService/UpdateTodos": "args",
    "/aiserver.v1.PlanService/CreatePlan": "params",
    "/aiserver.v1.PlanService/TodoWrite": "params",
    "/aiserver.v1.PlanReviewService/SubmitReview": "edited",
}

# Everything travels in HTTP/2 headers, of which clients take 8 KiB: no part may be longer than this.
TEXT_BYTES: Final = 512


class InternalError(Refusal):
    """A fault of ours: the caller learns where to find it in the log, and nothing else."""

    reason = Reason.INTERNAL

    def __init__(self, error_id: str) -> None:
        super().__init__(
            f"a fault of the service; its log has it under error_id {error_id}", error_id=error_id
        )


def rich_status(refusal: Refusal, method: str) -> status_pb2.Status:
    """A refusal as google.rpc.Status: reason, metadata, the field at fault, when to try again."""
    field = _wire_path(refusal.field, method)
    message = clip(f"{field} {refusal.words}" if field else refusal.words)
    metadata = {"method": method, **refusal.metadata}
    if field:
        metadata["field"] = field
    status = status_pb2.Status(code=STATUS[refusal.reason].value[0], message=message)
    info = {key: clip(value) for key, value in metadata.items()}
    _pack(status, error_details_pb2.ErrorInfo(reason=refusal.reason, domain=DOMAIN, metadata=info))
    if field:
        violation = error_details_pb2.BadRequest.FieldViolation(
            field=clip(field), description=message, reason=refusal.reason
        )
        _pack(status, error_details_pb2.BadRequest(field_violations=[violation]))
    if seconds := RETRY_AFTER_SECONDS.get(refusal.reason):
        delay = duration_pb2.Duration(seconds=seconds)
        _pack(status, error_details_pb2.RetryInfo(retry_delay=delay))
    return status


def clip(text: str) -> str:
    """The text, or as much of it as fits with a count of what was left out."""
    raw = text.encode()
    if len(raw) <= TEXT_BYTES:
        return text
    kept = raw[: TEXT_BYTES - 32].decode(errors="ignore")
    return f"{kept}… ({len(raw)} bytes in all)"


def _wire_path(field: str | None, method: str) -> str | None:
    if field is None or method not in CONTENT_AT:
        return field
    head = re.split(r"[.\[]", field, maxsplit=1)[0]
    inside = CONTENT_FIELDS | REPLACEMENT_FIELDS if method.startswith("/aiserver.v1.") else CONTENT_FIELDS
    return f"{CONTENT_AT[method]}.{field}" if head in inside else field


def _pack(status: status_pb2.Status, detail: Message) -> None:
    status.details.add().Pack(detail)
