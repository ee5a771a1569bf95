"""Calls any method of any service with bytes as they are, valid or not."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import grpc
from google.protobuf import descriptor_pool
from google.protobuf.descriptor import MethodDescriptor

TIMEOUT = 10.0


def method_named(path: str) -> MethodDescriptor:
    """The method behind "/package.Service/Method"."""
    return descriptor_pool.Default().FindMethodByName(path.removeprefix("/").replace("/", "."))


def path_of(method: MethodDescriptor) -> str:
    return f"/{method.containing_service.full_name}/{method.name}"


async def raw_call(channel: grpc.aio.Channel, path: str, data: bytes) -> list[bytes]:
    """Send one message to a method of whatever kind; give all that it answers."""
    method = method_named(path)
    request: Any = _once(data) if method.client_streaming else data
    call = _CALLABLES[method.client_streaming, method.server_streaming](channel, path)
    answer = call(request, timeout=TIMEOUT)
    if method.server_streaming:
        return [message async for message in answer]
    return [await answer]


async def _once(data: bytes) -> AsyncIterator[bytes]:
    yield data


_CALLABLES: dict[tuple[bool, bool], Any] = {
    (False, False): grpc.aio.Channel.unary_unary,
    (False, True): grpc.aio.Channel.unary_stream,
    (True, False): grpc.aio.Channel.stream_unary,
    (True, True): grpc.aio.Channel.stream_stream,
}
