"""Who is connected, known or not: whoever is not known has a small share of everything, and makes room.

Nobody can tell who connects before they ask. So when there are too many that nobody knows, the oldest is sent
away: whoever asks at once is answered, however many others are silent.
"""

from __future__ import annotations

import asyncio
import time
from abc import abstractmethod
from collections.abc import Mapping
from typing import Final, Protocol

from starlette.requests import HTTPConnection

MOST_UNKNOWN: Final = 256
FEW_UNKNOWN: Final = 64
"""So many may stay that have been here for a while."""
WHILE_SECONDS: Final = 1.0
MOST_CONNECTIONS: Final = 1000
READ_BYTES: Final = 16 * 1024
"""So much is taken of a connection before others have their turn: in small pieces it takes milliseconds."""
_KNOWN: Final = "plangate.known"


def let_in(connection: HTTPConnection) -> None:
    """The gate knows whoever is on this connection."""
    connection.scope[_KNOWN] = True


def is_known(scope: Mapping[str, object]) -> bool:
    return _KNOWN in scope


class Guest(Protocol):
    """A connection."""

    @property
    def is_known(self) -> bool:
        """Whether a call of theirs was let in."""

    @property
    def is_idle(self) -> bool:
        """Whether nothing that they asked is under way."""


class Crowd:
    """In the order in which they came."""

    def __init__(self) -> None:
        self._unknown: dict[Guest, tuple[float, asyncio.Transport]] = {}
        self._known: dict[Guest, asyncio.Transport] = {}

    def join(self, guest: Guest, transport: asyncio.Transport) -> None:
        now = time.monotonic()
        self._unknown[guest] = now, transport
        if len(self._unknown) > FEW_UNKNOWN:
            self._recognize()
        while len(self._unknown) > FEW_UNKNOWN:
            oldest = next(iter(self._unknown))
            since, line = self._unknown[oldest]
            if len(self._unknown) <= MOST_UNKNOWN and now - since < WHILE_SECONDS:
                break
            del self._unknown[oldest]
            line.abort()
        if len(self._unknown) + len(self._known) >= MOST_CONNECTIONS:
            self._make_room()

    def leave(self, guest: Guest) -> None:
        self._unknown.pop(guest, None)
        self._known.pop(guest, None)

    def _recognize(self) -> None:
        for guest in [guest for guest in self._unknown if guest.is_known]:
            _, self._known[guest] = self._unknown.pop(guest)

    def _make_room(self) -> None:
        """Of those that are known, one is asked to connect again that asks nothing now."""
        idle = next((guest for guest in self._known if guest.is_idle), None)
        if idle is not None:
            self._known.pop(idle).abort()


class SmallReads(asyncio.BufferedProtocol):
    """A protocol that is told what came as before, but never much at a time."""

    def get_buffer(self, sizehint: int) -> bytearray:
        self._buffer = bytearray(READ_BYTES)
        return self._buffer

    def buffer_updated(self, nbytes: int) -> None:
        self.data_received(bytes(self._buffer[:nbytes]))

    @abstractmethod
    def data_received(self, data: bytes) -> None:
        """What has come, for the protocol that this is a part of."""
