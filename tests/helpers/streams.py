"""Reads streams; a stream that should say something and does not fails its test instead of hanging it."""

from __future__ import annotations

import asyncio
from typing import TypeVar

import grpc

from plangate_proto.agent.v1.review_event_pb2 import ReviewEvent, ReviewEventType

Response = TypeVar("Response")

PATIENCE = 10.0


async def next_of(call: grpc.aio.UnaryStreamCall[object, Response]) -> Response:
    """The next message of a stream that must have one."""
    async with asyncio.timeout(PATIENCE):
        message = await call.read()
    assert message is not grpc.aio.EOF, "the stream has ended"
    return message  # type: ignore[return-value]


async def rest_of(call: grpc.aio.UnaryStreamCall[object, Response]) -> list[Response]:
    """Everything up to the end of a stream that must end by itself."""
    async with asyncio.timeout(PATIENCE):
        return [message async for message in call]


def types(events: list[ReviewEvent]) -> list[str]:
    """The types of events by name, without the prefix that all of them have."""
    return [ReviewEventType.Name(event.type).removeprefix("REVIEW_EVENT_TYPE_") for event in events]
