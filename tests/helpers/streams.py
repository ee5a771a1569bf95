"""Reads streams; a stream that should say something and does not fails its test instead of hanging it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

import grpc

from plangate_proto.agent.v1.review_event_pb2 import ReviewEvent, ReviewEventType
from plangate_server.ports import EventFilter, Stream
from plangate_server.storage.hub import Hub
from tests.helpers.conditions import PATIENCE
from tests.helpers.refusals import Refused, refused

Response = TypeVar("Response")


async def next_of(call: grpc.aio.UnaryStreamCall[Any, Response], patience: float = PATIENCE) -> Response:
    """The next message of a stream that must have one."""
    async with asyncio.timeout(patience):
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
    """A hub that tests can ask how many streams follow something."""

    def __init__(self) -> None:
        super().__init__()
        self._followers = 0
        self._changed = asyncio.Event()

    @contextmanager
    def follow(self, workspace: str, which: EventFilter, *, reviewer: bool = False) -> Iterator[Stream]:  # type: ignore[override]
        with super().follow(workspace, which, reviewer=reviewer) as line:
            self._count(1)
            try:
                yield line
            finally:
                self._count(-1)

    async def until_followers(self, wanted: int) -> None:
        """Wait until there are exactly so many."""
        async with asyncio.timeout(PATIENCE):
            while self._followers != wanted:
                await self._changed.wait()

    def _count(self, step: int) -> None:
        self._followers += step
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()
