"""Calls that ended with a status other than OK, as a client of gRPC sees them."""

from __future__ import annotations

from typing import Any

import grpc
from google.rpc import status_pb2

from plangate._errors import DETAILS


class Refused(grpc.RpcError):
    """By the gate, which says why."""

    def __init__(self, code: str, status: bytes) -> None:
        self._words: str = status_pb2.Status.FromString(status).message
        super().__init__(self._words)
        self._code = grpc.StatusCode[code]
        self._status = status

    def code(self) -> grpc.StatusCode:
        return self._code

    def details(self) -> str:
        return self._words

    def trailing_metadata(self) -> Any:
        return ((DETAILS, self._status),)


class Ended(grpc.RpcError):
    """By the caller's own side."""

    def __init__(self, code: grpc.StatusCode, words: str) -> None:
        super().__init__(words)
        self._code = code
        self._words = words

    def code(self) -> grpc.StatusCode:
        return self._code

    def details(self) -> str:
        return self._words

    def trailing_metadata(self) -> Any:
        return ()


def timed_out() -> Ended:
    """The caller's time is over."""
    return Ended(grpc.StatusCode.DEADLINE_EXCEEDED, "Deadline Exceeded")


def closed() -> Ended:
    """The caller has hung up."""
    return Ended(grpc.StatusCode.CANCELLED, "Channel closed")
