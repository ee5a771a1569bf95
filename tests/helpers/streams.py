"""Reads streams; a stream that should say something and does not fails its test instead of hanging it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

import grpc

from plangate_proto.agent.v1.review_event_pb2 import ReviewEvent, ReviewEventType
from plangate_server.ports import Stream
from plangate_server.storage.hub import Hub
from tests.helpers.refusals import Refused, refused

Response = TypeVar("Response")

PATIENCE = 10.0


async def next_of(call: grpc.aio.UnaryStreamCall[Any, Response]) -> Response:
    """The next message of a stream that must have one."""
    async with asyncio.timeout(PATIENCE):
        message = await call.read()
    assert message is not grpc.aio.EOF, "the stream has ended"
    return message  # type: ignore[return-value]


async def rest_of(call: grpc.aio.UnaryStreamCall[Any, Response]) -> list[Response]:
    """Everything up to the end of a stream that must end by itself."""
    messages: list[Any] = []
    async with asyncio.timeout(PATIENCE):
        while (message := await call.read()) is not grpc.aio.EOF:
            messages.append(message)
    return messages


async def cut_off(call: grpc.aio.UnaryStreamCall[Any, Response]) -> tuple[list[Response], Refused]:
    """What a stream still tells, and the refusal that it ends with."""
    messages: list[Any] = []

    async def read_all() -> None:
        while (message := await call.read()) is not grpc.aio.EOF:
            messages.append(message)

    async with asyncio.timeout(PATIENCE):
        refusal = await refused(read_all())
    return messages, refusal


def types(events: Sequence[ReviewEvent]) -> list[str]:
    """The types of events by name, without the prefix that all of them have."""
    return [ReviewEventType.Name(event.type).removeprefix("REVIEW_EVENT_TYPE_") for event in events]


class WatchedHub(Hub):
    """A hub that tests can ask how many streams it keeps a line for."""

    def __init__(self) -> None:
        super().__init__()
        self._changed = asyncio.Event()

    @contextmanager
    def follow(self, workspace: str, plan_id: str) -> Iterator[Stream]:  # type: ignore[override]
        try:
            with super().follow(workspace, plan_id) as line:
                self._say_changed()
                yield line
        finally:
            self._say_changed()

    async def until_followers(self, wanted: int) -> None:
        """Wait until there are exactly so many, and nothing is kept for those that are gone."""
        async with asyncio.timeout(PATIENCE):
            while sum(map(len, self._lines.values())) != wanted or not all(self._lines.values()):
                await self._changed.wait()

    def _say_changed(self) -> None:
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()
