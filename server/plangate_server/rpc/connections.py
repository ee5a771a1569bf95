"""The sockets of a gRPC server, closed so that whoever is connected knows to call again.

A gRPC server that shuts down drops every call that reaches it on an open connection, and the caller gets
CANCELLED: no handler is asked. A connection that is gone is UNAVAILABLE for whoever calls on it.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator, Set
from contextlib import closing, suppress
from ipaddress import IPv6Address, ip_address
from pathlib import Path
from typing import Final

DESCRIPTORS: Final = Path("/dev/fd")
FAMILIES: Final = frozenset({socket.AF_INET, socket.AF_INET6, socket.AF_UNIX})

Address = tuple[str, int] | str
"""Host and port, or the path of a Unix socket."""


def listening() -> frozenset[Address]:
    """Where this process listens."""
    found: set[Address] = set()
    for each in _sockets():
        with closing(each):
            if _listens(each):
                found.add(_address(each))
    return frozenset(found)


def close_connections(listeners: Set[Address]) -> None:
    """Let nobody connect to these listeners any more, and end the connections to them.

    In this order, or who was cut off would be back before the end.
    """
    for listens in (True, False):
        for each in _sockets():
            with closing(each), suppress(OSError):
                if _listens(each) is listens and _belongs(_address(each), listeners):
                    each.shutdown(socket.SHUT_RDWR)


def _sockets() -> Iterator[socket.socket]:
    """Every socket of this process that has connections, by a descriptor of its own: gRPC may close and
    reuse the others.
    """
    with suppress(OSError):
        for entry in DESCRIPTORS.iterdir():
            with suppress(OSError):
                found = _socket(os.dup(int(entry.name)))
                if found.family in FAMILIES and found.type == socket.SOCK_STREAM:
                    yield found
                else:
                    found.close()


def _socket(descriptor: int) -> socket.socket:
    try:
        return socket.socket(fileno=descriptor)
    except OSError:
        os.close(descriptor)
        raise


def _listens(each: socket.socket) -> bool:
    return bool(each.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN))


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
