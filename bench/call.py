"""What comes back from a call: messages, one after the other."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from typing import Self


class Answer(ABC):
    """Puts the messages of a call together from what arrives; what becomes of them is another's business."""

    stream = 0

    def __init__(self, path: str) -> None:
        self._path = path
        self._partial = b""
        self._answered = False

    def received(self, data: bytes) -> None:
        """Bytes of messages, each of which has a flag and its length before it."""
        data = self._partial + data if self._partial else data
        while len(data) >= 5 and len(data) >= (end := 5 + int.from_bytes(data[1:5], "big")):
            self._answered = True
            self.message(data[5:end])
            data = data[end:]
        self._partial = data

    def ended(self, trailers: bytes) -> None:
        """The server has said all; a call without any message was refused."""
        refused = RuntimeError(f"{self._path} was refused: {trailers!r}")
        self.end(None if self._answered else refused)

    @abstractmethod
    def message(self, message: bytes) -> None:
        """One whole message."""

    @abstractmethod
    def end(self, problem: Exception | None) -> None:
        """No more of them come; the problem says why, if there is one."""


class Call(Answer):
    """The answer to a request: an iterator over its messages."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self._unread: asyncio.Queue[bytes | Exception | None] = asyncio.Queue()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> bytes:
        message = await self._unread.get()
        if isinstance(message, bytes):
            return message
        raise message or StopAsyncIteration

    def message(self, message: bytes) -> None:
        self._unread.put_nowait(message)

    def end(self, problem: Exception | None) -> None:
        self._unread.put_nowait(problem)
