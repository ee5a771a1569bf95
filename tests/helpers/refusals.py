"""Reads what a refused call carries."""

from __future__ import annotations

import base64
import urllib.parse
from collections.abc import Awaitable
from dataclasses import dataclass
from typing import Any

import grpc
import pytest
from google.rpc import error_details_pb2, status_pb2

DETAILS = "grpc-status-details-bin"


@dataclass(frozen=True, slots=True)
class Details:
    """The details of a google.rpc.Status. What is not there is empty, or zero."""

    domain: str
    reason: str
    metadata: dict[str, str]
    fields: dict[str, str]
    """The fields at fault, each with what is wrong about it."""
    retry_seconds: float


@dataclass(frozen=True, slots=True)
class Refused(Details):
    """A refusal as a client sees it."""

    status: str
    message: str
    trailer_bytes: int
    text: str
    """Everything that reached the client, for tests of what must not."""


async def refused(call: Awaitable[Any]) -> Refused:
    """The refusal that the call must end with."""
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await call
    error = caught.value
    message = error.details() or ""
    # Through an iterator: older versions of grpcio give a mapping whose keys repeat.
    trailers = dict(iter(error.trailing_metadata() or ()))
    status = status_pb2.Status.FromString(trailers.get(DETAILS, b""))
    if status.code:
        assert (status.code, status.message) == (error.code().value[0], message)
    details = details_of(status)
    return Refused(
        domain=details.domain,
        reason=details.reason,
        metadata=details.metadata,
        fields=details.fields,
        retry_seconds=details.retry_seconds,
        status=error.code().name,
        message=message,
        trailer_bytes=_trailer_bytes(message, trailers),
        text=f"{message}\n{trailers}\n{status}",
    )


def details_of(status: status_pb2.Status) -> Details:
    info = error_details_pb2.ErrorInfo()
    bad = error_details_pb2.BadRequest()
    retry = error_details_pb2.RetryInfo()
    for detail in status.details:
        assert any(detail.Unpack(message) for message in (info, bad, retry)), detail.type_url
    return Details(
        domain=info.domain,
        reason=info.reason,
        metadata=dict(info.metadata),
        fields={violation.field: violation.description for violation in bad.field_violations},
        retry_seconds=retry.retry_delay.ToTimedelta().total_seconds(),
    )


def _trailer_bytes(message: str, trailers: dict[str, Any]) -> int:
    """The size of the HTTP/2 trailers as RFC 9113 counts them against a peer's limit."""
    sent = {"grpc-status": "00", "grpc-message": urllib.parse.quote(message), **trailers}
    values = [base64.b64encode(v) if isinstance(v, bytes) else v for v in sent.values()]
    return sum(len(key) + 32 for key in sent) + sum(len(value) for value in values)
