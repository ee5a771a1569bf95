"""From the status of a failed call to the exception that is raised."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import grpc
from google.protobuf.any_pb2 import Any as Packed
from google.protobuf.message import DecodeError
from google.rpc import error_details_pb2, status_pb2

from plangate import errors
from plangate._config import Destination
from plangate._handshake import explained
from plangate.errors import GateUnavailable, GateUnreachable, HandshakeFailed, PlangateError, TimedOut

DETAILS: Final = "grpc-status-details-bin"
DOMAIN: Final = "plangate"


def class_of(reason: str) -> type[PlangateError] | None:
    """The class that is named after a reason; None for one that is newer than this client."""
    name = "".join(word.capitalize() for word in reason.split("_"))
    found = getattr(errors, name, None)
    return found if isinstance(found, type) and issubclass(found, PlangateError) else None


def from_rpc(error: grpc.RpcError, gate: Destination) -> PlangateError:
    """The exception for a failed call, with the reason that the gate gave."""
    status: Any = error  # of either kind of channel: they share no type
    code, words = status.code(), status.details() or ""
    info, delay = _details(status)
    if info is not None:
        found = class_of(info.reason) or _by_code(code)
        return found(words, code=code, reason=info.reason, metadata=info.metadata, retry_delay=delay)
    if code is grpc.StatusCode.UNAVAILABLE:
        if handshake := explained(words, gate):
            return HandshakeFailed(handshake, code=code)
        return GateUnreachable(
            f"no gate answers at {gate.target}: start one with 'plangate serve', or set PLANGATE_TARGET",
            code=code,
        )
    if code is grpc.StatusCode.UNIMPLEMENTED:
        return errors.NotImplemented(
            f"what answers at {gate.target} is no gate, or one that is older than this client", code=code
        )
    return _by_code(code)(words, code=code)


def _by_code(code: grpc.StatusCode) -> type[PlangateError]:
    """For a status without a reason that is known here."""
    match code:
        case grpc.StatusCode.DEADLINE_EXCEEDED:
            return TimedOut
        case grpc.StatusCode.UNAVAILABLE:
            return GateUnavailable
        case _:
            return PlangateError


def _details(status: Any) -> tuple[error_details_pb2.ErrorInfo | None, float | None]:
    """Why, and after how many seconds to ask again, as far as the gate said so."""
    info, delay = None, None
    try:
        for detail in _packed(status):
            ours, retry = error_details_pb2.ErrorInfo(), error_details_pb2.RetryInfo()
            if detail.Unpack(ours) and ours.domain == DOMAIN:
                info = info or ours
            elif detail.Unpack(retry):
                delay = retry.retry_delay.ToNanoseconds() / 1e9
    except DecodeError:
        return None, None  # broken details cost the reason; the status and the words are there
    return info, delay


def _packed(status: Any) -> Iterator[Packed]:
    # As pairs: what grpc.aio gives looks like a mapping, and in older versions cannot be read as one.
    packed = dict(iter(status.trailing_metadata() or ())).get(DETAILS)
    if packed is not None:
        yield from status_pb2.Status.FromString(packed).details
