"""Calls any method of any service with bytes as they are, valid or not."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import grpc
from google.protobuf import descriptor_pool
from google.protobuf.descriptor import MethodDescriptor

from tests.helpers.conditions import PATIENCE


def method_named(path: str) -> MethodDescriptor:
    """The method behind "/package.Service/Method"."""
    return descriptor_pool.Default().FindMethodByName(path.removeprefix("/").replace("/", "."))


def path_of(method: MethodDescriptor) -> str:
    return f"/{method.containing_service.full_name}/{method.name}"


async def raw_call(channel: grpc.aio.Channel, path: str, data: bytes) -> list[bytes]:
    """Send one message to a method of whatever kind; give all that it answers."""
    method = method_named(path)
    kinds = {False: "unary", True: "stream"}
    make = getattr(channel, f"{kinds[method.client_streaming]}_{kinds[method.server_streaming]}")
    request: Any = _once(data) if method.client_streaming else data
    answer = make(path)(request, timeout=PATIENCE)
    if method.server_streaming:
        return [message async for message in answer]
    return [await answer]


async def _once(data: bytes) -> AsyncIterator[bytes]:
    yield data
