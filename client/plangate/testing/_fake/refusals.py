"""Refusals as a gate sends them."""

from __future__ import annotations

from typing import Any, Final, NoReturn

import grpc
from google.protobuf.any_pb2 import Any as Packed
from google.rpc import error_details_pb2, status_pb2

from plangate._errors import DETAILS, DOMAIN

CODES: Final = {
    "MISSING_FIELD": grpc.StatusCode.INVALID_ARGUMENT,
    "INVALID_FIELD": grpc.StatusCode.INVALID_ARGUMENT,
    "INVALID_CURSOR": grpc.StatusCode.INVALID_ARGUMENT,
    "MALFORMED_PLAN_URI": grpc.StatusCode.INVALID_ARGUMENT,
    "DUPLICATE_TODO_ID": grpc.StatusCode.INVALID_ARGUMENT,
    "UNKNOWN_DEPENDENCY": grpc.StatusCode.INVALID_ARGUMENT,
    "DEPENDENCY_CYCLE": grpc.StatusCode.INVALID_ARGUMENT,
    "UNKNOWN_OPTION": grpc.StatusCode.INVALID_ARGUMENT,
    "PLAN_NOT_FOUND": grpc.StatusCode.NOT_FOUND,
    "REVISION_NOT_FOUND": grpc.StatusCode.NOT_FOUND,
    "REVIEW_NOT_FOUND": grpc.StatusCode.NOT_FOUND,
    "TODO_NOT_FOUND": grpc.StatusCode.NOT_FOUND,
    "BUILD_NOT_FOUND": grpc.StatusCode.NOT_FOUND,
    "COMMENT_NOT_FOUND": grpc.StatusCode.NOT_FOUND,
    "SESSION_NOT_FOUND": grpc.StatusCode.NOT_FOUND,
    "APPROVAL_NOT_FOUND": grpc.StatusCode.NOT_FOUND,
    "REMEMBERED_NOT_FOUND": grpc.StatusCode.NOT_FOUND,
    "REQUEST_ID_REUSED": grpc.StatusCode.ALREADY_EXISTS,
    "CALL_ID_REUSED": grpc.StatusCode.ALREADY_EXISTS,
    "STALE_REVISION": grpc.StatusCode.ABORTED,
}
"""The others are FAILED_PRECONDITION."""


class Refused(grpc.RpcError):
    """A call that a gate ended with a status other than OK."""

    def __init__(self, reason: str, words: str, **metadata: object) -> None:
        super().__init__(words)
        self._code = CODES.get(reason, grpc.StatusCode.FAILED_PRECONDITION)
        self._words = words
        self._info = error_details_pb2.ErrorInfo(
            reason=reason, domain=DOMAIN, metadata={key: str(value) for key, value in metadata.items()}
        )

    def answer_to(self, method: str) -> None:
        """Say which method was called."""
        self._info.metadata["method"] = method

    def code(self) -> grpc.StatusCode:
        return self._code

    def details(self) -> str:
        return self._words

    def trailing_metadata(self) -> Any:
        if not self._info.reason:
            return ()
        packed = Packed()
        packed.Pack(self._info)
        return ((DETAILS, status_pb2.Status(details=[packed]).SerializeToString()),)


class Ended(Refused):
    """A stream that the caller's own side ended."""

    def __init__(self, code: grpc.StatusCode, words: str) -> None:
        super().__init__("", words)
        self._code = code


def missing(field: str) -> Refused:
    return Refused("MISSING_FIELD", f"{field} is empty", field=field)


def invalid(field: str, problem: str) -> Refused:
    return Refused("INVALID_FIELD", f"{field} {problem}", field=field)


def not_done(what: str) -> NoReturn:
    """There is no such thing here, which no program should take for an answer of a gate."""
    raise NotImplementedError(f"FakeGate does not do {what}: test it against a gate")


def timed_out() -> Ended:
    """The caller's time is over."""
    return Ended(grpc.StatusCode.DEADLINE_EXCEEDED, "Deadline Exceeded")


def closed() -> Ended:
    """The caller has hung up."""
    return Ended(grpc.StatusCode.CANCELLED, "Channel closed")
