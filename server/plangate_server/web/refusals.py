"""Refusals over HTTP: the gate's own status, reason and words, under the status that HTTP has for them."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Final

from google.rpc import code_pb2, error_details_pb2, status_pb2
from starlette.responses import JSONResponse

from plangate_server.domain.errors import Reason, Refusal
from plangate_server.fronts import RefusedCall

HTTP: Final[Mapping[str, HTTPStatus]] = {
    "INVALID_ARGUMENT": HTTPStatus.BAD_REQUEST,
    "OUT_OF_RANGE": HTTPStatus.GONE,
    "UNAUTHENTICATED": HTTPStatus.UNAUTHORIZED,
    "PERMISSION_DENIED": HTTPStatus.FORBIDDEN,
    "NOT_FOUND": HTTPStatus.NOT_FOUND,
    "ALREADY_EXISTS": HTTPStatus.CONFLICT,
    "ABORTED": HTTPStatus.CONFLICT,
    "FAILED_PRECONDITION": HTTPStatus.CONFLICT,
    "RESOURCE_EXHAUSTED": HTTPStatus.TOO_MANY_REQUESTS,
    "UNAVAILABLE": HTTPStatus.SERVICE_UNAVAILABLE,
    "INTERNAL": HTTPStatus.INTERNAL_SERVER_ERROR,
    "UNKNOWN": HTTPStatus.INTERNAL_SERVER_ERROR,
    "DATA_LOSS": HTTPStatus.INTERNAL_SERVER_ERROR,
    "UNIMPLEMENTED": HTTPStatus.NOT_IMPLEMENTED,
    "DEADLINE_EXCEEDED": HTTPStatus.GATEWAY_TIMEOUT,
    # Whoever cancels a call does not hear this.
    "CANCELLED": HTTPStatus.SERVICE_UNAVAILABLE,
}

CODES: Final[Mapping[Reason, str]] = {
    Reason.MALFORMED_REQUEST: "INVALID_ARGUMENT",
    Reason.LIMIT_EXCEEDED: "RESOURCE_EXHAUSTED",
    Reason.MESSAGE_TOO_LARGE: "RESOURCE_EXHAUSTED",
}
"""Of what is refused before the gate is asked."""


def refused(code: str, reason: str, words: str, metadata: Mapping[str, str] | None = None) -> JSONResponse:
    body = refusal_body(code, reason, words, metadata)
    return JSONResponse(body, status_code=HTTP[code])


def refused_call(refusal: RefusedCall | Refusal) -> JSONResponse:
    body = refusal_of(refusal)
    return JSONResponse(body, status_code=HTTP[body["error"]["code"]])


def refusal_of(refusal: RefusedCall | Refusal) -> dict[str, Any]:
    """What is said of a request that was refused, by the gate or before it was asked."""
    if isinstance(refusal, RefusedCall):
        return call_refusal_body(refusal)
    return refusal_body(CODES[refusal.reason], refusal.reason, refusal.words, refusal.metadata)


def call_refusal_body(refusal: RefusedCall) -> dict[str, Any]:
    """What the gate says of a call that it refused."""
    status = status_pb2.Status.FromString(refusal.status)
    info = error_details_pb2.ErrorInfo()
    for detail in status.details:
        detail.Unpack(info)
    return refusal_body(code_pb2.Code.Name(status.code), info.reason, status.message, info.metadata)


def refusal_body(
    code: str, reason: str, words: str, metadata: Mapping[str, str] | None = None
) -> dict[str, Any]:
    return {"error": {"code": code, "reason": reason, "message": words, "metadata": dict(metadata or {})}}
