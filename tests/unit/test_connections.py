"""Which sockets are a server's own, and what becomes of them: the others stay as they are."""

from __future__ import annotations

import asyncio
import fcntl
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from plangate_server.rpc.connections import DESCRIPTORS, close_connections, hang_up, listening
from tests.helpers.conditions import PATIENCE, eventually


@pytest.fixture
def opened() -> Iterator[ExitStack]:
    with ExitStack() as opened:
        yield opened


Connection = tuple[socket.socket, socket.socket]


def listener_at(opened: ExitStack, family: socket.AddressFamily, host: str) -> socket.socket:
    """On a port that is free; an IPv6 socket also for IPv4, as gRPC makes it."""
    listener = opened.enter_context(socket.socket(family))
    if family is socket.AF_INET6:
        listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
    listener.bind((host, 0))
    listener.listen()
    return listener


def connected(opened: ExitStack, listener: socket.socket, host: str = "") -> Connection:
    """A connection to the listener, seen by the client and by the server."""
    client = opened.enter_context(socket.socket(listener.family))
    client.settimeout(PATIENCE)
    name = listener.getsockname()
    client.connect((host, name[1]) if host else name)
    return client, opened.enter_context(listener.accept()[0])


def is_over(client: socket.socket) -> bool:
    return client.recv(1) == b""


def lives(client: socket.socket, server: socket.socket) -> bool:
    server.sendall(b"x")
    return client.recv(1) == b"x"


LISTENERS = {
    "IPv4": (socket.AF_INET, "127.0.0.1", ""),
    "IPv6": (socket.AF_INET6, "::1", ""),
    "every IPv4 address": (socket.AF_INET, "0.0.0.0", "127.0.0.1"),
    "every address": (socket.AF_INET6, "::", "::ffff:127.0.0.1"),
    "an IPv4 address in an IPv6 socket": (socket.AF_INET6, "::ffff:127.0.0.1", ""),
}


@pytest.mark.parametrize("where", LISTENERS)
async def test_connections_to_a_listener_end(opened: ExitStack, where: str) -> None:
    """Whoever is connected sees the end, and nobody else gets in."""
    family, host, through = LISTENERS[where]
    before = listening()
    listener = listener_at(opened, family, host)
    own = listening() - before
    client, _ = connected(opened, listener, through)
    await close_connections(own, patience=0)
    assert is_over(client)
    with pytest.raises(ConnectionRefusedError):
        connected(opened, listener, through)


async def test_a_unix_socket(opened: ExitStack, tmp_path: Path) -> None:
    """It is known by its path."""
    before = listening()
    listener = opened.enter_context(socket.socket(socket.AF_UNIX))
    listener.bind(str(tmp_path / "gate.sock"))
    listener.listen()
    client, _ = connected(opened, listener)
    await close_connections(listening() - before, patience=0)
    assert is_over(client)


async def test_what_was_told_last_is_read(opened: ExitStack) -> None:
    """Whoever still sends when the server closes is not reset: they would lose what they have not read."""
    before = listening()
    listener = opened.enter_context(socket.create_server(("127.0.0.1", 0)))
    client, server = connected(opened, listener)
    server.sendall(b"last words")
    closing = asyncio.create_task(close_connections(listening() - before, patience=PATIENCE))
    await asyncio.sleep(0)
    client.sendall(b"still there")
    assert client.recv(100) == b"last words"
    assert is_over(client)
    assert server.recv(100) == b"still there"
    assert not closing.done()
    client.close()
    server.close()
    await closing


async def test_whoever_does_not_hang_up_is_cut_off(opened: ExitStack) -> None:
    """A client that is stuck does not hold up a stop."""
    before = listening()
    listener = opened.enter_context(socket.create_server(("127.0.0.1", 0)))
    client, _ = connected(opened, listener)
    await close_connections(listening() - before, patience=0)
    assert is_over(client)
    with pytest.raises((ConnectionResetError, BrokenPipeError)):
        await eventually(lambda: client.send(b"x") == 0)


async def test_what_is_not_the_servers_stays(opened: ExitStack) -> None:
    """Another listener with the same port, its connections, pairs of sockets and datagrams."""
    other = opened.enter_context(socket.create_server(("127.0.0.2", 0)))
    before = listening()
    own = opened.enter_context(socket.create_server(("127.0.0.1", other.getsockname()[1])))
    one, two = map(opened.enter_context, socket.socketpair())
    datagrams = opened.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
    datagrams.bind(own.getsockname())
    await close_connections(listening() - before, patience=0)
    assert lives(*connected(opened, other))
    assert lives(one, two)
    datagrams.sendto(b"x", datagrams.getsockname())
    assert datagrams.recv(1) == b"x"


async def test_no_descriptor_is_left_open(opened: ExitStack) -> None:
    """Each look opens some, and closes them all."""
    before = listening()
    listener = opened.enter_context(socket.create_server(("127.0.0.1", 0)))
    connected(opened, listener)
    known = len(list(DESCRIPTORS.iterdir()))
    await close_connections(listening() - before, patience=0)
    assert len(list(DESCRIPTORS.iterdir())) == known


LOCK = "import fcntl, sys; fcntl.lockf(open(sys.argv[1], 'r+'), fcntl.LOCK_EX | fcntl.LOCK_NB)"


def test_locks_on_files_hold(opened: ExitStack, tmp_path: Path) -> None:
    """What this process has locked stays locked: who reads a database whose locks are gone damages it."""
    file = opened.enter_context((tmp_path / "locked").open("w"))
    fcntl.lockf(file, fcntl.LOCK_EX)
    asyncio.run(close_connections(listening() - listening(), patience=0))
    command = (sys.executable, "-c", LOCK, file.name)
    assert "BlockingIOError" in subprocess.run(command, capture_output=True, text=True, check=False).stderr


@pytest.mark.parametrize(("family", "bound", "host"), LISTENERS.values(), ids=LISTENERS)
def test_one_peer_is_hung_up(opened: ExitStack, family: socket.AddressFamily, bound: str, host: str) -> None:
    """The others of the listener stay connected."""
    before = listening()
    listener = listener_at(opened, family, bound)
    (loud, _), other = connected(opened, listener, host), connected(opened, listener, host)
    address, port = loud.getsockname()[:2]
    hang_up(listening() - before, {f"{address.removeprefix('::ffff:')} {port}"})
    assert is_over(loud)
    assert lives(*other)
