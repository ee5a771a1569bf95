"""What a call can raise.

PlangateError            the gate refused: reason, field and metadata say why
└── GateUnreachable      no gate answered at the target
    └── HandshakeFailed  something did, and TLS or the lack of it stood between: the text says what
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import grpc
from google.protobuf.message import DecodeError
from google.rpc import error_details_pb2, status_pb2

from plangate._config import Destination
from plangate._handshake import explained

DETAILS: Final = "grpc-status-details-bin"
DOMAIN: Final = "plangate"


class PlangateError(Exception):
    """A refused call. ``reason`` is a name of agent.v1.ErrorReason, or empty if the gate gave none."""

    def __init__(
        self,
        message: str,
        *,
        code: grpc.StatusCode,
        reason: str = "",
        metadata: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.reason = reason
        self.metadata = dict(metadata or {})

    @property
    def field(self) -> str:
        """The path of the field at fault; empty if none is."""
        return self.metadata.get("field", "")


class GateUnreachable(PlangateError):
    """No gate answered."""


class HandshakeFailed(GateUnreachable):
    """Somebody is there, and no connection came about that both sides trust. The text says why."""


def from_rpc(error: grpc.RpcError, gate: Destination) -> PlangateError:
    """The exception for a failed call, with the reason that the gate gave."""
    assert isinstance(error, grpc.Call)
    code, message = error.code(), error.details() or ""
    info = _error_info(error)
    if info is not None:
        return PlangateError(message, code=code, reason=info.reason, metadata=info.metadata)
    if code is grpc.StatusCode.UNAVAILABLE:
        if words := explained(message, gate):
            return HandshakeFailed(words, code=code)
        return GateUnreachable(
            f"no gate answers at {gate.target}: start one with 'plangate serve', or set PLANGATE_TARGET",
            code=code,
        )
    return PlangateError(message, code=code)


def _error_info(call: grpc.Call) -> error_details_pb2.ErrorInfo | None:
    packed = dict(call.trailing_metadata() or ()).get(DETAILS)
    if packed is None:
        return None
    info = error_details_pb2.ErrorInfo()
    try:
        for detail in status_pb2.Status.FromString(packed).details:
            if detail.Unpack(info) and info.domain == DOMAIN:
                return info
    except DecodeError:
        return None  # broken details cost the reason; the status and the words are there
    return None
