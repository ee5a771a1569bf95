"""A stream that outlives its connection: where it stands, and how it goes on."""

from __future__ import annotations

from typing import Any, Generic, TypeVar

from google.protobuf.message import Message

from plangate._attempts import Attempts
from plangate._calls.kinds import Stream
from plangate.errors import CursorExpired, PlangateError

Told = TypeVar("Told")


class Watch(Generic[Told]):
    """``request`` opens the stream, and after a break opens it again behind what was told."""

    def __init__(self, stream: Stream[Told], timeout: float | None) -> None:
        self.request: Message = stream.request
        self.attempts = Attempts(timeout)
        self._stream = stream
        self._over = False

    def take(self, response: Any) -> Told:
        """What the response tells; from now on the stream goes on behind it."""
        self.attempts.begin_anew()
        self._over = self._over or self._stream.is_last(response)
        if cursor := self._stream.cursor_of(response):
            self._go_on(cursor)
        return self._stream.read(response)

    def delay_after(self, error: PlangateError, *, was_reached: bool) -> float | None:
        """Seconds until it is opened again; None if all was told; raises an error that time does not cure."""
        if self._over:
            return None
        if isinstance(error, CursorExpired):
            self._go_on("")  # what was missed is gone; a snapshot says how things stand
            return 0.0
        return self.attempts.delay_after(error, was_reached=was_reached)

    def _go_on(self, cursor: str) -> None:
        # A copy: gRPC may still be sending the one before.
        request: Any = type(self.request)()
        request.CopyFrom(self.request)
        request.cursor = cursor
        self.request = request
