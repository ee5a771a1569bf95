"""Who is connected, known or not: whoever is not known has a small share of everything, and makes room.

Nobody can tell who connects before they ask. So the oldest that nobody knows are sent away when there are too
many, at first those that do not ask: whoever asks is answered, however many others are silent.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Final, Protocol

from starlette.requests import HTTPConnection

MOST_UNKNOWN: Final = 64
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
        self._unknown: dict[Guest, asyncio.Transport] = {}
        self._known: dict[Guest, asyncio.Transport] = {}

    def join(self, guest: Guest, transport: asyncio.Transport) -> None:
        self._unknown[guest] = transport
        if len(self._unknown) > MOST_UNKNOWN:
            self._recognize()
        if len(self._unknown) > MOST_UNKNOWN:
            self._send_away(self._unknown)
        elif len(self._unknown) + len(self._known) > MOST_CONNECTIONS:
            self._send_away(self._known)

    def leave(self, guest: Guest) -> None:
        self._unknown.pop(guest, None)
        self._known.pop(guest, None)

    def _recognize(self) -> None:
        for guest in [guest for guest in self._unknown if guest.is_known]:
            self._known[guest] = self._unknown.pop(guest)

    def _send_away(self, guests: dict[Guest, asyncio.Transport]) -> None:
        """The oldest of those that ask nothing, or else the oldest of all."""
        oldest = next((guest for guest in guests if guest.is_idle), next(iter(guests)))
        guests.pop(oldest).abort()


class SmallReads(asyncio.BufferedProtocol):
    """A protocol that is told what came as before, but never much at a time."""

    def get_buffer(self, sizehint: int) -> bytearray:
        self._buffer = bytearray(READ_BYTES)
        return self._buffer

    def buffer_updated(self, nbytes: int) -> None:
        self.data_received(bytes(self._buffer[:nbytes]))

    def data_received(self, data: bytes) -> None:
        raise NotImplementedError
