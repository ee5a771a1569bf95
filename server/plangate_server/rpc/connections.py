"""The sockets of a gRPC server, closed so that whoever is connected knows to call again.

A gRPC server that shuts down drops every call that reaches it on an open connection, and the caller gets
CANCELLED: no handler is asked. A connection that is gone is UNAVAILABLE for whoever calls on it.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable, Iterator, Set
from contextlib import suppress
from ipaddress import IPv6Address, ip_address
from itertools import chain, repeat
from pathlib import Path
from typing import Final
from urllib.parse import unquote

DESCRIPTORS: Final = Path("/dev/fd")
FAMILIES: Final = frozenset({socket.AF_INET, socket.AF_INET6, socket.AF_UNIX})

Address = tuple[str, int] | str
"""Host and port, or the path of a Unix socket."""


def listening() -> frozenset[Address]:
    """Where this process listens."""
    return frozenset(_address(each) for each in _sockets() if _listens(each))


async def close_connections(listeners: Set[Address], patience: float) -> None:
    """Let nobody connect to these listeners any more, and end the connections to them.

    In this order, or who was cut off would be back before the end. Whoever is connected first reads that
    nothing more comes, and hangs up: a connection that is closed in both directions at once is reset as soon
    as they send something, and what they were told last is lost. Who does not hang up in time is cut off.
    """
    _shut_down(_found(listeners, _listens), socket.SHUT_RDWR)
    _shut_down(_found(listeners, _is_connected), socket.SHUT_WR)
    with suppress(TimeoutError):
        async with asyncio.timeout(patience):
            for pause in _pauses():
                if next(_found(listeners, _is_connected), None) is None:
                    return
                await asyncio.sleep(pause)
    _shut_down(_found(listeners, _is_connected), socket.SHUT_RDWR)


def hang_up(listeners: Set[Address], peers: Set[str]) -> None:
    """End the connections to these listeners from those addresses, each written as ``host port``. Every
    descriptor is looked at: with thousands of them not on the event loop.
    """
    ports = {int(peer.rpartition(" ")[2]) for peer in peers}

    def is_wanted(each: socket.socket) -> bool:
        name = each.getpeername()
        is_candidate = isinstance(name, tuple) and name[1] in ports  # to read an address takes long
        return is_candidate and f"{_plain(name[0])} {name[1]}" in peers

    _shut_down(_found(listeners, is_wanted), socket.SHUT_RDWR)


def peer_address(peer: str) -> str:
    """The address of a peer as gRPC writes it; empty where it has none, as on a Unix socket."""
    kind, _, rest = unquote(peer).partition(":")
    host, _, port = rest.rpartition(":")
    return f"{host.strip('[]')} {port}" if kind in {"ipv4", "ipv6"} else ""


def _pauses() -> Iterator[float]:
    """Short at first, and longer where many have to be looked at again and again."""
    return chain((0.005, 0.01, 0.02, 0.04), repeat(0.08))


def _shut_down(found: Iterator[socket.socket], how: int) -> None:
    for each in found:
        with suppress(OSError):
            each.shutdown(how)


def _found(listeners: Set[Address], what: Callable[[socket.socket], bool]) -> Iterator[socket.socket]:
    """Of the sockets with a listener's address, which are listeners and connections, those asked for."""
    for each in _sockets():
        with suppress(OSError):
            if what(each) and _belongs(_address(each), listeners):
                yield each


def _sockets() -> Iterator[socket.socket]:
    """Every socket of this process that has connections, each valid until the next is asked for.

    No descriptor is duplicated or closed. To close one of a file, even a duplicate, ends all locks of the
    process on that file (POSIX): SQLite's, for one, and others would then take the database for unused.
    """
    with suppress(OSError):
        for entry in DESCRIPTORS.iterdir():
            with suppress(OSError):
                found = socket.socket(fileno=int(entry.name))  # what is no socket fails, and stays open
                try:
                    if found.family in FAMILIES and found.type == socket.SOCK_STREAM:
                        yield found
                finally:
                    found.detach()


def _listens(each: socket.socket) -> bool:
    return bool(each.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN))


def _is_connected(each: socket.socket) -> bool:
    """No longer, once both sides have said that they send no more."""
    with suppress(OSError):
        each.getpeername()
        return True
    return False


def _address(each: socket.socket) -> Address:
    name = each.getsockname()
    return (_plain(name[0]), name[1]) if isinstance(name, tuple) else str(name)


def _plain(host: str) -> str:
    """An IPv4 address as such, also where an IPv6 socket has it."""
    address = ip_address(host)
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return str(mapped or address)


def _belongs(address: Address, listeners: Set[Address]) -> bool:
    """Whether a socket is one of the listeners, or was accepted by one, which may listen on every address."""
    if address in listeners or isinstance(address, str):
        return address in listeners
    return any((everywhere, address[1]) in listeners for everywhere in ("0.0.0.0", "::"))
